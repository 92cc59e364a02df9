import type { Clock } from './clock.ts';

/**
 * Settles like `work`, or with what `onTimeout` returns or throws once `timeoutMs` have passed. `work` itself is not
 * stopped; a rejection after the timeout is ignored. The timer is always cancelled.
 */
export function withTimeout<Result, Late>(
  work: Promise<Result>,
  timeoutMs: number,
  clock: Clock,
  onTimeout: () => Late,
): Promise<Result | Late> {
  // One promise and not a race of several: every request passes here.
  return new Promise<Result | Late>((resolve, reject) => {
    const timer = clock.after(timeoutMs, () => {
      try {
        resolve(onTimeout());
      } catch (error) {
        reject(error);
      }
    });
    work.then(
      (result) => {
        timer.cancel();
        resolve(result);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error);
      },
    );
  });
}
