import type { PdfImage } from './image-type.ts';

/**
 * Reads what a PDF must know of a JPEG file; the file itself goes in as it is. Markers: ITU-T T.81, annex B. Orientation: Exif
 * 2.3, 4.6.4. Adobe's marker, and that its four colours are stored inverted: Adobe technical note 5116.
 */

const SOI = 0xd8;
const SOS = 0xda;
const EOI = 0xd9;
const APP1 = 0xe1;
const APP14 = 0xee;
/** Baseline, extended sequential, progressive: what PDF readers open. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2]);
const OTHER_FRAMES = new Set([0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

const COLOR_SPACES: Record<number, string> = { 1: '/DeviceGray', 3: '/DeviceRGB', 4: '/DeviceCMYK' };

/** Null when it is no JPEG picture that a PDF reader could open. */
export function jpegPicture(file: Buffer): PdfImage | null {
  let frame: { width: number; height: number; components: number } | null = null;
  let orientation = 1;
  let byAdobe = false;
  let hasScan = false;
  let at = 0;
  while (!hasScan && at + 2 <= file.length) {
    if (file[at] !== 0xff) return null;
    const marker = file[at + 1]!;
    at += 2;
    if (marker === 0xff) {
      // Markers may be preceded by any number of 0xff.
      at -= 1;
      continue;
    }
    if (marker === SOI || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) continue;
    if (marker === EOI || OTHER_FRAMES.has(marker) || at + 2 > file.length) return null;
    const length = file.readUInt16BE(at);
    if (length < 2 || at + length > file.length) return null;
    const segment = file.subarray(at + 2, at + length);
    at += length;
    if (FRAMES.has(marker)) {
      if (frame || segment.length < 6 || segment[0] !== 8) return null;
      frame = { height: segment.readUInt16BE(1), width: segment.readUInt16BE(3), components: segment[5]! };
    } else if (marker === APP1) orientation = orientationOf(segment) ?? orientation;
    else if (marker === APP14) byAdobe ||= segment.subarray(0, 5).toString('latin1') === 'Adobe';
    else if (marker === SOS) hasScan = true;
  }
  // Something must stand in the scan.
  if (!frame || !hasScan || at >= file.length) return null;
  const color_space = COLOR_SPACES[frame.components];
  if (frame.width === 0 || frame.height === 0 || !color_space) return null;
  return {
    width: frame.width,
    height: frame.height,
    color_space,
    bits_per_component: 8,
    filter: '/DCTDecode',
    entries: frame.components === 4 && byAdobe ? '/Decode [1 0 1 0 1 0 1 0]' : '',
    data: file,
    orientation,
  };
}

const ORIENTATION_TAG = 0x0112;

/** How the camera was held: the one thing of Exif that a picture is wrong without. */
function orientationOf(segment: Buffer): number | null {
  if (segment.subarray(0, 6).toString('latin1') !== 'Exif\0\0') return null;
  const tiff = segment.subarray(6);
  if (tiff.length < 8) return null;
  const little = tiff.subarray(0, 2).toString('latin1') === 'II';
  const short = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return null;
  const entries = short(directory);
  for (let i = 0; i < entries; i++) {
    const at = directory + 2 + i * 12;
    if (at + 12 > tiff.length) return null;
    if (short(at) !== ORIENTATION_TAG) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : null;
  }
  return null;
}
