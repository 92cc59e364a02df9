/** The audio and `finalize` requests that a transcriber is given before its connection is open, in order. */
export interface PendingAudio {
  /** Copies the bytes. Beyond the limit the oldest audio is dropped; `finalize` requests never are. */
  write(chunk: Uint8Array): void;
  finalize(): void;
  /** Hands everything over, in order, and is empty afterwards. */
  drain(onAudio: (chunk: Uint8Array) => void, onFinalize: () => void): void;
  clear(): void;
}

export function createPendingAudio(maxBytes: number): PendingAudio {
  let queue: (Uint8Array | 'finalize')[] = [];
  let bytes = 0;

  return {
    write(chunk) {
      queue.push(chunk.slice());
      bytes += chunk.length;
      while (bytes > maxBytes) {
        const oldest = queue.findIndex((entry) => entry !== 'finalize');
        const [dropped] = queue.splice(oldest, 1) as [Uint8Array];
        bytes -= dropped.length;
      }
    },
    finalize() {
      queue.push('finalize');
    },
    drain(onAudio, onFinalize) {
      const entries = queue;
      queue = [];
      bytes = 0;
      for (const entry of entries) {
        if (entry === 'finalize') onFinalize();
        else onAudio(entry);
      }
    },
    clear() {
      queue = [];
      bytes = 0;
    },
  };
}
