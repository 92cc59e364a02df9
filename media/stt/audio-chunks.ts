/** Joins audio to chunks of one length, for a provider that refuses shorter ones. */
export interface AudioChunks {
  /** Copies the bytes, and sends every chunk that they complete. */
  write(bytes: Uint8Array): void;
  /** Sends what is left, filled up with silence. */
  flush(): void;
}

/** `send` may not keep the bytes. */
export function createAudioChunks(chunkBytes: number, silence: number, send: (chunk: Uint8Array) => void): AudioChunks {
  const chunk = new Uint8Array(chunkBytes);
  let filled = 0;

  return {
    write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const taken = Math.min(chunkBytes - filled, bytes.length - at);
        chunk.set(bytes.subarray(at, at + taken), filled);
        filled += taken;
        at += taken;
        if (filled < chunkBytes) return;
        filled = 0;
        send(chunk);
      }
    },
    flush() {
      if (filled === 0) return;
      chunk.fill(silence, filled);
      filled = 0;
      send(chunk);
    },
  };
}
