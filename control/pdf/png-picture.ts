import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import type { PdfImage } from './image-type.ts';
import { GRAY_ALPHA, inflatedBytes, PALETTE, type PngFile, RGB, RGB_ALPHA, readPng } from './png-file.ts';
import { repaintInThread } from './repaint-in-thread.ts';
import { MAX_REPAINTED_PIXELS } from './repaint-png.ts';

/** What a picture may hold: 10 MB of a hostile file could inflate to 10 GB. */
const MAX_INFLATED_BYTES = 400 * 1024 * 1024;

/**
 * A PNG file as a PDF can hold it. PDF knows PNG's compression and its row filters (ISO 32000-1, 7.4.4.4), so most files go
 * in as they are; those with transparency or interlacing, which it does not know, are painted anew on white.
 *
 * @returns null when the file does not hold together, `too large` when it has too many pixels, `busy` when too many wait to be
 *   painted.
 */
export async function pngPicture(file: Buffer): Promise<PdfImage | 'too large' | 'busy' | null> {
  const png = readPng(file);
  if (!png) return null;
  if (inflatedBytes(png) > MAX_INFLATED_BYTES) return 'too large';
  const transparent = png.transparency !== null || png.color_type === GRAY_ALPHA || png.color_type === RGB_ALPHA;
  if (transparent || png.interlaced) {
    return png.width * png.height > MAX_REPAINTED_PIXELS ? 'too large' : repaintInThread(file);
  }
  return (await isWhole(png)) ? asItIs(png) : null;
}

function asItIs(png: PngFile): PdfImage {
  const { width, height, bit_depth, color_type, samples, palette, data } = png;
  const colors = palette.length / 3;
  const indexed = `[/Indexed /DeviceRGB ${colors - 1} <${palette.toString('hex')}>]`;
  const parameters = `/Predictor 15 /Colors ${samples} /BitsPerComponent ${bit_depth} /Columns ${width}`;
  return {
    width,
    height,
    color_space: color_type === PALETTE ? indexed : color_type === RGB ? '/DeviceRGB' : '/DeviceGray',
    bits_per_component: bit_depth,
    filter: '/FlateDecode',
    entries: `/DecodeParms << ${parameters} >>`,
    data,
    orientation: 1,
  };
}

/** Inflates the pixels without keeping them: exactly as many as the picture has, no more and no fewer. */
async function isWhole(png: PngFile): Promise<boolean> {
  const expected = inflatedBytes(png);
  let seen = 0;
  const count = new Writable({
    write(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      done(seen > expected ? new RangeError('more pixels than the picture has') : null);
    },
  });
  const read = await pipeline(Readable.from([png.data]), createInflate({ chunkSize: 256 * 1024 }), count).then(
    () => true,
    () => false,
  );
  return read && seen === expected;
}
