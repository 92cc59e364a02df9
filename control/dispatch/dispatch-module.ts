import { type DialLookUpDeps, startDialLookUps } from './dial-look-ups.ts';
import { type DispatcherDeps, startDispatcher } from './dispatcher.ts';
import { startRingingLookUps } from './ringing-look-ups.ts';

/** Dials the calls of the queue, and asks carriers whose answers or callbacks did not come. Stop it before the modules that handle their events. */
export function createDispatchModule(deps: DispatcherDeps & DialLookUpDeps): { start(): void; stop(): Promise<void> } {
  let jobs: { stop(): Promise<void> }[] = [];
  return {
    start() {
      jobs = [startDispatcher(deps), startDialLookUps(deps), startRingingLookUps(deps)];
    },
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
