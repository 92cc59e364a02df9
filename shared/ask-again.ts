import { type Clock, pause } from './clock.ts';

/** Asks until there is an answer, every `everyMs` anew; rejects as the first try does that ends after `withinMs`. */
export async function askAgain<Answer>(
  clock: Clock,
  { withinMs, everyMs }: { withinMs: number; everyMs: number },
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const deadlineMs = clock.now() + withinMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (clock.now() >= deadlineMs) throw error;
      await pause(clock, everyMs);
    }
  }
}
