import { type AudioFormat, bytesPerSample } from '../audio/format.ts';

/** Half a sample of a context, waiting for its other half. */
export interface PartialSample {
  byte: number | null;
}

/**
 * Turns base64 sound into whole samples, in one buffer that is used again and again: what `decode` returns is valid
 * until the next call. Letters that are not base64 are passed over.
 */
export interface Base64AudioDecoder {
  decode(base64: string, held: PartialSample): Uint8Array;
}

export function createBase64AudioDecoder(format: AudioFormat): Base64AudioDecoder {
  const halves = bytesPerSample(format) === 2;
  /** The first byte is kept free for a held one. */
  let scratch = Buffer.allocUnsafe(16 * 1024);

  return {
    decode(base64, held) {
      const needed = 1 + Math.ceil((base64.length * 3) / 4);
      if (scratch.length < needed) scratch = Buffer.allocUnsafe(needed * 2);
      const from = held.byte === null ? 1 : 0;
      if (held.byte !== null) scratch[0] = held.byte;
      let end = 1 + scratch.write(base64, 1, 'base64');
      held.byte = null;
      if (halves && (end - from) % 2 === 1) {
        end--;
        held.byte = scratch[end]!;
      }
      // No Buffer: whoever keeps the sound copies it with `slice`, and that of a Buffer is no copy.
      return new Uint8Array(scratch.buffer, scratch.byteOffset + from, end - from);
    },
  };
}
