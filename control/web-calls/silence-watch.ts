import { endSilentWebCalls, type SilentWebCallsDeps } from '../calls/end-silent-web-calls.ts';
import { type Loop, startLoop } from '../db/loop.ts';

const EVERY_MS = 2_000;

/** Looks for browser calls whose sound never came, from now on. */
export function startSilenceWatch(deps: SilentWebCallsDeps): Loop {
  const { clock, log } = deps;
  return startLoop({
    name: 'silent browser calls',
    everyMs: EVERY_MS,
    clock,
    log,
    async run() {
      await endSilentWebCalls(deps);
    },
  });
}
