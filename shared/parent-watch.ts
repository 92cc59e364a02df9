/**
 * A program started by a supervisor must not outlive it, not even when the supervisor was killed without a word.
 * Where `ANTIPHON_PARENT_WATCH=1` is set, the supervisor holds our standard input open: when that closes it is gone.
 */

const HARD_END_AFTER_MS = 10_000;

/**
 * To be called once, at start. Does nothing where nobody asked for it, and never keeps the process alive.
 * `onGone` is by default the same orderly end as on SIGTERM, with a hard one if that takes too long.
 */
export function watchParent(
  onGone: () => void = endInOrder,
  env: Record<string, string | undefined> = process.env,
): void {
  if (env.ANTIPHON_PARENT_WATCH !== '1') return;
  let told = false;
  const gone = () => {
    if (told) return;
    told = true;
    onGone();
  };
  process.stdin.once('end', gone).once('close', gone).once('error', gone);
  process.stdin.resume();
  // Only a pipe or a socket can be unreferenced; the supervisor gives us one.
  if ('unref' in process.stdin) (process.stdin as { unref(): void }).unref();
}

function endInOrder(): void {
  setTimeout(() => process.exit(1), HARD_END_AFTER_MS).unref();
  process.kill(process.pid, 'SIGTERM');
}
