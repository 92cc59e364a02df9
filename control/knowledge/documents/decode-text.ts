/**
 * Decodes a text whose encoding is not known: by its byte-order mark, else as UTF-16 where every other byte is zero, else as
 * what it declares, else as UTF-8, else as windows-1252, which every byte sequence is valid in.
 *
 * @param declared the charset that a header or the document names; ignored when the bytes are not valid in it
 */
export function decodeText(bytes: Uint8Array, declared = ''): string {
  const marked = byteOrderMarkOf(bytes);
  if (marked) return new TextDecoder(marked).decode(bytes);
  const wide = zeroBytesEncodingOf(bytes);
  if (wide) return new TextDecoder(wide).decode(bytes);
  return (
    decodeStrictly(bytes, 'utf-8') ?? decodeStrictly(bytes, declared) ?? new TextDecoder('windows-1252').decode(bytes)
  );
}

/** Null for an unknown charset, or bytes that are not valid in it. A character that is cut off at the end is left out. */
function decodeStrictly(bytes: Uint8Array, charset: string): string | null {
  if (charset === '') return null;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

function byteOrderMarkOf([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
}

const SAMPLE_BYTES = 2_048;

/** UTF-16 without a byte-order mark: in a Latin text one byte of each pair is zero. */
function zeroBytesEncodingOf(bytes: Uint8Array): string | null {
  const pairs = Math.floor(Math.min(bytes.length, SAMPLE_BYTES) / 2);
  if (pairs < 2) return null;
  let [even, odd] = [0, 0];
  for (let pair = 0; pair < pairs; pair++) {
    if (bytes[pair * 2] === 0) even++;
    if (bytes[pair * 2 + 1] === 0) odd++;
  }
  if (odd > pairs * 0.7 && even < pairs * 0.1) return 'utf-16le';
  return even > pairs * 0.7 && odd < pairs * 0.1 ? 'utf-16be' : null;
}
