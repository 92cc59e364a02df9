import { type AudioFormat, bytesPerSample } from '../audio/format.ts';

/** The first byte of a sample whose second byte comes with the next message. */
export interface PartialSample {
  byte: number | null;
}

/**
 * Decodes base64 audio into whole samples, in one reused buffer: what `decode` returns is valid until the next call.
 * Characters that are not base64 are skipped.
 */
export interface Base64AudioDecoder {
  decode(base64: string, partial: PartialSample): Uint8Array;
}

export function createBase64AudioDecoder(format: AudioFormat): Base64AudioDecoder {
  const twoBytes = bytesPerSample(format) === 2;
  /** The first byte is reserved for the partial sample. */
  let scratch = Buffer.allocUnsafe(16 * 1024);

  return {
    decode(base64, partial) {
      const needed = 1 + Math.ceil((base64.length * 3) / 4);
      if (scratch.length < needed) scratch = Buffer.allocUnsafe(needed * 2);
      const from = partial.byte === null ? 1 : 0;
      if (partial.byte !== null) scratch[0] = partial.byte;
      let end = 1 + scratch.write(base64, 1, 'base64');
      partial.byte = null;
      if (twoBytes && (end - from) % 2 === 1) {
        end--;
        partial.byte = scratch[end]!;
      }
      // A Uint8Array, because `slice` of a Buffer would not copy.
      return new Uint8Array(scratch.buffer, scratch.byteOffset + from, end - from);
    },
  };
}
