import type { Bus } from '../../../shared/bus/bus.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { Sql } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { lockCall } from '../store.ts';
import { endUnconnected } from './call-state-machine.ts';
import { endLiveCall } from './hang-up.ts';

export interface SilentWebCallsDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  bus: Pick<Bus, 'sendHangUp'>;
}

/** A browser call is `ringing` until sound flows, for so long at most. */
export const MAX_RINGING_MS = 30_000;
/** One whose first sound came is the engine's, which tells its start or its end. Had it not done so by then, we end it. */
const ENGINE_REPORT_TIMEOUT_MS = 70_000;
const BATCH_SIZE = 100;

/**
 * Ends the browser calls whose sound never came: the button was pressed and the page closed, the microphone refused, the
 * network shut. Also those that were hung up before any sound came, at once. Each gives its slot back. A pass that is shown after
 * that opens nothing (`openSession`), although it is good for 60 seconds.
 *
 * @returns how many were ended.
 */
export async function endSilentWebCalls({ sql, clock, log, bus }: SilentWebCallsDeps): Promise<number> {
  const nowMs = clock.wall();
  const unopened = new Date(nowMs - MAX_RINGING_MS);
  const opened = new Date(nowMs - ENGINE_REPORT_TIMEOUT_MS);
  // Of every workspace: the ringing calls are few, and an index holds them.
  const calls = await sql<CallRow[]>`
    select * from calls
    where status = 'ringing' and channel = 'web' and (
      (media_nonce is null and (ringing_at <= ${unopened} or hangup_ordered_reason <> '')) or ringing_at <= ${opened}
    )
    order by ringing_at limit ${BATCH_SIZE}`;
  let ended = 0;
  for (const seen of calls) {
    const moved = await sql.begin(async (tx) => {
      const call = await lockCall(tx, seen.workspace_id, seen.id);
      // Its first sound came just now: it is the engine's.
      if (call?.status !== 'ringing' || call.media_nonce !== seen.media_nonce) return false;
      const ordered = call.hangup_requested_reason;
      const end = {
        status: 'canceled',
        hangup_by: ordered === '' ? 'service' : 'member',
        hangup_reason: ordered === '' ? 'canceled' : ordered,
        level: ordered === '' ? 'warning' : 'info',
        message: ordered === '' ? 'not connected: no sound came from the browser' : ordered,
      } as const;
      return endUnconnected(tx, call, end, clock.wall());
    });
    if (!moved) continue;
    ended += 1;
    log.info({ call_id: seen.id, opened: seen.media_nonce !== null }, 'a browser call without sound was ended');
    if (seen.media_nonce === null) continue;
    const order = { call_id: seen.id, hangup_by: 'service', hangup_reason: 'canceled' } as const;
    await endLiveCall({ log, bus, carriers: new Map() }, seen, order);
  }
  return ended;
}
