/** What a transcriber is given before its connection stands: sound, and questions for final words, in their order. */
export interface EarlySound {
  /** Copies the bytes. Beyond the limit the oldest sound is left out; questions never are. */
  sound(chunk: Uint8Array): void;
  ask(): void;
  /** Gives all of it, in order, and keeps nothing. */
  drain(onSound: (chunk: Uint8Array) => void, onAsk: () => void): void;
  clear(): void;
}

export function createEarlySound(maxBytes: number): EarlySound {
  let kept: (Uint8Array | 'ask')[] = [];
  let bytes = 0;

  return {
    sound(chunk) {
      kept.push(chunk.slice());
      bytes += chunk.length;
      while (bytes > maxBytes) {
        const oldest = kept.findIndex((entry) => entry !== 'ask');
        const [left] = kept.splice(oldest, 1) as [Uint8Array];
        bytes -= left.length;
      }
    },
    ask() {
      kept.push('ask');
    },
    drain(onSound, onAsk) {
      const all = kept;
      kept = [];
      bytes = 0;
      for (const entry of all) {
        if (entry === 'ask') onAsk();
        else onSound(entry);
      }
    },
    clear() {
      kept = [];
      bytes = 0;
    },
  };
}
