/**
 * RTP packets (RFC 3550, section 5.1) with header extensions in the one-byte and two-byte forms (RFC 8285, sections 4.2
 * and 4.3). Reading copies nothing and does not throw on invalid packets.
 */

const VERSION = 2;
const FIXED_BYTES = 12;
const ONE_BYTE = 0xbede;
const TWO_BYTE = 0x100;
/** The lower four bits of the two-byte form are application-specific. */
const TWO_BYTE_MASK = 0xfff0;

export interface RtpPacket {
  payloadType: number;
  marker: boolean;
  /** 16 bit, wraps around. */
  sequence: number;
  /** 32 bit, in the payload format's clock, wraps around. */
  timestamp: number;
  ssrc: number;
  /** A view of the given packet. */
  payload: Uint8Array;
  /** The profile of the header extension, and a view of its data; 0 and empty where there is none. */
  extensionProfile: number;
  extensionData: Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** Parses a packet into `target`, so that only views are allocated; null when it is not RTP. */
export function readRtp(packet: Uint8Array, target: RtpPacket = newRtpPacket()): RtpPacket | null {
  if (packet.length < FIXED_BYTES || packet[0]! >> 6 !== VERSION) return null;
  const first = packet[0]!;
  let at = FIXED_BYTES + (first & 0x0f) * 4;
  target.extensionProfile = 0;
  target.extensionData = NOTHING;
  if (first & 0x10) {
    if (packet.length < at + 4) return null;
    const length = readUint16(packet, at + 2) * 4;
    if (packet.length < at + 4 + length) return null;
    target.extensionProfile = readUint16(packet, at);
    target.extensionData = packet.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  let end = packet.length;
  if (first & 0x20) {
    const padding = packet[end - 1]!;
    if (padding === 0) return null;
    end -= padding;
  }
  if (end < at) return null;
  target.payloadType = packet[1]! & 0x7f;
  target.marker = (packet[1]! & 0x80) !== 0;
  target.sequence = readUint16(packet, 2);
  target.timestamp = readUint32(packet, 4);
  target.ssrc = readUint32(packet, 8);
  target.payload = packet.subarray(at, end);
  return target;
}

export function newRtpPacket(): RtpPacket {
  return {
    payloadType: 0,
    marker: false,
    sequence: 0,
    timestamp: 0,
    ssrc: 0,
    payload: NOTHING,
    extensionProfile: 0,
    extensionData: NOTHING,
  };
}

/** Returns a view of the extension element with this id; null when there is none, or it is invalid. */
export function extensionOf({ extensionProfile, extensionData }: RtpPacket, id: number): Uint8Array | null {
  const twoByte = (extensionProfile & TWO_BYTE_MASK) >>> 4 === TWO_BYTE;
  if (!twoByte && extensionProfile !== ONE_BYTE) return null;
  for (let at = 0; at < extensionData.length; ) {
    const head = extensionData[at++]!;
    // A zero byte is padding in both forms.
    if (head === 0) continue;
    const element = twoByte ? head : head >> 4;
    // 15 ends the one-byte form; its length says nothing.
    if (!twoByte && element === 15) return null;
    const length = twoByte ? (extensionData[at++] ?? Number.NaN) : (head & 0x0f) + 1;
    if (!(at + length <= extensionData.length)) return null;
    if (element === id) return extensionData.subarray(at, at + length);
    at += length;
  }
  return null;
}

export interface RtpExtension {
  /** 1 to 14 in the one-byte form, to 255 in the two-byte form. */
  id: number;
  data: Uint8Array;
}

export interface RtpHeader {
  payloadType: number;
  marker: boolean;
  sequence: number;
  timestamp: number;
  ssrc: number;
  extensions?: readonly RtpExtension[];
}

/**
 * Writes header and payload into `target` and returns their length in bytes. The two-byte form is used where an
 * extension needs it. Throws RangeError when the target is too small or an extension's id or length is impossible.
 */
export function writeRtp(header: RtpHeader, payload: Uint8Array, target: Uint8Array): number {
  const extensions = header.extensions ?? [];
  const extensionBytes = extensions.length === 0 ? 0 : writeExtensions(extensions, target, FIXED_BYTES);
  const start = FIXED_BYTES + extensionBytes;
  if (target.length < start + payload.length) throw new RangeError(`${payload.length} bytes do not fit into a packet`);
  target[0] = (VERSION << 6) | (extensionBytes > 0 ? 0x10 : 0);
  target[1] = (header.marker ? 0x80 : 0) | (header.payloadType & 0x7f);
  writeUint16(target, 2, header.sequence);
  writeUint32(target, 4, header.timestamp);
  writeUint32(target, 8, header.ssrc);
  target.set(payload, start);
  return start + payload.length;
}

function writeExtensions(extensions: readonly RtpExtension[], target: Uint8Array, start: number): number {
  let twoByte = false;
  let bytes = 0;
  for (const { id, data } of extensions) {
    if (!Number.isInteger(id) || id < 1 || id > 255 || data.length > 255)
      throw new RangeError(`extension ${id} of ${data.length} bytes`);
    if (id > 14 || data.length === 0 || data.length > 16) twoByte = true;
    bytes += data.length;
  }
  bytes += extensions.length * (twoByte ? 2 : 1);
  const words = (bytes + 3) >> 2;
  if (target.length < start + 4 + words * 4) throw new RangeError('the extensions do not fit into a packet');
  writeUint16(target, start, twoByte ? TWO_BYTE << 4 : ONE_BYTE);
  writeUint16(target, start + 2, words);
  let at = start + 4;
  for (const { id, data } of extensions) {
    if (twoByte) {
      target[at++] = id;
      target[at++] = data.length;
    } else target[at++] = (id << 4) | (data.length - 1);
    target.set(data, at);
    at += data.length;
  }
  target.fill(0, at, start + 4 + words * 4);
  return 4 + words * 4;
}

function readUint16(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

function writeUint16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = (value >> 8) & 0xff;
  bytes[at + 1] = value & 0xff;
}

function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = (value >>> 24) & 0xff;
  bytes[at + 1] = (value >>> 16) & 0xff;
  bytes[at + 2] = (value >>> 8) & 0xff;
  bytes[at + 3] = value & 0xff;
}
