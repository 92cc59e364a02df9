import { endSilentWebCalls, type SilentWebCallsDeps } from '../calls/lifecycle/end-silent-web-calls.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';

const INTERVAL_MS = 2_000;

/** Looks for browser calls whose sound never came, from now on. */
export function startSilentCallJob(deps: SilentWebCallsDeps): PollingJob {
  const { clock, log } = deps;
  return startPollingJob({
    name: 'silent browser calls',
    intervalMs: INTERVAL_MS,
    clock,
    log,
    async run() {
      await endSilentWebCalls(deps);
    },
  });
}
