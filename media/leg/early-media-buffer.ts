import { FRAME_MS } from '../audio/format.ts';
import type { LegListener } from './leg.ts';

/** What a caller says and presses before anybody listens to the leg. */
export interface EarlyMediaBuffer {
  /** The bytes are copied. Of the sound the latest two seconds are kept. */
  audio(frame: Uint8Array, atMs: number): void;
  /** The first ones are kept. */
  digit(digit: string): void;
  /** Gives everything to who listens now, sound first, until `isOver`: what the listener does with the first of it may hang up. */
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
      const said = frames;
      const pressed = digits;
      forget();
      for (const { frame, atMs } of said) if (!isOver()) listener.audio(frame, atMs);
      for (const digit of pressed) if (!isOver()) listener.digit(digit);
    },
  };
}
