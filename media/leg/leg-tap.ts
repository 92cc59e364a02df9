import type { LegEnd } from './leg.ts';
import type { WireMessage } from './wire.ts';

/** Listens to what a carrier or a browser sends, before anything is made of it. */
export interface LegTap {
  /** A carrier's, as it arrived, or a digit of a browser; the payload is only lent. */
  message(message: WireMessage, nowMs: number): void;
  closed(code: number, broken: { cause: LegEnd; detail: string } | null, nowMs: number): void;
  /** The socket takes sound from now on, or takes none. */
  takes(takes: boolean): void;
  /** What follows comes over the call's next stream. */
  nextStream(nowMs: number): void;
  /** 20 ms or so of a browser's microphone; the payload is only lent. */
  packet(packet: TappedPacket, nowMs: number): void;
  muted(muted: boolean, nowMs: number): void;
  /** As it counts for what was heard of the agent. */
  reported(roundTripMs: number, nowMs: number): void;
  /** The browser's side is over. */
  finished(cause: LegEnd, detail: string, nowMs: number): void;
}

/** By its numbers in RTP. */
export interface TappedPacket {
  sequence: number;
  timestamp: number;
  payload: Uint8Array;
}

/** The first seconds of a line, until it is known whether anybody listens. */
const MOST_KEPT = 500;

/** Keeps what comes until it is led somewhere, or let go. */
export interface EarlyTap extends LegTap {
  /** What was kept, and all that follows, goes there. */
  lead(to: LegTap): void;
  /** Nobody listens. */
  letGo(): void;
}

interface Kept {
  tell(to: LegTap): void;
  isSound: boolean;
}

export function createEarlyTap(): EarlyTap {
  let kept: Kept[] | null = [];
  let to: LegTap | null = null;
  const news = (tell: Kept['tell'], isSound = false) => {
    if (to) tell(to);
    else if (kept) {
      // Sound is what there is too much of, and the oldest of it is not heard any more.
      if (kept.length === MOST_KEPT) {
        const oldest = kept.findIndex((one) => one.isSound);
        if (oldest < 0) return;
        kept.splice(oldest, 1);
      }
      kept.push({ tell, isSound });
    }
  };
  return {
    message(message, nowMs) {
      if (to) to.message(message, nowMs);
      else if (kept && message.type === 'audio') {
        const own = { ...message, payload: message.payload.slice() };
        news((tap) => tap.message(own, nowMs), true);
      } else news((tap) => tap.message(message, nowMs));
    },
    closed: (code, broken, nowMs) => news((tap) => tap.closed(code, broken, nowMs)),
    takes: (takes) => news((tap) => tap.takes(takes)),
    nextStream: (nowMs) => news((tap) => tap.nextStream(nowMs)),
    packet(packet, nowMs) {
      if (to) to.packet(packet, nowMs);
      else if (kept) {
        const { sequence, timestamp, payload } = packet;
        const own = { sequence, timestamp, payload: payload.slice() };
        news((tap) => tap.packet(own, nowMs), true);
      }
    },
    muted: (muted, nowMs) => news((tap) => tap.muted(muted, nowMs)),
    reported: (roundTripMs, nowMs) => news((tap) => tap.reported(roundTripMs, nowMs)),
    finished: (cause, detail, nowMs) => news((tap) => tap.finished(cause, detail, nowMs)),
    lead(tap) {
      to = tap;
      for (const { tell } of kept ?? []) tell(tap);
      kept = null;
    },
    letGo() {
      kept = null;
    },
  };
}
