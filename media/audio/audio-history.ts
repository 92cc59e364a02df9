/**
 * The latest audio of one stream, readable again from any position that is not too old. Memory is allocated once; writing
 * copies the bytes.
 */
export interface AudioHistory {
  /** Bytes written since the stream started. */
  readonly position: number;
  write(bytes: Uint8Array): void;
  /** Returns everything from this position on, or from the oldest one there is, in at most two arrays. Valid until the next `write`. */
  since(position: number): Uint8Array[];
}

export function createAudioHistory(capacityBytes: number): AudioHistory {
  const ring = new Uint8Array(capacityBytes);
  let position = 0;
  return {
    get position() {
      return position;
    },
    write(bytes) {
      const offset = position % capacityBytes;
      if (offset + bytes.length <= capacityBytes) {
        ring.set(bytes, offset);
        position += bytes.length;
        return;
      }
      const latest = bytes.length > capacityBytes ? bytes.subarray(bytes.length - capacityBytes) : bytes;
      const at = (position + bytes.length - latest.length) % capacityBytes;
      const first = Math.min(latest.length, capacityBytes - at);
      ring.set(latest.subarray(0, first), at);
      ring.set(latest.subarray(first), 0);
      position += bytes.length;
    },
    since(from) {
      const start = Math.max(from, position - capacityBytes, 0);
      const length = position - start;
      if (length <= 0) return [];
      const at = start % capacityBytes;
      const first = Math.min(length, capacityBytes - at);
      const chunks = [ring.subarray(at, at + first)];
      if (first < length) chunks.push(ring.subarray(0, length - first));
      return chunks;
    },
  };
}
