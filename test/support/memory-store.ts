import type { RecordingStore } from '../../shared/recordings/recording-store.ts';

/** A recording store in memory with injected failures. */
export interface MemoryStore extends RecordingStore {
  objects: Map<string, Uint8Array>;
  /** `unavailable`: fails · `hangs`: does not respond until reset. */
  state: 'normal' | 'unavailable' | 'hangs';
  /** Bytes read. */
  readBytes: number;
  /** Pending puts. */
  putting: number;
}

export function createMemoryStore(putsAtOnce = 4): MemoryStore {
  const objects = new Map<string, Uint8Array>();
  const available = async () => {
    while (store.state === 'hangs') await new Promise((resolve) => setImmediate(resolve));
    if (store.state === 'unavailable') throw new Error('the store is unavailable');
  };
  const store: MemoryStore = {
    objects,
    state: 'normal',
    readBytes: 0,
    putting: 0,
    maxConcurrentPuts: putsAtOnce,
    async put(name, bytes) {
      store.putting++;
      try {
        await available();
        objects.set(name, bytes.slice());
      } finally {
        store.putting--;
      }
    },
    async read(name, start, end, signal) {
      await available();
      signal?.throwIfAborted();
      const bytes = objects.get(name)?.slice(start, end + 1) ?? null;
      store.readBytes += bytes?.length ?? 0;
      return bytes;
    },
    async list(folder) {
      await available();
      const found = [...objects].filter(([name]) => name.startsWith(folder));
      return found.map(([name, { length }]) => ({ name, bytes: length })).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async remove(folder) {
      await available();
      for (const name of objects.keys()) if (name.startsWith(folder)) objects.delete(name);
    },
  };
  return store;
}
