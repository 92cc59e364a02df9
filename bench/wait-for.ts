import { setImmediate as nextTick } from 'node:timers/promises';

const TIMEOUT_MS = 5_000;

/** Looks in every turn of the event loop, so that what is measured is seen at once. Throws `otherwise` after five seconds. */
export async function waitFor(happened: () => boolean, otherwise: string): Promise<void> {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  while (!happened()) {
    if (performance.now() > deadlineMs) throw new Error(otherwise);
    await nextTick();
  }
}
