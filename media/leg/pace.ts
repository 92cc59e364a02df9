/**
 * How fast a stream may come: no faster than a voice speaks, but for what piled up behind a network that stood still.
 * Whoever sends more is no telephone, and every minute of it would be recorded, transcribed and paid for.
 */
export interface Pace {
  /** A message came, with so many milliseconds of sound; false when it was too much. */
  take(soundMs: number, nowMs: number): boolean;
}

/** So much may come at once: longer than a socket stands still before it is cut. */
const SOUND_AHEAD_MS = 40_000;
/** A frame of each side and a mark every 20 ms are 150 a second. */
const MESSAGES_PER_MS = 0.4;
const MESSAGES_AHEAD = 10_000;

export function createPace(startMs: number): Pace {
  let soundMs = SOUND_AHEAD_MS;
  let messages = MESSAGES_AHEAD;
  let lastMs = startMs;

  return {
    take(takenMs, nowMs) {
      const passedMs = Math.max(0, nowMs - lastMs);
      lastMs = Math.max(lastMs, nowMs);
      soundMs = Math.min(SOUND_AHEAD_MS, soundMs + passedMs) - takenMs;
      messages = Math.min(MESSAGES_AHEAD, messages + passedMs * MESSAGES_PER_MS) - 1;
      return soundMs >= 0 && messages >= 0;
    },
  };
}
