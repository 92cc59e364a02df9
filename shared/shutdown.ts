import type { Clock, Timer } from './clock.ts';
import { errorText, type Logger } from './log.ts';

/** A part of a process on its way out. */
export type ShutdownStep = [name: string, close: () => unknown];

/**
 * Closes parts one after the other. One that fails, or takes longer than `withinMs`, is told to the operator and does not
 * keep the next ones from their turn. Never rejects.
 */
export async function closeInOrder(
  parts: readonly ShutdownStep[],
  { withinMs, clock, log }: { withinMs: number; clock: Clock; log: Logger },
): Promise<void> {
  for (const [name, close] of parts) {
    let timer: Timer | null = null;
    const late = new Promise<string>((resolve) => {
      timer = clock.after(withinMs, () => resolve(`not done within ${withinMs} ms`));
    });
    const problem = await Promise.race([attempt(close), late]);
    (timer as Timer | null)?.cancel();
    if (problem !== null) log.error({ part: name, error: problem }, 'a part did not close in order');
  }
}

async function attempt(close: () => unknown): Promise<string | null> {
  try {
    await close();
    return null;
  } catch (error) {
    return errorText(error);
  }
}
