import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's file system in memory. In a container it is often small. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 * 1024 ** 3;

/**
 * Makes a temporary folder for databases: in memory where there is enough of it, because copying the thousand files of a database
 * takes a tenth of the CPU there.
 */
export function makeFastFolder(prefix: string): string {
  return mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), prefix));
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
