/** A picture as a PDF can hold it: pixels still compressed, and what a reader must know to open them. */
export interface PdfImage {
  width: number;
  height: number;
  /** A colour space of PDF (ISO 32000-1, 8.6), as it is written in the file. */
  color_space: string;
  bits_per_component: number;
  /** `/DCTDecode` or `/FlateDecode`. */
  filter: string;
  /** Further entries of the image's dictionary, such as `/DecodeParms` and `/Decode`. */
  entries: string;
  data: Buffer;
  /** How it is to be turned, as Exif numbers it: 1 upright, 2 to 8 turned or mirrored. */
  orientation: number;
}

export type ImageType = 'image/png' | 'image/jpeg';

/** By content: what a file begins with. */
export function imageType(file: Buffer): ImageType | null {
  if (file.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return 'image/png';
  if (file[0] === 0xff && file[1] === 0xd8 && file[2] === 0xff) return 'image/jpeg';
  return null;
}

export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
