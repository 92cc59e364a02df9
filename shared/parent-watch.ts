/**
 * Ends a program when its supervisor has exited, even by SIGKILL. With `ANTIPHON_PARENT_WATCH=1` the supervisor holds this
 * program's standard input open, so its end means that the supervisor has exited.
 */

const FORCED_EXIT_AFTER_MS = 10_000;

/**
 * To be called once, at start. Does nothing without the variable, and never keeps the process alive. `onExit` shuts down as on
 * SIGTERM by default, and exits if that takes too long.
 */
export function watchParent(
  onExit: () => void = shutDown,
  env: Record<string, string | undefined> = process.env,
): void {
  if (env.ANTIPHON_PARENT_WATCH !== '1') return;
  let reported = false;
  const parentExited = () => {
    if (reported) return;
    reported = true;
    onExit();
  };
  process.stdin.once('end', parentExited).once('close', parentExited).once('error', parentExited);
  process.stdin.resume();
  // Only a pipe or a socket can be unreferenced.
  if ('unref' in process.stdin) (process.stdin as { unref(): void }).unref();
}

function shutDown(): void {
  setTimeout(() => process.exit(1), FORCED_EXIT_AFTER_MS).unref();
  process.kill(process.pid, 'SIGTERM');
}
