import { type Clock, pause } from './clock.ts';

/**
 * Packages that a program seldom uses and that take long to import. They are not imported at its start but at their first use, or once
 * the program is ready (`importDeferred`), so that its first user does not wait for them.
 */

/** Between two imports, so that what waits for the event loop gets its turn. */
const PAUSE_MS = 100;

const deferred: (() => Promise<unknown>)[] = [];

/** Returns the function that imports the package; it is called at each use, and imports once. */
export function deferredImport<Module>(load: () => Promise<Module>): () => Promise<Module> {
  deferred.push(load);
  return load;
}

/** Imports all of them, one after the other. Rejects when one cannot be imported. */
export async function importDeferred(clock: Pick<Clock, 'after'>): Promise<void> {
  for (const load of deferred) {
    await load();
    await pause(clock, PAUSE_MS);
  }
}
