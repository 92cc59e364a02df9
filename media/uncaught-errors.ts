import type { Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';

/** A mistake of ours that nobody caught: in a timer of one call, most likely, and then no other call has suffered by it. */

export interface UncaughtErrorOptions {
  clock: Clock;
  log: Logger;
  /** Called once: what was thrown may have left anything half done, so that no call is to begin here any more. */
  shutDown(): void;
  /** Nothing can be done any more but mistakes. */
  exit(): void;
}

/** So many within a second are one that comes again as fast as the machine can. */
const MAX_ERRORS = 100;
const MAX_ERRORS_WITHIN_MS = 1_000;
const MAX_TEXT_LENGTH = 300;
const MAX_FRAMES = 8;

/** To be given everything that is thrown and not caught. Only the first is logged. Never throws. */
export function createUncaughtErrorHandler({
  clock,
  log,
  shutDown: leave,
  exit: end,
}: UncaughtErrorOptions): (thrown: unknown) => void {
  /** When the last of them came. */
  const timesMs: number[] = [];
  let shuttingDown = false;

  return (thrown) => {
    const nowMs = clock.now();
    timesMs.push(nowMs);
    if (timesMs.length > MAX_ERRORS) timesMs.shift();
    if (timesMs.length === MAX_ERRORS && nowMs - timesMs[0]! <= MAX_ERRORS_WITHIN_MS) {
      log.fatal({ mistakes: MAX_ERRORS }, 'mistakes of ours come without an end; every call here ends');
      end();
      return;
    }
    if (shuttingDown) return;
    shuttingDown = true;
    log.fatal(
      describeError(thrown),
      'a mistake of ours was caught by nobody; calls that are on go on, and none begins here',
    );
    leave();
  };
}

/** What it was and where. What stands between quotes is left out: a parser quotes what it could not read. */
function describeError(thrown: unknown): { error: string; frames?: string[] } {
  if (!(thrown instanceof Error)) return { error: `something thrown that is no error: ${typeof thrown}` };
  const message = String(thrown.message);
  const text = message.replace(/(["'`]).*\1/gs, '$1…$1');
  // A message may have several lines, and stands in the stack once more.
  const frames = String(thrown.stack)
    .replace(message, '')
    .split('\n')
    .filter((line) => /^ {4}at /.test(line));
  return {
    error: `${thrown.name}: ${text}`.slice(0, MAX_TEXT_LENGTH),
    frames: frames.slice(0, MAX_FRAMES).map((line) => line.trim()),
  };
}
