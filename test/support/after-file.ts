/** What is closed after the last test of the file that runs, in the order in which it was opened. */
const closers: (() => unknown)[] = [];

/**
 * Closes something after the file's last test, the last opened first. Unlike vitest's `afterAll`, which is ignored when a hook or
 * a test calls it, this works wherever it is called.
 */
export function afterFile(close: () => unknown): void {
  closers.push(close);
}

/** Runs what `afterFile` took, all of it, and throws the first error. For `each-file.ts`. */
export async function closeFile(): Promise<void> {
  const errors: unknown[] = [];
  for (let close = closers.pop(); close; close = closers.pop()) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
