/**
 * Opus in Ogg (RFC 7845, on RFC 3533): what makes a file of Opus packets. Pages of about a second, so that a player can seek; the
 * first page has the head, the second the tags, and the last one is marked as the end.
 */
export interface OggOpusFile {
  /** The two pages that a file begins with. */
  head(): Uint8Array;
  /** Adds a packet of so many samples at 48 kHz; returns a page when one is full. */
  add(packet: Uint8Array, samples48k: number): Uint8Array | null;
  /** The last page. `samples48k`: how much of what was added is sound; the rest was padding. */
  end(samples48k: number): Uint8Array;
}

/** What the encoder looks ahead, in samples at 48 kHz: 6.5 ms. A player skips so much at the beginning. */
export const PRE_SKIP = 312;
const PACKETS_PER_PAGE = 50;
/** Of the page's header (RFC 3533, section 6). */
const FIRST_PAGE = 2;
const LAST_PAGE = 4;
const HEADER_BYTES = 27;

/** @param serial the number of the stream in its file; any. */
export function createOggOpusFile(channels: 1 | 2, inputRateHz: number, serial = 1): OggOpusFile {
  let pages = 0;
  let granule = 0;
  let packets: Uint8Array[] = [];

  function page(of: readonly Uint8Array[], position: number, flags: number): Uint8Array {
    const lacing = of.flatMap(({ length }) => [...new Array<number>(Math.floor(length / 255)).fill(255), length % 255]);
    const bytes = Buffer.alloc(HEADER_BYTES + lacing.length + of.reduce((sum, { length }) => sum + length, 0));
    bytes.write('OggS', 0, 'latin1');
    bytes[5] = flags;
    bytes.writeBigInt64LE(BigInt(position), 6);
    bytes.writeUInt32LE(serial, 14);
    bytes.writeUInt32LE(pages++, 18);
    bytes[26] = lacing.length;
    bytes.set(lacing, HEADER_BYTES);
    let at = HEADER_BYTES + lacing.length;
    for (const packet of of) {
      bytes.set(packet, at);
      at += packet.length;
    }
    bytes.writeUInt32LE(checksum(bytes), 22);
    return bytes;
  }

  return {
    head() {
      const head = Buffer.alloc(19);
      head.write('OpusHead', 0, 'latin1');
      head[8] = 1;
      head[9] = channels;
      head.writeUInt16LE(PRE_SKIP, 10);
      head.writeUInt32LE(inputRateHz, 12);
      const vendor = Buffer.from('antiphon');
      const tags = Buffer.alloc(16 + vendor.length);
      tags.write('OpusTags', 0, 'latin1');
      tags.writeUInt32LE(vendor.length, 8);
      tags.set(vendor, 12);
      return Buffer.concat([page([head], 0, FIRST_PAGE), page([tags], 0, 0)]);
    },
    add(packet, samples48k) {
      packets.push(packet);
      granule += samples48k;
      if (packets.length < PACKETS_PER_PAGE) return null;
      const full = page(packets, granule, 0);
      packets = [];
      return full;
    },
    end: (samples48k) => page(packets, samples48k + PRE_SKIP, LAST_PAGE),
  };
}

const POLYNOMIAL = 0x04c11db7;
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24;
  for (let bit = 0; bit < 8; bit++) value = value & 0x80000000 ? (value << 1) ^ POLYNOMIAL : value << 1;
  return value >>> 0;
});

/** CRC-32 with the highest bit first, from zero, as RFC 3533 wants it; the field itself is zero meanwhile. */
function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = ((sum << 8) ^ TABLE[((sum >>> 24) ^ byte) & 0xff]!) >>> 0;
  return sum;
}
