import type { Bus } from '../../../shared/bus/bus.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { Sql } from '../../db/connect.ts';
import { beginItem, createItemRunner, eachInTurn, type ItemRunner } from '../../db/item-runner.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import type { CallRow } from '../call-row.ts';
import { hasUnreadEvents } from '../events/ingest.ts';
import { lockCall } from '../store.ts';
import { endUnconnected } from './call-state-machine.ts';
import { endLiveCall } from './hang-up.ts';

export interface SilentWebCallsDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  bus: Pick<Bus, 'sendHangUp' | 'lastEventSeq' | 'reachableForMs'>;
}

/** A browser call is `ringing` until audio arrives, for this long at most. */
export const MAX_RINGING_MS = 30_000;
/** An engine that received the first audio reports the start or the end; after this long the call is ended without it. */
const ENGINE_REPORT_TIMEOUT_MS = 70_000;
const BATCH_SIZE = 100;

/**
 * Ends browser calls without audio, because the page was closed, the microphone denied or the network blocked; those with a
 * requested hang-up at once. Their slots become free, and `openSession` refuses their stream tokens from then on.
 *
 * @returns the number of calls ended.
 */
export async function endSilentWebCalls(
  { sql, clock, log, bus }: SilentWebCallsDeps,
  items: Pick<ItemRunner, 'run' | 'excluded'> = eachInTurn,
): Promise<number> {
  const nowMs = clock.wall();
  const { ids, workspace_ids } = items.excluded();
  const unopened = new Date(nowMs - MAX_RINGING_MS);
  const opened = new Date(nowMs - ENGINE_REPORT_TIMEOUT_MS);
  // Of all workspaces: ringing calls are few, in one range of an index.
  const calls = await sql<CallRow[]>`
    select * from live_calls
    where status = 'ringing' and channel = 'web' and (
      (media_nonce is null and (ringing_at <= ${unopened} or hangup_requested_reason <> '')) or ringing_at <= ${opened}
    ) and id <> all(${ids}) and workspace_id <> all(${workspace_ids})
    order by ringing_at limit ${BATCH_SIZE}`;
  let ended = 0;
  await items.run(calls, async (seen) => {
    if (seen.media_nonce !== null && (await hasUnreadEvents(bus, seen))) return;
    const moved = await beginItem(sql, async (tx) => {
      const call = await lockCall(tx, seen.workspace_id, seen.id);
      // The first audio has just arrived.
      if (call?.status !== 'ringing' || call.media_nonce !== seen.media_nonce) return false;
      const requested = call.hangup_requested_reason;
      const end = {
        status: 'canceled',
        hangup_by: requested === '' ? 'service' : 'member',
        hangup_reason: requested === '' ? 'canceled' : requested,
        level: requested === '' ? 'warning' : 'info',
        message:
          requested === ''
            ? `not connected: no audio ${call.provider === '' ? 'from the browser' : 'on the stream'}`
            : requested,
      } as const;
      return endUnconnected(tx, call, end, clock.wall());
    });
    if (!moved) return;
    ended += 1;
    log.info({ call_id: seen.id, opened: seen.media_nonce !== null }, 'browser call without audio ended');
    if (seen.media_nonce === null) return;
    const command = { call_id: seen.id, hangup_by: 'service', hangup_reason: 'canceled' } as const;
    await endLiveCall({ log, bus, carriers: new Map() }, seen, command);
  });
  return ended;
}

const INTERVAL_MS = 2_000;

/** Starts the polling job that ends browser calls without audio. */
export function startSilentCallJob(deps: SilentWebCallsDeps): PollingJob {
  const { sql, clock, log } = deps;
  const name = 'silent browser calls';
  const items = createItemRunner({ name, idField: 'call_id', clock, log, maxConcurrent: 2 });
  return startPollingJob({
    ...{ name, intervalMs: INTERVAL_MS, clock, log, items },
    openWork: { sql, query: "select from live_calls where status = 'ringing' and channel = 'web'" },
    async run() {
      await endSilentWebCalls(deps, items);
    },
  });
}
