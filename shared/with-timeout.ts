import type { Clock, Timer } from './clock.ts';

/**
 * Settles like `work`, or with what `onTimeout` returns or throws once `timeoutMs` have passed. `work` itself is not
 * stopped; a rejection after the timeout is ignored. The timer is always cancelled.
 */
export async function withTimeout<Result, Late>(
  work: Promise<Result>,
  timeoutMs: number,
  clock: Clock,
  onTimeout: () => Late,
): Promise<Result | Late> {
  let timer: Timer | undefined;
  const timeout = new Promise<Late>((resolve, reject) => {
    timer = clock.after(timeoutMs, () => {
      try {
        resolve(onTimeout());
      } catch (error) {
        reject(error);
      }
    });
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    timer?.cancel();
  }
}
