/** What a transcriber is given before its connection stands: sound, and questions for final words, in their order. */
export interface PendingAudio {
  /** Copies the bytes. Beyond the limit the oldest sound is left out; questions never are. */
  write(chunk: Uint8Array): void;
  finalize(): void;
  /** Gives all of it, in order, and keeps nothing. */
  drain(onSound: (chunk: Uint8Array) => void, onAsk: () => void): void;
  clear(): void;
}

export function createPendingAudio(maxBytes: number): PendingAudio {
  let queue: (Uint8Array | 'ask')[] = [];
  let bytes = 0;

  return {
    write(chunk) {
      queue.push(chunk.slice());
      bytes += chunk.length;
      while (bytes > maxBytes) {
        const oldest = queue.findIndex((entry) => entry !== 'ask');
        const [left] = queue.splice(oldest, 1) as [Uint8Array];
        bytes -= left.length;
      }
    },
    finalize() {
      queue.push('ask');
    },
    drain(onSound, onAsk) {
      const all = queue;
      queue = [];
      bytes = 0;
      for (const entry of all) {
        if (entry === 'ask') onAsk();
        else onSound(entry);
      }
    },
    clear() {
      queue = [];
      bytes = 0;
    },
  };
}
