/**
 * Audio that encodes its context and position. The signs of full-scale μ-law samples carry the bits, so that ducked or mixed
 * audio can still be decoded. A millisecond has 8 samples, thus 8 bits: two are the index within a group of four milliseconds,
 * six the value: the context, then the position in three parts.
 */

const SAMPLES_PER_MS = 8;
const PLUS = 0x80;
const MINUS = 0x00;
/** Digital silence is all positive; no position is large enough to look like it. */
const PADDING = 0xff;

export function encodeTestAudio(context: number, fromMs: number, lengthMs: number): Uint8Array {
  const bytes = new Uint8Array(lengthMs * SAMPLES_PER_MS);
  for (let index = 0; index < lengthMs; index++) {
    const ms = fromMs + index;
    const group = ms >> 2;
    const parts = [context & 63, group & 63, (group >> 6) & 63, (group >> 12) & 63];
    const bits = ((ms & 3) << 6) | parts[ms & 3]!;
    for (let bit = 0; bit < 8; bit++) bytes[index * SAMPLES_PER_MS + bit] = bits & (PLUS >> bit) ? PLUS : MINUS;
  }
  return bytes;
}

export interface DecodedTestAudio {
  context: number;
  fromMs: number;
  lengthMs: number;
}

/** Decodes a frame; null for silence. `before` is needed for a last frame of a few milliseconds. */
export function decodeTestAudio(
  frame: Uint8Array,
  before: { context: number; toMs: number } | undefined,
): DecodedTestAudio | null {
  const cells: number[] = [];
  for (let at = 0; at + SAMPLES_PER_MS <= frame.length; at += SAMPLES_PER_MS) {
    let bits = 0;
    for (let bit = 0; bit < 8; bit++) if (frame[at + bit]! & PLUS) bits |= PLUS >> bit;
    if (bits === PADDING) break;
    cells.push(bits);
  }
  if (cells.length === 0) return null;
  const start = (4 - (cells[0]! >> 6)) & 3;
  if (cells.length < start + 4) {
    return before ? { context: before.context, fromMs: before.toMs, lengthMs: cells.length } : null;
  }
  const [context, low, middle, high] = cells.slice(start, start + 4).map((bits) => bits & 63);
  const group = low! | (middle! << 6) | (high! << 12);
  return { context: context!, fromMs: group * 4 - start, lengthMs: cells.length };
}

/** Whether the end of the frame is ducked. */
export function isDucked(frame: Uint8Array): boolean {
  // μ-law is inverted: full scale has no bits but the sign.
  return ((frame.findLast((sample) => sample !== PADDING) ?? 0) & ~PLUS) !== 0;
}
