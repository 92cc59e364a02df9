import type { AnySql } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';

/** Between two looks at a call. */
const LOOK_UP_INTERVAL_MS = 15_000;

/**
 * Takes calls that ring without an engine, were dialled or came in before that time, and are known to their carriers: they are to be
 * looked up there. They are due again after a while, as long as they ring; one process at a time takes a call.
 */
export async function takeRingingCalls(
  sql: AnySql,
  { providers, dialledBefore, limit }: { providers: readonly string[]; dialledBefore: number; limit: number },
  nowMs: number,
): Promise<CallRow[]> {
  if (providers.length === 0) return [];
  return sql<CallRow[]>`
    with due as (
      select id from live_calls
      where status = 'ringing' and dial_state = '' and media_nonce is null and carrier_ended_at is null
        and provider_call_id <> '' and provider = any(${[...providers]}) and ringing_at < ${new Date(dialledBefore)}
        and (dial_due_at is null or dial_due_at <= ${new Date(nowMs)})
      order by ringing_at limit ${limit} for no key update skip locked
    )
    update live_calls set dial_due_at = ${new Date(nowMs + LOOK_UP_INTERVAL_MS)} from due where live_calls.id = due.id
    returning live_calls.*`;
}
