/**
 * Ctrl-C and SIGTERM as an AbortSignal, so that the program can stop its children in order. A second signal ends this process
 * at once; the children notice that and exit.
 */
export function interruptSignal(print: (line: string) => void): AbortSignal {
  const controller = new AbortController();
  const interrupted = () => {
    if (controller.signal.aborted) process.exit(130);
    print('stopping; once more to stop at once');
    controller.abort(new Error('interrupted'));
  };
  // SIGHUP: the terminal was closed.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupted);
  return controller.signal;
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
