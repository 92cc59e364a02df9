/**
 * Ctrl-C and SIGTERM as an AbortSignal, so that the program can stop what it started in order. A second one within the
 * stopping ends this process at once; what it started notices that and ends by itself.
 */
export function interruptSignal(print: (line: string) => void): AbortSignal {
  const controller = new AbortController();
  const interrupted = () => {
    if (controller.signal.aborted) process.exit(130);
    print('stopping; once more to stop at once');
    controller.abort(new Error('interrupted'));
  };
  // The terminal going away counts as well.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupted);
  return controller.signal;
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
