import { inflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { imageToPdf, isPdf, isReadableImage, oneAtATime } from '../../../control/pdf/image-to-pdf.ts';
import { jpegFile, type PngPlan, pngChunk, pngFile, SMALL_PDF } from '../../support/image-files.ts';

interface Page {
  /** Of the page, in points. */
  width: number;
  height: number;
  /** The matrix that maps the unit square of the image to the page, which is drawn from its top left corner. */
  placing: number[];
  /** The dictionary of the image, and its data. */
  image: string;
  data: Buffer;
}

async function page(file: Buffer): Promise<Page> {
  const converted = await imageToPdf(file);
  if (typeof converted === 'string') throw new Error(converted);
  const { pdf } = converted;
  expect(isPdf(pdf)).toBe(true);
  const text = pdf.toString('latin1');
  const streams = [
    ...text.matchAll(/<<\n((?:\/[^\n]*\n|<<\n|>>\n)*?\/Length (\d+)\n(?:\/[^\n]*\n|<<\n|>>\n)*?)>>\nstream\n/g),
  ];
  const bodyOf = ([head, , length]: RegExpExecArray | RegExpMatchArray, at: number) =>
    pdf.subarray(at + head.length, at + head.length + Number(length));
  const image = streams.find(([, entries]) => entries!.includes('/Subtype /Image'))!;
  const content = streams.find(([, entries]) => !entries!.includes('/Subtype /Image'))!;
  const drawing = inflateSync(bodyOf(content, content.index!)).toString();
  const placing = /([-\d. ]+) cm\n\/I1 Do/.exec(drawing)![1]!.trim().split(' ').map(Number);
  const [width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(text)!.slice(1).map(Number);
  return { width: width!, height: height!, placing, image: image[1]!, data: bodyOf(image, image.index!) };
}

/** The pixels of a PNG image on the page: rows without a filter, three samples of eight bits. */
function pixels({ data, image }: Page, width: number, height: number): number[][] {
  expect(image).toContain('/ColorSpace /DeviceRGB');
  const raw = inflateSync(data);
  const rowBytes = width * 3 + 1;
  expect(raw.length).toBe(height * rowBytes);
  return Array.from({ length: width * height }, (_, i) => {
    const row = Math.floor(i / width) * rowBytes;
    expect(raw[row]).toBe(0);
    const at = row + 1 + (i % width) * 3;
    return [...raw.subarray(at, at + 3)];
  });
}

const onWhite = (value: number, alpha: number) => (value * alpha + 255 * (255 - alpha)) / 255;

function expectClose(found: number[][], wanted: number[][]): void {
  expect(found.length).toBe(wanted.length);
  const distances = found.flatMap((pixel, i) => pixel.map((value, k) => Math.abs(value - wanted[i]![k]!)));
  expect(Math.max(...distances)).toBeLessThanOrEqual(1);
}

describe('a PNG file', () => {
  const plan: PngPlan = { width: 5, height: 3, color_type: 2, at: (x, y) => [x * 40, y * 90, 7] };
  const colored = (x: number, y: number) => [(x * 37) % 256, (y * 53) % 256, (x * y) % 256];
  const filter = (row: number) => (row % 5) as 0 | 1 | 2 | 3 | 4;

  it('keeps its pixels and fills an A4 page', async () => {
    const made = await page(pngFile(plan));
    expect([made.width, made.height]).toEqual([842, 505.2]);
    expect(made.placing).toEqual([842, 0, 0, -505.2, 0, 505.2]);
    expect(pixels(made, 5, 3)).toEqual(Array.from({ length: 15 }, (_, i) => plan.at(i % 5, Math.floor(i / 5))));
    const upright = await page(pngFile({ ...plan, width: 9, height: 20 }));
    expect([upright.width, upright.height]).toEqual([378.9, 842]);
  });

  it.each([1, 2, 4, 8, 16] as const)('of grey with %i bits keeps its pixels', async (bit_depth) => {
    const max = 2 ** bit_depth - 1;
    const made = await page(
      pngFile({ width: 9, height: 20, color_type: 0, bit_depth, at: (x, y) => [(x + y) % 2 ? max : 0] }),
    );
    const image = await sharp(pngOf(made, 9, 20))
      .toColourspace('srgb')
      .raw()
      .toBuffer();
    const step = image.length / 180;
    expect(Array.from({ length: 180 }, (_, i) => image[i * step])).toEqual(
      Array.from({ length: 180 }, (_, i) => (((i % 9) + Math.floor(i / 9)) % 2 ? 255 : 0)),
    );
  });

  it('with a palette keeps its colours', async () => {
    const palette = [255, 0, 0, 0, 128, 255];
    const made = await page(pngFile({ width: 4, height: 1, color_type: 3, bit_depth: 1, at: (x) => [x % 2], palette }));
    expect(pixels(made, 4, 1)).toEqual([0, 1, 0, 1].map((index) => palette.slice(index * 3, index * 3 + 3)));
  });

  it('with alpha is put on white, whatever filters its rows have', async () => {
    const at = (x: number, y: number) => [...colored(x, y), (x * 60) % 256];
    const made = await page(pngFile({ width: 7, height: 11, color_type: 6, at, filter }));
    const wanted = Array.from({ length: 77 }, (_, i) => {
      const [r, g, b, alpha] = at(i % 7, Math.floor(i / 7)) as [number, number, number, number];
      return [r, g, b].map((value) => onWhite(value, alpha));
    });
    expectClose(pixels(made, 7, 11), wanted);
  });

  it.each([
    [13, 9],
    [1, 1],
    [3, 2],
    [8, 8],
  ])('of %i × %i with interlacing keeps its pixels in order', async (width, height) => {
    const made = await page(pngFile({ width, height, color_type: 2, at: colored, interlaced: true, filter }));
    const wanted = Array.from({ length: width * height }, (_, i) => colored(i % width, Math.floor(i / width)));
    expect(pixels(made, width, height)).toEqual(wanted);
  });

  it('with a transparent colour shows white for it', async () => {
    const palette = [10, 20, 30, 40, 50, 60];
    const transparency = Buffer.from([0]);
    const two = { width: 2, height: 1, at: (x: number) => [x] };
    const made = await page(pngFile({ ...two, color_type: 3, bit_depth: 4, palette, transparency, interlaced: true }));
    expect(pixels(made, 2, 1)).toEqual([
      [255, 255, 255],
      [40, 50, 60],
    ]);
  });

  it('that is damaged is refused', async () => {
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
    for (const file of bad) {
      expect(await imageToPdf(file)).toBe('unreadable');
      expect(await isReadableImage(file)).toBe(false);
    }
    const data = whole.indexOf('IDAT') + 4;
    for (let end = 8; end < data + 4; end++) expect(await imageToPdf(whole.subarray(0, end))).toBe('unreadable');
  });

  it('with too many pixels is refused before it is decoded', async () => {
    const header = (color_type: number, interlaced: number) => {
      const content = Buffer.alloc(13);
      content.writeUInt32BE(60_000, 0);
      content.writeUInt32BE(60_000, 4);
      content.set([8, color_type, 0, 0, interlaced], 8);
      const small = pngFile(plan);
      return Buffer.concat([small.subarray(0, 8), pngChunk('IHDR', content), small.subarray(33)]);
    };
    for (const file of [header(2, 0), header(6, 0), header(0, 1)]) {
      expect(await imageToPdf(file)).toBe('too large');
      expect(await isReadableImage(file)).toBe(false);
    }
  });
});

describe('a JPEG file', () => {
  /** 40 × 30 pixels: red in the top left quarter, else blue. */
  const corner = sharp({ create: { width: 40, height: 30, channels: 3, background: 'blue' } }).composite([
    { input: { create: { width: 20, height: 15, channels: 3, background: 'red' } }, left: 0, top: 0 },
  ]);

  it('goes in as a JPEG', async () => {
    const made = await page(jpegFile());
    expect(made.image).toMatch(/\/Width 40\n\/Height 30\n\/ColorSpace \/DeviceRGB\n\/Filter \/DCTDecode/);
    const { data } = await sharp(made.data).raw().toBuffer({ resolveWithObject: true });
    expect(data[0]).toBeGreaterThan(250);
    expect(data[1]).toBeLessThan(5);
  });

  it('of four colours becomes RGB', async () => {
    const cmyk = await corner.clone().toColourspace('cmyk').jpeg().toBuffer();
    expect((await sharp(cmyk).metadata()).channels).toBe(4);
    expect((await page(cmyk)).image).toContain('/ColorSpace /DeviceRGB');
  });

  /** Where the first pixel of the file belongs, seen upright. */
  it.each([
    [1, 0, 0, false],
    [2, 1, 0, false],
    [3, 1, 1, false],
    [4, 0, 1, false],
    [5, 0, 0, true],
    [6, 1, 0, true],
    [7, 1, 1, true],
    [8, 0, 1, true],
  ])('with orientation %i is turned upright', async (orientation, right, bottom, turned) => {
    const file = await corner.clone().withMetadata({ orientation }).jpeg({ quality: 100 }).toBuffer();
    const made = await page(file);
    expect(made.width < made.height).toBe(turned);
    const { data, info } = await sharp(made.data).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual(turned ? [30, 40] : [40, 30]);
    const redAt = (x: number, y: number) => data[(y * info.width + x) * info.channels]! > 128;
    const corners = [0, 1].flatMap((y) => [0, 1].map((x) => [x, y] as const));
    const red = corners.filter(([x, y]) => redAt(x * (info.width - 1), y * (info.height - 1)));
    expect(red).toEqual([[right, bottom]]);
  });

  it('that is cut short is refused', async () => {
    const whole = jpegFile();
    const scan = whole.indexOf(Buffer.from([0xff, 0xda])) + 4;
    for (let end = 2; end <= scan; end += 7) expect(await imageToPdf(whole.subarray(0, end))).toBe('unreadable');
    expect(await isReadableImage(whole)).toBe(true);
    expect(await isReadableImage(whole.subarray(0, scan))).toBe(false);
  });
});

/** A PNG file again, of the image on the page. */
function pngOf({ data, image }: Page, width: number, height: number): Buffer {
  const depth = Number(/\/BitsPerComponent (\d+)/.exec(image)![1]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, image.includes('/DeviceGray') ? 0 : 2, 0, 0, 0], 8);
  return Buffer.concat([
    pngFile({ width: 1, height: 1, color_type: 0, at: () => [0] }).subarray(0, 8),
    ...[pngChunk('IHDR', header), pngChunk('IDAT', data), pngChunk('IEND', Buffer.alloc(0))],
  ]);
}

describe('a PDF', () => {
  it('is known by how it begins', () => {
    expect(isPdf(SMALL_PDF)).toBe(true);
    expect(isPdf(Buffer.from('\ufeff\n%PDF-2.0\n'))).toBe(true);
    expect(isPdf(Buffer.from('<html>%PDF-1.4'))).toBe(false);
    expect(isPdf(Buffer.alloc(0))).toBe(false);
  });
});

describe('the queue of conversions', () => {
  it('runs one at a time, in order, and refuses those beyond its length', async () => {
    const begun: string[] = [];
    const endings: (() => void)[] = [];
    const queue = oneAtATime((name: string) => {
      begun.push(name);
      return new Promise<string>((resolve) => endings.push(() => resolve(`${name} converted`)));
    }, 2);
    const first = queue('first');
    const second = queue('second');
    expect(await queue('third')).toBe('busy');
    await expect.poll(() => begun).toEqual(['first']);
    endings[0]!();
    expect(await first).toBe('first converted');
    const fourth = queue('fourth');
    expect(await queue('fifth')).toBe('busy');
    await expect.poll(() => begun).toEqual(['first', 'second']);
    endings[1]!();
    expect(await second).toBe('second converted');
    await expect.poll(() => endings.length).toBe(3);
    endings[2]!();
    expect(await fourth).toBe('fourth converted');
    expect(begun).toEqual(['first', 'second', 'fourth']);
  });

  it('refuses images beyond its length, and takes the next one after them', async () => {
    const image = pngFile({ width: 8, height: 8, color_type: 6, at: () => [1, 2, 3, 100] });
    const results = await Promise.all(Array.from({ length: 30 }, () => imageToPdf(image)));
    expect(results.filter((result) => typeof result === 'object')).toHaveLength(6);
    expect(results.filter((result) => result === 'busy')).toHaveLength(24);
    expect(await imageToPdf(image)).toHaveProperty('pdf');
  });
});
