/**
 * How fast a stream may come: no faster than a voice speaks, but for what piled up behind a network that stood still.
 * Whoever sends more is no telephone, and every minute of it would be recorded, transcribed and paid for.
 */
export interface InboundRateLimit {
  /** A message came, with so many milliseconds of sound; false when it was too much. */
  allow(soundMs: number, nowMs: number): boolean;
}

/** So much may come at once: longer than a socket stands still before it is cut. */
const AUDIO_BURST_MS = 40_000;
/** A frame of each side and a mark every 20 ms are 150 a second. */
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
