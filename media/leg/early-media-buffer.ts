import { FRAME_MS } from '../audio/format.ts';
import type { LegListener } from './leg.ts';

/** Buffers the caller's audio and digits until the leg has a listener. */
export interface EarlyMediaBuffer {
  /** Copies the frame; the latest two seconds are kept. */
  audio(frame: Uint8Array, atMs: number): void;
  /** The first MAX_DIGITS are kept. */
  digit(digit: string): void;
  /** Delivers everything, audio first, until `isOver`: the listener may hang up in between. */
  flushTo(listener: Pick<LegListener, 'audio' | 'digit'>, isOver: () => boolean): void;
  clear(): void;
}

const MAX_FRAMES = 2_000 / FRAME_MS;
const MAX_DIGITS = 32;

export function createEarlyMediaBuffer(): EarlyMediaBuffer {
  let frames: { frame: Uint8Array; atMs: number }[] = [];
  let digits: string[] = [];

  const forget = () => {
    frames = [];
    digits = [];
  };

  return {
    clear: forget,

    audio(frame, atMs) {
      if (frames.length === MAX_FRAMES) frames.shift();
      frames.push({ frame: frame.slice(), atMs });
    },

    digit(digit) {
      if (digits.length < MAX_DIGITS) digits.push(digit);
    },

    flushTo(listener, isOver) {
      const bufferedFrames = frames;
      const bufferedDigits = digits;
      forget();
      for (const { frame, atMs } of bufferedFrames) if (!isOver()) listener.audio(frame, atMs);
      for (const digit of bufferedDigits) if (!isOver()) listener.digit(digit);
    },
  };
}
