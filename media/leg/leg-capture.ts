import type { CarrierMessage } from './carrier-protocol.ts';
import type { LegEnd } from './leg.ts';

/** Listens to what a carrier or a browser sends, before anything is made of it. */
export interface LegCapture {
  /** A carrier's, as it arrived, or a digit of a browser; the payload is only lent. */
  message(message: CarrierMessage, nowMs: number): void;
  closed(code: number, broken: { cause: LegEnd; detail: string } | null, nowMs: number): void;
  /** The socket takes sound from now on, or takes none. */
  writable(writable: boolean): void;
  /** What follows comes over the call's next stream. */
  nextStream(nowMs: number): void;
  /** 20 ms or so of a browser's microphone; the payload is only lent. */
  packet(packet: CapturedPacket, nowMs: number): void;
  muted(muted: boolean, nowMs: number): void;
  /** As it counts for what was heard of the agent. */
  roundTrip(roundTripMs: number, nowMs: number): void;
  /** The browser's side is over. */
  finished(cause: LegEnd, detail: string, nowMs: number): void;
}

/** By its numbers in RTP. */
export interface CapturedPacket {
  sequence: number;
  timestamp: number;
  payload: Uint8Array;
}

/** The first seconds of a line, until it is known whether anybody listens. */
const MAX_BUFFERED = 500;

/** Keeps what comes until it is led somewhere, or let go. */
export interface EarlyLegCapture extends LegCapture {
  /** What was kept, and all that follows, goes there. */
  attach(to: LegCapture): void;
  /** Nobody listens. */
  discard(): void;
}

interface BufferedEvent {
  replay(to: LegCapture): void;
  isAudio: boolean;
}

export function createEarlyLegCapture(): EarlyLegCapture {
  let buffered: BufferedEvent[] | null = [];
  let target: LegCapture | null = null;
  const forward = (tell: BufferedEvent['replay'], isSound = false) => {
    if (target) tell(target);
    else if (buffered) {
      // Sound is what there is too much of, and the oldest of it is not heard any more.
      if (buffered.length === MAX_BUFFERED) {
        const oldest = buffered.findIndex((one) => one.isAudio);
        if (oldest < 0) return;
        buffered.splice(oldest, 1);
      }
      buffered.push({ replay: tell, isAudio: isSound });
    }
  };
  return {
    message(message, nowMs) {
      if (target) target.message(message, nowMs);
      else if (buffered && message.type === 'audio') {
        const own = { ...message, payload: message.payload.slice() };
        forward((tap) => tap.message(own, nowMs), true);
      } else forward((tap) => tap.message(message, nowMs));
    },
    closed: (code, broken, nowMs) => forward((tap) => tap.closed(code, broken, nowMs)),
    writable: (takes) => forward((tap) => tap.writable(takes)),
    nextStream: (nowMs) => forward((tap) => tap.nextStream(nowMs)),
    packet(packet, nowMs) {
      if (target) target.packet(packet, nowMs);
      else if (buffered) {
        const { sequence, timestamp, payload } = packet;
        const own = { sequence, timestamp, payload: payload.slice() };
        forward((tap) => tap.packet(own, nowMs), true);
      }
    },
    muted: (muted, nowMs) => forward((tap) => tap.muted(muted, nowMs)),
    roundTrip: (roundTripMs, nowMs) => forward((tap) => tap.roundTrip(roundTripMs, nowMs)),
    finished: (cause, detail, nowMs) => forward((tap) => tap.finished(cause, detail, nowMs)),
    attach(tap) {
      target = tap;
      for (const { replay: tell } of buffered ?? []) tell(tap);
      buffered = null;
    },
    discard() {
      buffered = null;
    },
  };
}
