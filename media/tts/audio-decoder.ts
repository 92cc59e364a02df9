import { type AudioFormat, bytesPerSample } from '../audio/format.ts';

/** The first byte of a sample whose second byte comes with the next message. */
export interface PartialSample {
  byte: number | null;
}

/**
 * Cuts audio into whole samples, in one reused buffer: what `decode` returns is valid until the next call.
 */
export interface AudioDecoder {
  /** @param audio base64, whose other characters are skipped, or bytes. */
  decode(audio: string | Uint8Array, partial: PartialSample): Uint8Array;
}

export function createAudioDecoder(format: AudioFormat): AudioDecoder {
  const twoBytes = bytesPerSample(format) === 2;
  /** The first byte is reserved for the partial sample. */
  let scratch: Buffer = Buffer.alloc(0);

  return {
    decode(audio, partial) {
      const isText = typeof audio === 'string';
      const needed = 1 + (isText ? Math.ceil((audio.length * 3) / 4) : audio.length);
      if (scratch.length < needed) scratch = Buffer.allocUnsafe(needed * 2);
      const from = partial.byte === null ? 1 : 0;
      if (partial.byte !== null) scratch[0] = partial.byte;
      let end = 1;
      if (isText) end += scratch.write(audio, 1, 'base64');
      else {
        scratch.set(audio, 1);
        end += audio.length;
      }
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
