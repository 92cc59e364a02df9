import type { Timer } from '../../shared/clock.ts';
import type { CallRow } from '../calls/call-row.ts';
import type { EngineRegistry } from '../calls/engines/engine-registry.ts';
import { dequeueCalls, type PlacingLimits } from '../calls/queue/call-queue.ts';
import { startQueueExpiry } from '../calls/queue/expire-calls.ts';
import { workspacesInTurn } from '../calls/queue/queues.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import { beginItem, createItemRunner } from '../db/item-runner.ts';
import type { OpenWorkQuery } from '../db/open-work.ts';
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

const toDial: OpenWorkQuery = `
  select from live_calls where status = 'queued'
  union all select from live_calls where status = 'ringing' and dial_state = 'slowed'`;

/**
 * Starts the dispatcher, which takes calls from the queue and dials them: of each workspace in turn its share of what may be dialled
 * at once, the one served longest ago first. A queued call or a free slot only wakes it; it polls every second. A call is committed as `ringing` before the dial
 * request, so that no lock waits for a carrier; after a crash between the two it is looked up at the carrier. Several processes may dispatch,
 * because slots are taken under the workspace's lock. No call is taken while the engines have no headroom beyond the calls that
 * are ringing. A workspace that fails, hangs or is locked delays no other one.
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

  const wakeOn = { sql, topic: 'dispatch' } as const;
  const name = 'dispatcher';
  const workspaces = createItemRunner({ name, idField: 'workspace_id', clock, log, waitMs: 100, maxBackoffMs: 5_000 });
  const openWork = { sql, query: toDial };
  const job = startPollingJob({ name, intervalMs, clock, log, wakeOn, openWork, items: workspaces, run });
  const expiry = startQueueExpiry({ sql, clock, log });

  return {
    async stop() {
      stopped = true;
      nextPlacing?.cancel();
      await Promise.all([job.stop(), expiry.stop()]);
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
    let turn = await workspacesInTurn(sql, clock.wall());
    while (turn.length > 0) {
      const started: string[] = [];
      let headroom = engines.headroom();
      if (Number.isFinite(headroom)) headroom = engines.headroom(await callsWithoutEngine(sql));
      logHeadroom(headroom);
      // A finished dial wakes the job; headroom is checked with the next poll.
      const room = () => (stopped ? 0 : Math.floor(Math.min(MAX_CONCURRENT_DIALS - dialling.size, headroom)));
      const share = Math.max(1, Math.floor(room() / turn.length));
      await workspaces.run(turn.map(itemOf), async ({ workspace_id }) => {
        const count = Math.min(share, room());
        if (count < 1) return;
        const calls = await takeNextCalls(sql, workspace_id, count, clock.wall(), limits);
        if (calls.length === 0) return;
        started.push(workspace_id);
        headroom -= calls.length;
        for (const call of calls) startDial(call);
      });
      turn = room() >= 1 ? started : [];
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

const itemOf = (id: string) => ({ id, workspace_id: id });

/** Takes the workspace's next calls from the queue, at most `count`, and records its turn. */
export async function takeNextCalls(
  sql: Sql,
  workspaceId: string,
  count: number,
  nowMs: number,
  limits?: PlacingLimits,
): Promise<CallRow[]> {
  return beginItem(sql, async (tx) => {
    const calls = await dequeueCalls(tx, workspaceId, count, nowMs, limits);
    if (calls.length === 0) return [];
    await tx`
      insert into dispatch_turns (workspace_id, last_served_at) values (${workspaceId}, ${new Date(nowMs)})
      on conflict (workspace_id) do update set last_served_at = excluded.last_served_at`;
    return calls;
  });
}

/** Ids of ringing calls of all workspaces that have no engine yet. */
export async function callsWithoutEngine(sql: AnySql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from live_calls where status = 'ringing' and media_nonce is null`;
  return rows.map(({ id }) => id);
}
