/** Polls until `ready` returns true; throws after `withinMs`, which only prevents hanging. */
export async function until(ready: () => boolean, what = 'the condition', withinMs = 60_000): Promise<void> {
  const start = performance.now();
  while (!ready()) {
    if (performance.now() - start > withinMs) throw new Error(`${what} did not come about`);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What `eventually` waits for cannot come about any more. */
export class GivenUp extends Error {}

/**
 * Polls until `find` returns a value; throws after `withinMs`, which only prevents hanging. What `find` throws counts as "not yet":
 * a service that is slow may refuse once. The last error is in the message at the end. `GivenUp` ends the wait at once.
 */
export async function eventually<T>(
  what: string,
  withinMs: number,
  find: () => Promise<T | null | undefined>,
): Promise<T> {
  const start = performance.now();
  for (;;) {
    let failure: Error | null = null;
    try {
      const found = await find();
      if (found !== null && found !== undefined) return found;
    } catch (error) {
      if (error instanceof GivenUp) throw error;
      failure = error as Error;
    }
    if (performance.now() - start > withinMs) {
      if (failure) throw new Error(`${what} did not come about: ${failure.message}`, { cause: failure });
      throw new Error(`${what} did not come about`);
    }
    await pause(50);
  }
}
