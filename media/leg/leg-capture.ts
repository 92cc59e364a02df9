import type { CarrierMessage } from './carrier-protocol.ts';
import type { LegEnd } from './leg.ts';

/** Records what a carrier or a browser sends, before it is processed. */
export interface LegCapture {
  /** A carrier's message as it arrived, or a digit of a browser; the payload is valid during the call. */
  message(message: CarrierMessage, nowMs: number): void;
  closed(code: number, broken: { cause: LegEnd; detail: string } | null, nowMs: number): void;
  /** The socket takes audio from now on, or takes none. */
  writable(writable: boolean): void;
  /** The call continues over its next stream. */
  nextStream(nowMs: number): void;
  /** One RTP packet of a browser's microphone; the payload is valid during the call. */
  packet(packet: CapturedPacket, nowMs: number): void;
  muted(muted: boolean, nowMs: number): void;
  /** As used for the playout position. */
  roundTrip(roundTripMs: number, nowMs: number): void;
  /** The browser's side ended. */
  finished(cause: LegEnd, detail: string, nowMs: number): void;
}

/** Sequence number and timestamp as in RTP. */
export interface CapturedPacket {
  sequence: number;
  timestamp: number;
  payload: Uint8Array;
}

/** Events of the first seconds of a stream, until it is known whether the call is captured. */
const MAX_BUFFERED = 500;

/** Buffers events until they are attached to a capture, or discarded. */
export interface EarlyLegCapture extends LegCapture {
  /** Sends the buffered events and all that follow to this capture. */
  attach(to: LegCapture): void;
  /** The call is not captured. */
  discard(): void;
}

interface BufferedEvent {
  replay(to: LegCapture): void;
  isAudio: boolean;
}

export function createEarlyLegCapture(): EarlyLegCapture {
  let buffered: BufferedEvent[] | null = [];
  let target: LegCapture | null = null;
  const forward = (replay: BufferedEvent['replay'], isAudio = false) => {
    if (target) replay(target);
    else if (buffered) {
      // The oldest audio is the least useful event.
      if (buffered.length === MAX_BUFFERED) {
        const oldest = buffered.findIndex((one) => one.isAudio);
        if (oldest < 0) return;
        buffered.splice(oldest, 1);
      }
      buffered.push({ replay, isAudio });
    }
  };
  return {
    message(message, nowMs) {
      if (target) target.message(message, nowMs);
      else if (buffered && message.type === 'audio') {
        const own = { ...message, payload: message.payload.slice() };
        forward((capture) => capture.message(own, nowMs), true);
      } else forward((capture) => capture.message(message, nowMs));
    },
    closed: (code, broken, nowMs) => forward((capture) => capture.closed(code, broken, nowMs)),
    writable: (writable) => forward((capture) => capture.writable(writable)),
    nextStream: (nowMs) => forward((capture) => capture.nextStream(nowMs)),
    packet(packet, nowMs) {
      if (target) target.packet(packet, nowMs);
      else if (buffered) {
        const { sequence, timestamp, payload } = packet;
        const own = { sequence, timestamp, payload: payload.slice() };
        forward((capture) => capture.packet(own, nowMs), true);
      }
    },
    muted: (muted, nowMs) => forward((capture) => capture.muted(muted, nowMs)),
    roundTrip: (roundTripMs, nowMs) => forward((capture) => capture.roundTrip(roundTripMs, nowMs)),
    finished: (cause, detail, nowMs) => forward((capture) => capture.finished(cause, detail, nowMs)),
    attach(capture) {
      target = capture;
      for (const { replay } of buffered ?? []) replay(capture);
      buffered = null;
    },
    discard() {
      buffered = null;
    },
  };
}
