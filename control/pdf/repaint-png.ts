import { deflateSync, inflateSync } from 'node:zlib';
import type { PdfImage } from './image-type.ts';
import { GRAY, GRAY_ALPHA, inflatedBytes, PALETTE, type Pass, type PngFile, passesOf } from './png-file.ts';

/**
 * Decodes a PNG picture with transparency or interlacing and paints it on white, in eight bits of red, green and blue. It takes
 * up to seconds: `repaint-in-thread.ts` runs it where it holds up nobody.
 */

/** An A4 page of 400 dots per inch has 15.5 million. Memory while one is painted: 11 bytes per pixel at most. */
export const MAX_REPAINTED_PIXELS = 20_000_000;

const PAETH = 4;
const RGB_BYTES = 3;

/** Null when the pixels cannot be read. */
export function repaint(png: PngFile): PdfImage | null {
  const { width, height } = png;
  const expected = inflatedBytes(png);
  const raw = inflated(png.data, expected);
  if (raw?.length !== expected) return null;
  const canvas = Buffer.alloc(width * height * 3);
  const color = colorReader(png);
  const bytesPerPixel = Math.max(1, (png.samples * png.bit_depth) >> 3);
  let from = 0;
  for (const pass of passesOf(png)) {
    let above: Buffer = Buffer.alloc(pass.row_bytes);
    for (let row = 0; row < pass.rows; row++) {
      const line = raw.subarray(from + 1, from + 1 + pass.row_bytes);
      if (!unfilter(raw[from]!, line, above, bytesPerPixel)) return null;
      paintRow(canvas, width, pass, row, line, color);
      above = line;
      from += pass.row_bytes + 1;
    }
  }
  return {
    width,
    height,
    color_space: '/DeviceRGB',
    bits_per_component: 8,
    filter: '/FlateDecode',
    entries: `/DecodeParms << /Predictor 15 /Colors 3 /BitsPerComponent 8 /Columns ${width} >>`,
    data: deflateSync(filteredRows(canvas, width, height)),
    orientation: 1,
  };
}

function inflated(data: Buffer, maxOutputLength: number): Buffer | null {
  try {
    return inflateSync(data, { maxOutputLength });
  } catch {
    return null;
  }
}

/** Undoes a row's filter in place (PNG, section 9). False for a filter that does not exist. */
function unfilter(filter: number, line: Buffer, above: Buffer, bytesPerPixel: number): boolean {
  if (filter > PAETH) return false;
  if (filter === 0) return true;
  for (let i = 0; i < line.length; i++) {
    const left = i < bytesPerPixel ? 0 : line[i - bytesPerPixel]!;
    const up = above[i]!;
    let guess = left;
    if (filter === 2) guess = up;
    else if (filter === 3) guess = (left + up) >> 1;
    else if (filter === PAETH) guess = paeth(left, up, i < bytesPerPixel ? 0 : above[i - bytesPerPixel]!);
    line[i] = line[i]! + guess;
  }
  return true;
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const toLeft = Math.abs(estimate - left);
  const toUp = Math.abs(estimate - up);
  const toCorner = Math.abs(estimate - corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

/** Red, green, blue and alpha of the pixel in a row, each 0 to 255, into `out`. */
type ColorReader = (line: Buffer, column: number, out: Uint8Array) => void;

function colorReader(png: PngFile): ColorReader {
  const { color_type, bit_depth, samples, palette, transparency } = png;
  const max = 2 ** bit_depth - 1;
  const sample = (line: Buffer, index: number): number => {
    if (bit_depth === 8) return line[index]!;
    if (bit_depth === 16) return line.readUInt16BE(index * 2);
    const bit = index * bit_depth;
    return (line[bit >> 3]! >> (8 - bit_depth - (bit & 7))) & max;
  };
  const toByte = (value: number) => (bit_depth === 8 ? value : Math.round((value * 255) / max));
  if (color_type === PALETTE) {
    const colors = palette.length / 3;
    return (line, column, out) => {
      // A colour the palette does not have is an error of the file; black, as readers show it.
      const index = sample(line, column);
      for (let i = 0; i < 3; i++) out[i] = index < colors ? palette[index * 3 + i]! : 0;
      out[3] = transparency?.[index] ?? 255;
    };
  }
  const hasAlpha = samples === 2 || samples === 4;
  const isGray = color_type === GRAY || color_type === GRAY_ALPHA;
  const colorSamples = isGray ? 1 : 3;
  // `tRNS` names the one colour that is not there, two bytes for each value.
  const absent =
    !hasAlpha && transparency && transparency.length >= colorSamples * 2
      ? Array.from({ length: colorSamples }, (_, i) => transparency.readUInt16BE(i * 2))
      : null;
  return (line, column, out) => {
    const first = column * samples;
    let isAbsent = absent !== null;
    for (let i = 0; i < 3; i++) {
      const of = isGray ? 0 : i;
      const value = sample(line, first + of);
      out[i] = toByte(value);
      if (absent && value !== absent[of]) isAbsent = false;
    }
    out[3] = hasAlpha ? toByte(sample(line, first + colorSamples)) : isAbsent ? 0 : 255;
  };
}

const pixel = new Uint8Array(4);

function paintRow(canvas: Buffer, width: number, pass: Pass, row: number, line: Buffer, color: ColorReader): void {
  const y = pass.y + row * pass.step_y;
  for (let column = 0; column < pass.columns; column++) {
    color(line, column, pixel);
    const at = (y * width + pass.x + column * pass.step_x) * 3;
    const alpha = pixel[3]!;
    for (let i = 0; i < 3; i++) {
      canvas[at + i] = alpha === 255 ? pixel[i]! : Math.round((pixel[i]! * alpha + 255 * (255 - alpha)) / 255);
    }
  }
}

/** Rows with PNG's filter Paeth, which compresses photographs and screens alike to about what they came with. */
function filteredRows(canvas: Buffer, width: number, height: number): Buffer {
  const rowBytes = width * RGB_BYTES;
  const rows = Buffer.alloc(height * (rowBytes + 1));
  for (let y = 0; y < height; y++) {
    const to = y * (rowBytes + 1);
    rows[to] = PAETH;
    const from = y * rowBytes;
    for (let i = 0; i < rowBytes; i++) {
      const left = i < RGB_BYTES ? 0 : canvas[from + i - RGB_BYTES]!;
      const up = y === 0 ? 0 : canvas[from + i - rowBytes]!;
      const corner = y === 0 || i < RGB_BYTES ? 0 : canvas[from + i - rowBytes - RGB_BYTES]!;
      rows[to + 1 + i] = canvas[from + i]! - paeth(left, up, corner);
    }
  }
  return rows;
}
