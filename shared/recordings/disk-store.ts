import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chunkNumber } from './chunks.ts';
import type { RecordingStore } from './recording-store.ts';

/** Two of Node's four threads for files, so that a hanging disk does not block everything else. */
const MAX_CONCURRENT_PUTS = 2;
const MAX_CONCURRENT_STATS = 32;

/**
 * Recordings in a folder: `<workspace>/<call>/<number>.pcm`. A chunk is written under another name and renamed, so no reader sees
 * half of one. It is not synced to the disk: a killed process loses nothing, a power failure may.
 */
export function createDiskStore(root: string): RecordingStore {
  return {
    maxConcurrentPuts: MAX_CONCURRENT_PUTS,

    async put(name, bytes) {
      const path = pathOf(name);
      const part = `${path}.part`;
      try {
        await writeFile(part, bytes);
      } catch (error) {
        if (!isMissing(error)) throw error;
        await mkdir(dirname(path), { recursive: true });
        await writeFile(part, bytes);
      }
      await rename(part, path);
    },

    async read(name, start, end) {
      const file = await open(pathOf(name), 'r').catch(missingAsNull);
      if (!file) return null;
      try {
        const bytes = new Uint8Array(end - start + 1);
        let read = 0;
        while (read < bytes.length) {
          const { bytesRead } = await file.read(bytes, read, bytes.length - read, start + read);
          if (bytesRead === 0) break;
          read += bytesRead;
        }
        return bytes.subarray(0, read);
      } finally {
        await file.close();
      }
    },

    async list(folder) {
      const files = (await readdir(join(root, folder)).catch(missingAsNull)) ?? [];
      const names = files.map((file) => folder + file).filter((name) => chunkNumber(name) !== null);
      const chunks: { name: string; bytes: number }[] = [];
      for (let at = 0; at < names.length; at += MAX_CONCURRENT_STATS) {
        const stats = await Promise.all(
          names.slice(at, at + MAX_CONCURRENT_STATS).map(async (name) => ({
            name,
            bytes: (await stat(join(root, name)).catch(missingAsNull))?.size,
          })),
        );
        for (const { name, bytes } of stats) if (bytes !== undefined) chunks.push({ name, bytes });
      }
      return chunks.sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    remove: (folder) => rm(join(root, folder), { recursive: true, force: true }),
  };

  function pathOf(name: string): string {
    if (chunkNumber(name) === null) throw new RangeError('not the name of a chunk');
    return join(root, name);
  }
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

function missingAsNull(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
