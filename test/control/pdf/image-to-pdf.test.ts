import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { imageToPdf, isPdf } from '../../../control/pdf/image-to-pdf.ts';
import { jpegFile, type PngPlan, pngChunk, pngFile, SMALL_PDF } from '../../support/image-files.ts';

interface Page {
  pdf: Buffer;
  image: string;
  data: Buffer;
  box: number[];
  placing: number[];
}

/** Reads the file back through its own table, as a reader does. */
async function page(file: Buffer): Promise<Page> {
  const wrapped = await imageToPdf(file);
  if (typeof wrapped === 'string') throw new Error(wrapped);
  const { pdf } = wrapped;
  const text = pdf.toString('latin1');
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)![1]);
  const offsets = [...text.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map((match) => Number(match[1]));
  expect(text.slice(start).startsWith('xref\n0 6\n')).toBe(true);
  const objects = offsets.map((offset, i) => {
    expect(text.slice(offset).startsWith(`${i + 1} 0 obj\n`)).toBe(true);
    return { offset, head: text.slice(offset, text.indexOf('>>\nstream\n', offset)) };
  });
  const streamOf = (index: number) => {
    const { offset, head } = objects[index]!;
    const from = text.indexOf('stream\n', offset) + 7;
    const length = Number(/\/Length (\d+)/.exec(head)![1]);
    expect(text.slice(from + length).startsWith('\nendstream\nendobj\n')).toBe(true);
    return pdf.subarray(from, from + length);
  };
  const box = /\/MediaBox \[([^\]]+)\]/.exec(text.slice(objects[2]!.offset))![1]!.split(' ').map(Number);
  const placing = /^q (.*) cm \/Picture Do Q$/.exec(streamOf(4).toString())![1]!.split(' ').map(Number);
  return { pdf, image: objects[3]!.head, data: streamOf(3), box, placing };
}

/** The rows of a picture that was painted anew: filter Paeth, eight bits of RGB. */
function pixels({ data }: Page, width: number, height: number): number[][] {
  const raw = inflateSync(data);
  const rowBytes = width * 3;
  expect(raw.length).toBe(height * (rowBytes + 1));
  const canvas = Buffer.alloc(height * rowBytes);
  const before = (y: number, i: number) => (y < 0 || i < 0 ? 0 : canvas[y * rowBytes + i]!);
  for (let y = 0; y < height; y++) {
    expect(raw[y * (rowBytes + 1)]).toBe(4);
    for (let i = 0; i < rowBytes; i++) {
      const [left, up, corner] = [before(y, i - 3), before(y - 1, i), before(y - 1, i - 3)];
      const distance = (value: number) => Math.abs(left + up - corner - value);
      const guess = [left, up, corner].reduce((best, each) => (distance(each) < distance(best) ? each : best));
      canvas[y * rowBytes + i] = raw[y * (rowBytes + 1) + 1 + i]! + guess;
    }
  }
  return Array.from({ length: width * height }, (_, i) => [...canvas.subarray(i * 3, i * 3 + 3)]);
}

const onWhite = (value: number, alpha: number) => Math.round((value * alpha + 255 * (255 - alpha)) / 255);

describe('a PNG file', () => {
  const plan: PngPlan = { width: 5, height: 3, color_type: 2, at: (x, y) => [x * 40, y * 90, 7] };

  it('goes in as it is when PDF knows its pixels', async () => {
    const file = pngFile(plan);
    const made = await page(file);
    expect(made.image).toContain('/Width 5 /Height 3 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode');
    expect(made.image).toContain('/DecodeParms << /Predictor 15 /Colors 3 /BitsPerComponent 8 /Columns 5 >>');
    expect(file.includes(made.data)).toBe(true);
    // As wide as an A4 page that lies.
    expect(made.box).toEqual([0, 0, 842, 505.2]);
    expect(made.placing).toEqual([842, 0, 0, 505.2, 0, 0]);
  });

  it.each([1, 2, 4, 8, 16] as const)('of grey with %i bits goes in as it is', async (bit_depth) => {
    const made = await page(pngFile({ width: 9, height: 20, color_type: 0, bit_depth, at: (x, y) => [(x + y) % 2] }));
    expect(made.image).toContain(`/ColorSpace /DeviceGray /BitsPerComponent ${bit_depth} `);
    expect(made.image).toContain(`/Colors 1 /BitsPerComponent ${bit_depth} /Columns 9 `);
    expect(made.box).toEqual([0, 0, 378.9, 842]);
  });

  it('with a palette keeps it', async () => {
    const palette = [255, 0, 0, 0, 128, 255];
    const made = await page(pngFile({ width: 4, height: 4, color_type: 3, bit_depth: 1, at: (x) => [x % 2], palette }));
    expect(made.image).toContain('/ColorSpace [/Indexed /DeviceRGB 1 <ff00000080ff>] /BitsPerComponent 1');
  });

  const colored = (x: number, y: number) => [(x * 37) % 256, (y * 53) % 256, (x * y) % 256];
  const filter = (row: number) => (row % 5) as 0 | 1 | 2 | 3 | 4;

  it('with alpha is painted on white, whatever filters its rows have', async () => {
    const at = (x: number, y: number) => [...colored(x, y), (x * 60) % 256];
    const made = await page(pngFile({ width: 7, height: 11, color_type: 6, at, filter }));
    const wanted = Array.from({ length: 77 }, (_, i) => {
      const [r, g, b, alpha] = at(i % 7, Math.floor(i / 7)) as [number, number, number, number];
      return [r, g, b].map((value) => onWhite(value, alpha));
    });
    expect(pixels(made, 7, 11)).toEqual(wanted);
  });

  it('with grey and alpha in 16 bits is painted on white', async () => {
    const at = (x: number) => [x * 8_000, x % 2 ? 65_535 : 0];
    const made = await page(pngFile({ width: 6, height: 2, color_type: 4, bit_depth: 16, at, filter }));
    const grey = (x: number) => (x % 2 ? Math.round((x * 8_000 * 255) / 65_535) : 255);
    expect(pixels(made, 6, 2)).toEqual(Array.from({ length: 12 }, (_, i) => Array(3).fill(grey(i % 6))));
  });

  it.each([
    [13, 9],
    [1, 1],
    [3, 2],
    [8, 8],
  ])('of %i × %i with interlacing is put in order', async (width, height) => {
    const made = await page(pngFile({ width, height, color_type: 2, at: colored, interlaced: true, filter }));
    const wanted = Array.from({ length: width * height }, (_, i) => colored(i % width, Math.floor(i / width)));
    expect(pixels(made, width, height)).toEqual(wanted);
  });

  it('with colours that are not there shows white for them', async () => {
    const palette = [10, 20, 30, 40, 50, 60];
    const transparency = Buffer.from([0]);
    const two = { width: 2, height: 1, at: (x: number) => [x] };
    const made = await page(pngFile({ ...two, color_type: 3, bit_depth: 4, palette, transparency, interlaced: true }));
    expect(pixels(made, 2, 1)).toEqual([
      [255, 255, 255],
      [40, 50, 60],
    ]);
    const absent = Buffer.from([0, 1]);
    const grey = await page(pngFile({ ...two, color_type: 0, bit_depth: 2, transparency: absent }));
    expect(pixels(grey, 2, 1)).toEqual([
      [0, 0, 0],
      [255, 255, 255],
    ]);
  });

  it('that does not hold together is refused', async () => {
    const whole = pngFile({ ...plan, color_type: 6, at: () => [1, 2, 3, 4] });
    const plain = pngFile(plan);
    const damaged = Buffer.from(plain);
    damaged[plain.indexOf('IDAT') + 6]! ^= 0xff;
    const tooShort = pngFile({ ...plan, height: 1 });
    tooShort.writeUInt32BE(3, 20);
    const header = tooShort.subarray(16, 29);
    const claimsMore = Buffer.concat([tooShort.subarray(0, 8), pngChunk('IHDR', header), tooShort.subarray(33)]);
    const noPalette = pngFile({ ...plan, color_type: 3, at: () => [0] });
    const bad = [whole.subarray(0, 60), plain.subarray(0, 8), damaged, claimsMore, noPalette, Buffer.from('hello')];
    for (const file of bad) expect(await imageToPdf(file)).toBe('unreadable');
    for (let end = 8; end < whole.length; end++) expect(await imageToPdf(whole.subarray(0, end))).toBe('unreadable');
  });

  it('of more pixels than can be painted is refused before it is opened', async () => {
    const header = (color_type: number, interlaced: number) => {
      const content = Buffer.alloc(13);
      content.writeUInt32BE(60_000, 0);
      content.writeUInt32BE(60_000, 4);
      content.set([8, color_type, 0, 0, interlaced], 8);
      const small = pngFile(plan);
      return Buffer.concat([small.subarray(0, 8), pngChunk('IHDR', content), small.subarray(33)]);
    };
    expect(await imageToPdf(header(2, 0))).toBe('too large');
    expect(await imageToPdf(header(6, 0))).toBe('too large');
    expect(await imageToPdf(header(0, 1))).toBe('too large');
  });
});

describe('a JPEG file', () => {
  it('goes in as it is', async () => {
    const file = jpegFile({ width: 40, height: 30 });
    const made = await page(file);
    expect(made.image).toContain('/Width 40 /Height 30 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode');
    expect(made.data.equals(file)).toBe(true);
    expect((await page(jpegFile({ components: 1 }))).image).toContain('/DeviceGray');
  });

  it('of four colours by Adobe is inverted', async () => {
    expect((await page(jpegFile({ components: 4, adobe: true }))).image).toContain('/Decode [1 0 1 0 1 0 1 0]');
    expect((await page(jpegFile({ components: 4 }))).image).not.toContain('/Decode');
  });

  /** Where the first pixel of the file lands on the page, seen from its top left corner. */
  it.each([
    [1, 'top left', false],
    [2, 'top right', false],
    [3, 'bottom right', false],
    [4, 'bottom left', false],
    [5, 'top left', true],
    [6, 'top right', true],
    [7, 'bottom right', true],
    [8, 'bottom left', true],
  ])('with orientation %i begins at the %s', async (orientation, corner, turned) => {
    const { box, placing } = await page(jpegFile({ width: 40, height: 30, orientation }));
    const [, , width, height] = box as [number, number, number, number];
    expect(width > height).toBe(!turned);
    const [a, b, c, d, e, f] = placing as [number, number, number, number, number, number];
    // The picture's own top left is (0, 1) of its unit square; its second corner, top right, is (1, 1).
    const at = (x: number, y: number) => [a * x + c * y + e, b * x + d * y + f] as const;
    const words = ([x, y]: readonly [number, number]) =>
      `${y > height / 2 ? 'top' : 'bottom'} ${x > width / 2 ? 'right' : 'left'}`;
    expect(words(at(0, 1))).toBe(corner);
    const [dx, dy] = [at(1, 1)[0] - at(0, 1)[0], at(1, 1)[1] - at(0, 1)[1]];
    expect([Math.abs(dx), Math.abs(dy)]).toEqual(turned ? [0, height] : [width, 0]);
    const corners = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
    expect(new Set(corners.map(String)).size).toBe(4);
    for (const [x, y] of corners) expect([0, width].includes(x) && [0, height].includes(y)).toBe(true);
  });

  it('that is cut short, or of a kind PDF does not know, is refused', async () => {
    const whole = jpegFile({ orientation: 6, adobe: true });
    const scan = whole.indexOf(Buffer.from([0xff, 0xda])) + 4;
    for (let end = 2; end <= scan; end++) expect(await imageToPdf(whole.subarray(0, end))).toBe('unreadable');
    const lossless = jpegFile();
    lossless[3] = 0xc3;
    expect(await imageToPdf(lossless)).toBe('unreadable');
    expect(await imageToPdf(jpegFile({ width: 0 }))).toBe('unreadable');
    expect(await imageToPdf(jpegFile({ components: 2 }))).toBe('unreadable');
  });
});

describe('a PDF', () => {
  it('is known by how it begins', () => {
    expect(isPdf(SMALL_PDF)).toBe(true);
    expect(isPdf(Buffer.from('\ufeff\n%PDF-2.0\n'))).toBe(true);
    expect(isPdf(Buffer.from('<html>%PDF-1.4'))).toBe(false);
    expect(isPdf(Buffer.alloc(0))).toBe(false);
  });
});
