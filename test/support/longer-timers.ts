/**
 * A script for a page in which timers of these delays (keys, in milliseconds) take as long as their values: what a person would still
 * see, or wait for, may be over before a test on a slow machine looks.
 */
export const longerTimers = (delays: Record<number, number>): string => `{
  const { setTimeout: wait } = window;
  const longer = ${JSON.stringify(delays)};
  window.setTimeout = (run, ms, ...more) => wait(run, longer[ms] ?? ms, ...more);
}`;
