/**
 * The latest sound of one stream, by position in it: what came so far can be given again from any position that is not too
 * old. Memory is taken once; writing copies a frame and nothing else.
 */
export interface AudioHistory {
  /** Bytes written since the stream began. */
  readonly position: number;
  write(bytes: Uint8Array): void;
  /** Everything from this position on, in at most two pieces, the oldest there is when it is too old. Valid until the next `write`. */
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
      const place = position % capacityBytes;
      if (place + bytes.length <= capacityBytes) {
        ring.set(bytes, place);
        position += bytes.length;
        return;
      }
      const kept = bytes.length > capacityBytes ? bytes.subarray(bytes.length - capacityBytes) : bytes;
      const at = (position + bytes.length - kept.length) % capacityBytes;
      const first = Math.min(kept.length, capacityBytes - at);
      ring.set(kept.subarray(0, first), at);
      ring.set(kept.subarray(first), 0);
      position += bytes.length;
    },
    since(from) {
      const start = Math.max(from, position - capacityBytes, 0);
      const length = position - start;
      if (length <= 0) return [];
      const at = start % capacityBytes;
      const first = Math.min(length, capacityBytes - at);
      const pieces = [ring.subarray(at, at + first)];
      if (first < length) pieces.push(ring.subarray(0, length - first));
      return pieces;
    },
  };
}
