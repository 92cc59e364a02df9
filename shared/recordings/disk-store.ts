import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chunkNumber } from './chunks.ts';
import type { RecordingStore } from './recording-store.ts';

/** Two of the four threads that Node has for files: a disk that hangs must not hang everything else. */
const MAX_CONCURRENT_PUTS = 2;
const MAX_CONCURRENT_STATS = 32;

/**
 * Recordings in a folder: `<workspace>/<call>/<number>.pcm`. A piece is written beside its name and renamed, so nobody reads
 * half of one. It is not forced to the platter: a killed process loses nothing of it, a power failure may.
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
        if (!isAbsence(error)) throw error;
        await mkdir(dirname(path), { recursive: true });
        await writeFile(part, bytes);
      }
      await rename(part, path);
    },

    async read(name, start, end) {
      const file = await open(pathOf(name), 'r').catch(absentAsNull);
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
      const files = (await readdir(join(root, folder)).catch(absentAsNull)) ?? [];
      const names = files.map((file) => folder + file).filter((name) => chunkNumber(name) !== null);
      const pieces: { name: string; bytes: number }[] = [];
      for (let at = 0; at < names.length; at += MAX_CONCURRENT_STATS) {
        const stats = await Promise.all(
          names.slice(at, at + MAX_CONCURRENT_STATS).map(async (name) => ({
            name,
            bytes: (await stat(join(root, name)).catch(absentAsNull))?.size,
          })),
        );
        for (const { name, bytes } of stats) if (bytes !== undefined) pieces.push({ name, bytes });
      }
      return pieces.sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    remove: (folder) => rm(join(root, folder), { recursive: true, force: true }),
  };

  function pathOf(name: string): string {
    if (chunkNumber(name) === null) throw new RangeError('not the name of a piece');
    return join(root, name);
  }
}

const isAbsence = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

function absentAsNull(error: unknown): null {
  if (isAbsence(error)) return null;
  throw error;
}
