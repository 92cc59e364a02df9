import type { LegEnd } from './leg.ts';
import type { WireMessage } from './wire.ts';

/** Listens to what a carrier sends, before anything is made of it. */
export interface LegTap {
  /** As it arrived; the payload is only lent. */
  message(message: WireMessage, nowMs: number): void;
  closed(code: number, broken: { cause: LegEnd; detail: string } | null, nowMs: number): void;
  /** The socket takes sound from now on, or takes none. */
  takes(takes: boolean): void;
  /** What follows comes over the call's next stream. */
  nextStream(nowMs: number): void;
}

/** A carrier's first seconds, until it is known whether anybody listens. */
const MOST_KEPT = 500;

/** Keeps what comes until it is led somewhere, or let go. */
export interface EarlyTap extends LegTap {
  /** What was kept, and all that follows, goes there. */
  lead(to: LegTap): void;
  /** Nobody listens. */
  letGo(): void;
}

export function createEarlyTap(): EarlyTap {
  let kept: ((to: LegTap) => void)[] | null = [];
  let to: LegTap | null = null;
  const tell = (news: (to: LegTap) => void) => {
    if (to) news(to);
    else if (kept && kept.length < MOST_KEPT) kept.push(news);
  };
  return {
    message(message, nowMs) {
      if (to) to.message(message, nowMs);
      else if (kept) {
        const own = message.type === 'audio' ? { ...message, payload: message.payload.slice() } : message;
        tell((tap) => tap.message(own, nowMs));
      }
    },
    closed: (code, broken, nowMs) => tell((tap) => tap.closed(code, broken, nowMs)),
    takes: (takes) => tell((tap) => tap.takes(takes)),
    nextStream: (nowMs) => tell((tap) => tap.nextStream(nowMs)),
    lead(tap) {
      to = tap;
      for (const news of kept ?? []) news(tap);
      kept = null;
    },
    letGo() {
      kept = null;
    },
  };
}
