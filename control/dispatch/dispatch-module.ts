import { type DispatcherDeps, startDispatcher } from './dispatcher.ts';

/** Dials the calls of the queue. Stop it before the modules that handle the carriers' events. */
export function createDispatchModule(deps: DispatcherDeps): { start(): void; stop(): Promise<void> } {
  let dispatcher: { stop(): Promise<void> } | null = null;
  return {
    start() {
      dispatcher = startDispatcher(deps);
    },
    async stop() {
      await dispatcher?.stop();
    },
  };
}
