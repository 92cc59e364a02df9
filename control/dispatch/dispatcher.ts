import type { EngineRegistry } from '../calls/engines/engine-registry.ts';
import { DISPATCH_CHANNEL } from '../calls/lifecycle/call-state-machine.ts';
import { expireQueuedCalls, workspacesInTurn } from '../calls/queue/call-queue.ts';
import { listenForNotifications } from '../db/notifications.ts';
import { startPollingJob } from '../db/polling-job.ts';
import { type DialDeps, dialCall } from './dial-call.ts';
import { callsWithoutEngine, takeNextCall } from './store.ts';

export interface DispatcherDeps extends DialDeps {
  engines: Pick<EngineRegistry, 'headroom'>;
  /** How often the queue is looked at when nobody wakes it; 1 second. */
  intervalMs?: number;
}

/** Dial requests of this process under way at once: a slow carrier must not hold all connections. */
const MAX_CONCURRENT_DIALS = 20;
const EXPIRE_INTERVAL_MS = 60_000;

/**
 * Takes calls from the queue and dials them: workspaces in turn, one call each, the one served longest ago first.
 * A notification only wakes it, the look at the queue every second is the truth. The decision is committed before the
 * carrier is asked, so no lock waits for a carrier; what a crash leaves between the two, the reaper settles. Several
 * processes may dispatch at once, a slot is taken under the workspace's lock. While no engine has room, nothing is taken: calls
 * that ring now will need a place too.
 */
export function startDispatcher(deps: DispatcherDeps): { stop(): Promise<void> } {
  const { sql, clock, log, engines, intervalMs: everyMs = 1_000 } = deps;
  const dialling = new Set<Promise<void>>();
  let stopped = false;
  let full = false;
  let expiredAt = Number.NEGATIVE_INFINITY;

  const job = startPollingJob({ name: 'dispatcher', intervalMs: everyMs, clock, log, run });
  const listener = listenForNotifications(
    sql,
    DISPATCH_CHANNEL,
    () => job.wake(),
    (error) => log.warn({ error }, 'notifications of new calls are not heard; the queue is polled'),
  );

  return {
    async stop() {
      stopped = true;
      await job.stop();
      await listener.stop();
      // Each is bounded by the carrier's deadline.
      await Promise.all(dialling);
    },
  };

  async function run(): Promise<void> {
    if (clock.now() - expiredAt >= EXPIRE_INTERVAL_MS) {
      const expired = await expireQueuedCalls(sql, clock.wall());
      if (expired > 0) log.info({ expired }, 'calls expired in the queue');
      // Until none is left; none of them is dialled meanwhile.
      if (expired === 0) expiredAt = clock.now();
      else job.wake();
    }
    let turn = await workspacesInTurn(sql, clock.wall());
    while (turn.length > 0) {
      const served: string[] = [];
      let room = engines.headroom();
      if (Number.isFinite(room)) room = engines.headroom(await callsWithoutEngine(sql));
      tellRoom(room);
      for (const workspaceId of turn) {
        // Each dial that ends wakes the loop; room is looked for once a second.
        if (stopped || dialling.size >= MAX_CONCURRENT_DIALS || room < 1) return;
        const call = await takeNextCall(sql, workspaceId, clock.wall());
        if (!call) continue;
        served.push(workspaceId);
        room--;
        const dial = dialCall(deps, call).finally(() => {
          dialling.delete(dial);
          if (dialling.size === MAX_CONCURRENT_DIALS - 1) job.wake();
        });
        dialling.add(dial);
      }
      turn = served;
    }
  }

  function tellRoom(room: number): void {
    if (room < 1 === full) return;
    full = room < 1;
    if (full) log.warn({}, 'no engine has room; queued calls wait');
    else log.info({}, 'engines have room; calls are dialled again');
  }
}
