import { endSilentWebCalls, type SilentWebCallsDeps } from '../calls/end-silent-web-calls.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';

const EVERY_MS = 2_000;

/** Looks for browser calls whose sound never came, from now on. */
export function startSilenceWatch(deps: SilentWebCallsDeps): PollingJob {
  const { clock, log } = deps;
  return startPollingJob({
    name: 'silent browser calls',
    intervalMs: EVERY_MS,
    clock,
    log,
    async run() {
      await endSilentWebCalls(deps);
    },
  });
}
