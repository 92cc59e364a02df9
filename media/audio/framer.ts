import { type AudioFormat, FRAME_MS, frameBytes, silenceByte } from './format.ts';

export interface Framer {
  /** Takes bytes of any length; every complete frame is delivered at once. */
  push(bytes: Uint8Array): void;
  /** Pads an incomplete frame with silence and delivers it. */
  flush(): void;
  /** Drops an incomplete frame. */
  clear(): void;
  /** Bytes of the incomplete frame. */
  readonly pending: number;
}

/**
 * Cuts a stream of bytes into frames of exactly 20 ms, or of another length. The delivered frame is the framer's own memory and
 * valid during the call; the framer may be pushed to, flushed or cleared from within it.
 */
export function createFramer(
  format: AudioFormat,
  deliver: (frame: Uint8Array) => void,
  frameMs: number = FRAME_MS,
): Framer {
  const size = (frameBytes(format) * frameMs) / FRAME_MS;
  const silence = silenceByte(format.encoding);
  const frame = new Uint8Array(size);
  let filled = 0;

  return {
    push(bytes) {
      let at = 0;
      if (filled === 0 && bytes.length === size) {
        // The usual case: nearly every carrier sends whole frames.
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
