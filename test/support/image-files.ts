import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** Describes a PNG file with known pixels. */

export interface PngPlan {
  width: number;
  height: number;
  /** 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha. */
  color_type: 0 | 2 | 3 | 4 | 6;
  bit_depth?: 1 | 2 | 4 | 8 | 16;
  interlaced?: boolean;
  /** The values of a pixel, in the range of the bit depth. */
  at(x: number, y: number): number[];
  palette?: number[];
  transparency?: Buffer;
  /** Filter type of a row; default 0. */
  filter?(row: number): 0 | 1 | 2 | 3 | 4;
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

export function pngFile(plan: PngPlan): Buffer {
  const { width, height, color_type, bit_depth = 8, interlaced = false, palette, transparency } = plan;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bit_depth, color_type, 0, 0, interlaced ? 1 : 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    ...(palette ? [pngChunk('PLTE', Buffer.from(palette))] : []),
    ...(transparency ? [pngChunk('tRNS', transparency)] : []),
    pngChunk('IDAT', deflateSync(rowsOf(plan))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function rowsOf({ width, height, bit_depth = 8, interlaced, at, filter = () => 0 }: PngPlan): Buffer {
  const rows: Buffer[] = [];
  let count = 0;
  for (const [left, top, stepX, stepY] of interlaced ? ADAM7 : ([[0, 0, 1, 1]] as const)) {
    let above: Buffer | null = null;
    for (let y = top; y < height && left < width; y += stepY) {
      const values: number[] = [];
      let samples = 1;
      for (let x = left; x < width; x += stepX) {
        const pixel = at(x, y);
        samples = pixel.length;
        values.push(...pixel);
      }
      const line = packed(values, bit_depth);
      const bytesPerPixel = Math.max(1, (samples * bit_depth) >> 3);
      const kind = filter(count++);
      rows.push(Buffer.from([kind]), filtered(kind, line, above ?? Buffer.alloc(line.length), bytesPerPixel));
      above = line;
    }
  }
  return Buffer.concat(rows);
}

function packed(values: number[], depth: number): Buffer {
  const line = Buffer.alloc(Math.ceil((values.length * depth) / 8));
  values.forEach((value, i) => {
    if (depth === 16) line.writeUInt16BE(value, i * 2);
    else line[(i * depth) >> 3]! |= value << (8 - depth - ((i * depth) & 7));
  });
  return line;
}

function filtered(kind: number, line: Buffer, above: Buffer, bytesPerPixel: number): Buffer {
  return Buffer.from(
    line.map((value, i) => {
      const left = line[i - bytesPerPixel] ?? 0;
      const up = above[i]!;
      const corner = i < bytesPerPixel ? 0 : above[i - bytesPerPixel]!;
      if (kind === 1) return value - left;
      if (kind === 2) return value - up;
      if (kind === 3) return value - ((left + up) >> 1);
      if (kind !== 4) return value;
      const [toLeft, toUp, toCorner] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs);
      if (toLeft! <= toUp! && toLeft! <= toCorner!) return value - left;
      return value - (toUp! <= toCorner! ? up : corner);
    }),
  );
}

const RED = { create: { width: 40, height: 30, channels: 3, background: 'red' } } as const;
const JPEG = await sharp(RED).jpeg().toBuffer();

/** 40 × 30 pixels of red. */
export const jpegFile = (): Buffer => JPEG;

/** A minimal PDF file. */
export const SMALL_PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [] /Count 0 >> endobj\n' +
    'trailer << /Root 1 0 R /Size 3 >>\n%%EOF\n',
);
