import type { Clock } from './clock.ts';
import { errorText, type Logger } from './log.ts';
import { withTimeout } from './with-timeout.ts';

/** One part of a process that has to be closed at shutdown. */
export type ShutdownStep = [name: string, close: () => unknown];

/** Closes parts one after the other. A part that fails, or takes longer than `withinMs`, is logged and skipped. Never rejects. */
export async function closeInOrder(
  steps: readonly ShutdownStep[],
  { withinMs, clock, log }: { withinMs: number; clock: Clock; log: Logger },
): Promise<void> {
  for (const [name, close] of steps) {
    const closing = (async () => void (await close()))();
    try {
      await withTimeout(closing, withinMs, clock, () => {
        throw new Error(`not closed within ${withinMs} ms`);
      });
    } catch (error) {
      log.error({ part: name, error: errorText(error) }, 'shutdown step failed');
    }
  }
}
