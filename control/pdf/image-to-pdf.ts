import { imageType, type PdfImage } from './image-type.ts';
import { jpegPicture } from './jpeg-picture.ts';
import { pngPicture } from './png-picture.ts';

/** A4 in points of 1/72 inch; a picture is made as large as fits, lying or standing as it is. */
const SHORT_SIDE = 595;
const LONG_SIDE = 842;

/** `busy`: too many pictures wait to be painted anew; later it may work. */
export type ConvertedImage = { pdf: Buffer } | 'too large' | 'unreadable' | 'busy';

/** A PNG or JPEG file, judged by its content, as a PDF of one page that shows nothing but the picture. */
export async function imageToPdf(file: Buffer): Promise<ConvertedImage> {
  const type = imageType(file);
  const picture = type === 'image/png' ? await pngPicture(file) : type === 'image/jpeg' ? jpegPicture(file) : null;
  if (picture === null) return 'unreadable';
  return typeof picture === 'string' ? picture : { pdf: pageOf(picture) };
}

/** By content: a PDF begins with its name (ISO 32000-1, 7.5.2). Some programs put white space or a byte order mark before it. */
export function isPdf(file: Buffer): boolean {
  return /^(?:\xef\xbb\xbf)?\s{0,16}%PDF-[12]\.\d/.test(file.subarray(0, 64).toString('latin1'));
}

/** Writes the file: five objects, and the table of where each begins (ISO 32000-1, 7.5). */
function pageOf(picture: PdfImage): Buffer {
  const turned = picture.orientation >= 5;
  const [across, down] = turned ? [picture.height, picture.width] : [picture.width, picture.height];
  const [maxWidth, maxHeight] = across > down ? [LONG_SIDE, SHORT_SIDE] : [SHORT_SIDE, LONG_SIDE];
  const scale = Math.min(maxWidth / across, maxHeight / down);
  const width = points(across * scale);
  const height = points(down * scale);
  const { color_space, bits_per_component, filter, entries, data } = picture;
  const content = `q ${placing(picture.orientation, width, height)} cm /Picture Do Q`;
  const image =
    `/Type /XObject /Subtype /Image /Width ${picture.width} /Height ${picture.height} /ColorSpace ${color_space} ` +
    `/BitsPerComponent ${bits_per_component} /Filter ${filter} ${entries}`;
  const page =
    `/Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 5 0 R ` +
    '/Resources << /XObject << /Picture 4 0 R >> >>';
  const objects = [
    [Buffer.from('<< /Type /Catalog /Pages 2 0 R >>')],
    [Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>')],
    [Buffer.from(`<< ${page} >>`)],
    stream(image, data),
    stream('', Buffer.from(content)),
  ];

  // The second line tells programs that move files that this one is not text.
  const parts: Buffer[] = [Buffer.from('%PDF-1.5\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  let bytes = parts[0]!.length;
  const write = (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
  };
  let table = '0000000000 65535 f \n';
  objects.forEach((object, index) => {
    table += `${String(bytes).padStart(10, '0')} 00000 n \n`;
    write(Buffer.from(`${index + 1} 0 obj\n`));
    object.forEach(write);
    write(Buffer.from('\nendobj\n'));
  });
  const count = objects.length + 1;
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${bytes}\n%%EOF\n`;
  write(Buffer.from(`xref\n0 ${count}\n${table}${trailer}`));
  return Buffer.concat(parts);
}

function stream(entries: string, data: Buffer): Buffer[] {
  return [Buffer.from(`<< ${entries} /Length ${data.length} >>\nstream\n`), data, Buffer.from('\nendstream')];
}

const points = (value: number) => Math.max(1, Math.round(value * 100) / 100);

/** Maps the unit square a picture is drawn in to the page, turned as Exif says the camera was held. */
function placing(orientation: number, width: number, height: number): string {
  const matrices: Record<number, number[]> = {
    2: [-width, 0, 0, height, width, 0],
    3: [-width, 0, 0, -height, width, height],
    4: [width, 0, 0, -height, 0, height],
    5: [0, -height, -width, 0, width, height],
    6: [0, -height, width, 0, 0, height],
    7: [0, height, width, 0, 0, 0],
    8: [0, height, -width, 0, width, 0],
  };
  return (matrices[orientation] ?? [width, 0, 0, height, 0, 0]).join(' ');
}
