import { crc32 } from 'node:zlib';
import { PNG_SIGNATURE } from './image-type.ts';

/** Reads the chunks of a PNG file (W3C PNG, third edition, sections 5 and 11). */

/** What a pixel is made of, as PNG numbers it. */
export const GRAY = 0;
export const RGB = 2;
export const PALETTE = 3;
export const GRAY_ALPHA = 4;
export const RGB_ALPHA = 6;

const SAMPLES: Record<number, number> = { [GRAY]: 1, [RGB]: 3, [PALETTE]: 1, [GRAY_ALPHA]: 2, [RGB_ALPHA]: 4 };
const DEPTHS: Record<number, number[]> = {
  [GRAY]: [1, 2, 4, 8, 16],
  [RGB]: [8, 16],
  [PALETTE]: [1, 2, 4, 8],
  [GRAY_ALPHA]: [8, 16],
  [RGB_ALPHA]: [8, 16],
};
const MAX_SIDE = 65_535;

export interface PngFile {
  width: number;
  height: number;
  bit_depth: number;
  color_type: number;
  /** Values of one pixel. */
  samples: number;
  interlaced: boolean;
  /** Three bytes per colour; empty when the picture has none. */
  palette: Buffer;
  /** The chunk `tRNS`: alpha per colour of the palette, or the one colour that is not there. */
  transparency: Buffer | null;
  /** The pixels: one stream of zlib. */
  data: Buffer;
}

/** Null when it is no PNG file that holds together. */
export function readPng(file: Buffer): PngFile | null {
  if (!file.subarray(0, 8).equals(PNG_SIGNATURE)) return null;
  let header: Omit<PngFile, 'palette' | 'transparency' | 'data'> | null = null;
  let palette = Buffer.alloc(0);
  let transparency: Buffer | null = null;
  const parts: Buffer[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > file.length) return null;
    const type = file.subarray(at + 4, at + 8).toString('latin1');
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) return null;
    const content = file.subarray(at + 8, end - 4);
    at = end;
    if (type === 'IHDR') {
      header = readHeader(content);
      if (!header) return null;
    } else if (!header) return null;
    else if (type === 'PLTE') palette = Buffer.from(content);
    else if (type === 'tRNS') transparency = content;
    else if (type === 'IDAT') parts.push(content);
    else if (type === 'IEND') {
      const colors = palette.length / 3;
      const paletteFits = Number.isInteger(colors) && colors >= 1 && colors <= 256;
      if (parts.length === 0 || (header.color_type === PALETTE && !paletteFits)) return null;
      return { ...header, palette, transparency, data: Buffer.concat(parts) };
    }
  }
  return null;
}

function readHeader(content: Buffer): Omit<PngFile, 'palette' | 'transparency' | 'data'> | null {
  if (content.length !== 13) return null;
  const width = content.readUInt32BE(0);
  const height = content.readUInt32BE(4);
  const [bit_depth, color_type, compression, filter, interlace] = content.subarray(8);
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE) return null;
  if (!DEPTHS[color_type!]?.includes(bit_depth!) || compression !== 0 || filter !== 0 || interlace! > 1) return null;
  const samples = SAMPLES[color_type!]!;
  return { width, height, bit_depth: bit_depth!, color_type: color_type!, samples, interlaced: interlace === 1 };
}

/** Where the pixels of one pass of the file lie in the picture. */
export interface Pass {
  x: number;
  y: number;
  step_x: number;
  step_y: number;
  columns: number;
  rows: number;
  /** Of one row, without the byte that names its filter. */
  row_bytes: number;
}

const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** One pass, or the up to seven of an interlaced picture. */
export function passesOf(png: PngFile): Pass[] {
  const pattern = png.interlaced ? ADAM7 : ([[0, 0, 1, 1]] as const);
  return pattern
    .map(([x, y, step_x, step_y]) => {
      const columns = Math.max(0, Math.ceil((png.width - x) / step_x));
      const rows = Math.max(0, Math.ceil((png.height - y) / step_y));
      return { x, y, step_x, step_y, columns, rows, row_bytes: Math.ceil((columns * png.samples * png.bit_depth) / 8) };
    })
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
}

/** How long the pixels are once they are inflated. */
export function inflatedBytes(png: PngFile): number {
  return passesOf(png).reduce((sum, pass) => sum + pass.rows * (pass.row_bytes + 1), 0);
}
