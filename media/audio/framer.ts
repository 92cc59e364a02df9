import type { AudioFormat } from './format.ts';
import { frameBytes, silenceByte } from './silence.ts';

export interface Framer {
  /** Takes bytes of any length; every full 20 ms is handed over at once. */
  push(bytes: Uint8Array): void;
  /** Fills a frame that has begun with silence and hands it over. */
  flush(): void;
  /** Forgets a frame that has begun. */
  clear(): void;
  /** Bytes waiting for the rest of their frame. */
  readonly pending: number;
}

/**
 * Cuts a stream of bytes into exact 20 ms frames. The frame handed over is the framer's own memory and only valid
 * during the call; the framer may be pushed to, flushed or cleared from within it.
 */
export function createFramer(format: AudioFormat, deliver: (frame: Uint8Array) => void): Framer {
  const size = frameBytes(format);
  const silence = silenceByte(format.encoding);
  const frame = new Uint8Array(size);
  let filled = 0;

  return {
    push(bytes) {
      let at = 0;
      if (filled === 0 && bytes.length === size) {
        // As nearly every carrier sends it.
        frame.set(bytes);
        deliver(frame);
        return;
      }
      while (at < bytes.length) {
        const count = Math.min(size - filled, bytes.length - at);
        for (let i = 0; i < count; i++) frame[filled + i] = bytes[at + i]!;
        at += count;
        filled += count;
        if (filled === size) {
          filled = 0;
          deliver(frame);
        }
      }
    },
    flush() {
      if (filled === 0) return;
      frame.fill(silence, filled);
      filled = 0;
      deliver(frame);
    },
    clear() {
      filled = 0;
    },
    get pending() {
      return filled;
    },
  };
}
