/**
 * Limits how fast a stream may send: audio in real time, and messages at a rate no carrier exceeds, with a burst for what
 * piled up behind a stalled network. Without it, audio sent faster than real time would be recorded, transcribed and paid for.
 */
export interface InboundRateLimit {
  /** Counts a message with `audioMs` of audio; false when it exceeds the limit. */
  allow(audioMs: number, nowMs: number): boolean;
}

/** Longer than a socket may be idle before it is closed. */
const AUDIO_BURST_MS = 40_000;
/** Frames of both directions and a mark every 20 ms are 150 a second. */
const MESSAGES_PER_MS = 0.4;
const MESSAGE_BURST = 10_000;

export function createInboundRateLimit(startMs: number): InboundRateLimit {
  let audioMs = AUDIO_BURST_MS;
  let messages = MESSAGE_BURST;
  let lastMs = startMs;

  return {
    allow(takenMs, nowMs) {
      const passedMs = Math.max(0, nowMs - lastMs);
      lastMs = Math.max(lastMs, nowMs);
      audioMs = Math.min(AUDIO_BURST_MS, audioMs + passedMs) - takenMs;
      messages = Math.min(MESSAGE_BURST, messages + passedMs * MESSAGES_PER_MS) - 1;
      return audioMs >= 0 && messages >= 0;
    },
  };
}
