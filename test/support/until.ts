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

/** Polls until `find` returns a value; throws after `withinMs`, which only prevents hanging. */
export async function eventually<T>(
  what: string,
  withinMs: number,
  find: () => Promise<T | null | undefined>,
): Promise<T> {
  const start = performance.now();
  for (;;) {
    const found = await find();
    if (found !== null && found !== undefined) return found;
    if (performance.now() - start > withinMs) throw new Error(`${what} did not come about`);
    await pause(50);
  }
}
