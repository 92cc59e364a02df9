import { deferredImport } from '../../shared/deferred-import.ts';

export type ImageType = 'image/png' | 'image/jpeg';

/** `busy`: too many images wait to be converted; a later try may succeed. */
export type ConvertedImage = { pdf: Buffer } | 'too large' | 'unreadable' | 'busy';

/** An A4 page of 600 dots per inch has 34.8 million. A decoded image takes up to 4 bytes of memory for each. */
const MAX_PIXELS = 40_000_000;
/** With the one that is being converted: each takes up to seconds, and its file lies in memory meanwhile. */
const MAX_QUEUED = 6;
/** A4 in points of 1/72 inch. */
const SHORT_SIDE = 595;
const LONG_SIDE = 842;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const pdfkit = deferredImport(() => import('pdfkit'));
const imageLibrary = deferredImport(async () => {
  const { default: sharp } = await import('sharp');
  // Other requests need the cores too.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
});

/** Returns the type of an image by what the file begins with. */
export function imageType(file: Buffer): ImageType | null {
  if (file.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return 'image/png';
  if (file[0] === 0xff && file[1] === 0xd8 && file[2] === 0xff) return 'image/jpeg';
  return null;
}

/** Whether the file begins as a PDF does (ISO 32000-1, 7.5.2); some programs put white space or a byte order mark before it. */
export const isPdf = (file: Buffer): boolean =>
  /^(?:\xef\xbb\xbf)?\s{0,16}%PDF-[12]\.\d/.test(file.subarray(0, 64).toString('latin1'));

/** Decodes the whole PNG or JPEG file; false when it is damaged, or has too many pixels. */
export async function isReadableImage(file: Buffer): Promise<boolean> {
  if (imageType(file) === null) return false;
  const sharp = await imageLibrary();
  const decoded = sharp(file, { limitInputPixels: MAX_PIXELS }).resize(1, 1).toBuffer();
  return decoded.then(
    () => true,
    () => false,
  );
}

/** Puts a PNG or JPEG file on a PDF page of its own, as large as fits on A4, upright or lying as the image is. */
export const imageToPdf: (file: Buffer) => Promise<ConvertedImage> = oneAtATime(convert, MAX_QUEUED);

async function convert(file: Buffer): Promise<ConvertedImage> {
  const type = imageType(file);
  if (type === null) return 'unreadable';
  const sharp = await imageLibrary();
  try {
    const { width, height } = await sharp(file, { limitInputPixels: false }).metadata();
    if (width * height > MAX_PIXELS) return 'too large';
    // PDF knows neither Exif's orientation nor transparency; every reader knows sRGB.
    const image = sharp(file).autoOrient().flatten({ background: 'white' }).toColourspace('srgb');
    const encoded = type === 'image/png' ? image.png() : image.jpeg({ quality: 92, chromaSubsampling: '4:4:4' });
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
    return { pdf: await pageOf(data, info.width, info.height) };
  } catch {
    return 'unreadable';
  }
}

async function pageOf(image: Buffer, across: number, down: number): Promise<Buffer> {
  const [maxWidth, maxHeight] = across > down ? [LONG_SIDE, SHORT_SIDE] : [SHORT_SIDE, LONG_SIDE];
  const scale = Math.min(maxWidth / across, maxHeight / down);
  const [width, height] = [points(across * scale), points(down * scale)];
  const { default: PDFDocument } = await pdfkit();
  const document = new PDFDocument({ size: [width, height], margin: 0 });
  document.image(image, 0, 0, { width, height }).end();
  return Buffer.concat(await document.toArray());
}

const points = (value: number) => Math.max(1, Math.round(value * 100) / 100);

/** Runs one task after the other; returns `busy` at once while `max` are running or queued. Tasks must not reject. */
export function oneAtATime<Task, Result>(
  run: (task: Task) => Promise<Result>,
  max: number,
): (task: Task) => Promise<Result | 'busy'> {
  let last: Promise<unknown> = Promise.resolve();
  let queued = 0;
  return async (task) => {
    if (queued >= max) return 'busy';
    queued++;
    const mine = last.then(() => run(task));
    last = mine;
    try {
      return await mine;
    } finally {
      queued--;
    }
  };
}
