import type { Timer } from '../../shared/clock.ts';
import type { CallRow } from '../calls/call-row.ts';
import type { EngineRegistry } from '../calls/engines/engine-registry.ts';
import { DISPATCH_CHANNEL } from '../calls/lifecycle/call-state-machine.ts';
import { dequeueNext, expireQueuedCalls, type PlacingLimits, workspacesInTurn } from '../calls/queue/call-queue.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import { startPollingJob } from '../db/polling-job.ts';
import { type CallsPerSecond, prepareRates } from './carrier-rates.ts';
import { type DialDeps, dialCall } from './dial-call.ts';
import { createPlacing } from './placing.ts';

export interface DispatcherDeps extends DialDeps {
  /** As set by the operator; carriers without an entry are slowed down by their refusals only. */
  callsPerSecond?: CallsPerSecond;
  engines: Pick<EngineRegistry, 'headroom'>;
  /** How often the queue is polled; 1 second. */
  intervalMs?: number;
}

/** Per process, so that a slow carrier does not hold all connections. */
const MAX_CONCURRENT_DIALS = 20;
const EXPIRE_INTERVAL_MS = 60_000;

/**
 * Starts the dispatcher, which takes calls from the queue and dials them: one call of each workspace in turn, the one served
 * longest ago first. A notification only wakes it; it polls every second. A call is committed as `ringing` before the dial
 * request, so that no lock waits for a carrier; after a crash between the two it is looked up at the carrier. Several processes may dispatch,
 * because slots are taken under the workspace's lock. No call is taken while the engines have no headroom beyond the calls that
 * are ringing.
 */
export function startDispatcher(deps: DispatcherDeps): { stop(): Promise<void> } {
  const { sql, clock, log, engines, intervalMs = 1_000 } = deps;
  const dialling = new Set<Promise<void>>();
  let stopped = false;
  let full = false;
  let ratesPrepared: Promise<void> | null = null;
  /** Wakes the job when a carrier's account may be used again. */
  let nextPlacing: Timer | null = null;
  const placing = createPlacing(deps);
  let expiredAt = Number.NEGATIVE_INFINITY;

  const wakeOn = { sql, channel: DISPATCH_CHANNEL };
  const job = startPollingJob({ name: 'dispatcher', intervalMs, clock, log, wakeOn, run });

  return {
    async stop() {
      stopped = true;
      nextPlacing?.cancel();
      await job.stop();
      // Each is bounded by the carrier's request timeout.
      await Promise.all(dialling);
    },
  };

  async function run(): Promise<void> {
    ratesPrepared ??= prepareRates(sql, deps.callsPerSecond ?? new Map(), clock.wall()).catch((error: unknown) => {
      ratesPrepared = null;
      throw error;
    });
    await ratesPrepared;
    let limits = await placing.readLimits();
    for (const provider of limits.slowed) {
      while (!stopped && dialling.size < MAX_CONCURRENT_DIALS) {
        const call = await placing.takeSlowed(provider);
        if (!call) break;
        startDial(call);
      }
    }
    if (clock.now() - expiredAt >= EXPIRE_INTERVAL_MS) {
      const expired = await expireQueuedCalls(sql, clock.wall());
      if (expired > 0) log.info({ expired }, 'queued calls expired');
      // Repeated until none is left; expired calls are not dialled meanwhile.
      if (expired === 0) expiredAt = clock.now();
      else job.wake();
    }
    let turn = await workspacesInTurn(sql, clock.wall());
    while (turn.length > 0) {
      const started: string[] = [];
      let headroom = engines.headroom();
      if (Number.isFinite(headroom)) headroom = engines.headroom(await callsWithoutEngine(sql));
      logHeadroom(headroom);
      for (const workspaceId of turn) {
        // A finished dial wakes the job; headroom is checked with the next poll.
        if (stopped || dialling.size >= MAX_CONCURRENT_DIALS || headroom < 1) return;
        const call = await takeNextCall(sql, workspaceId, clock.wall(), limits);
        if (!call) continue;
        started.push(workspaceId);
        headroom--;
        startDial(call);
      }
      turn = started;
      limits = await placing.readLimits();
    }
    nextPlacing?.cancel();
    if (limits.nextAtMs !== null && !stopped) nextPlacing = clock.after(limits.nextAtMs - clock.wall(), job.wake);
  }

  function startDial(call: CallRow): void {
    const dial = dialCall(deps, call).finally(() => {
      dialling.delete(dial);
      if (dialling.size === MAX_CONCURRENT_DIALS - 1) job.wake();
    });
    dialling.add(dial);
  }

  function logHeadroom(headroom: number): void {
    if (headroom < 1 === full) return;
    full = headroom < 1;
    if (full) log.warn({}, 'no engine has headroom; queued calls wait');
    else log.info({}, 'engines have headroom again; dialling continues');
  }
}

/** Takes the workspace's next call from the queue and records its turn; null when no call may start. */
export async function takeNextCall(
  sql: Sql,
  workspaceId: string,
  nowMs: number,
  limits?: PlacingLimits,
): Promise<CallRow | null> {
  return sql.begin(async (tx) => {
    const call = await dequeueNext(tx, workspaceId, nowMs, limits);
    if (!call) return null;
    await tx`
      insert into dispatch_turns (workspace_id, last_served_at) values (${workspaceId}, ${new Date(nowMs)})
      on conflict (workspace_id) do update set last_served_at = excluded.last_served_at`;
    return call;
  });
}

/** Ids of ringing calls of all workspaces that have no engine yet. */
export async function callsWithoutEngine(sql: AnySql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from calls where status = 'ringing' and media_nonce is null`;
  return rows.map(({ id }) => id);
}
