import type { FoundDial, FoundDials } from '../../carriers/dial.ts';
import type { AnySql, Sql, Transaction } from '../../db/connect.ts';
import type { OpenWorkQuery } from '../../db/open-work.ts';
import type { CallRow } from '../call-row.ts';
import { lockCallById } from '../store.ts';
import { changeCall } from './call-state-machine.ts';
import { DIAL_TIMEOUT_MS, isKnownToBeDialled, recordAccepted, refuseDial } from './dial-outcome.ts';

/**
 * Dials whose answer did not come. The call stays `ringing` until the carrier's callbacks, its stream or a look at the carrier's
 * own list say what became of it; nothing is told, charged or dialled again before. Whoever looks holds the row's due time, so that
 * a process that dies is followed by another one.
 */

/** Between two looks. */
const LOOK_UP_INTERVAL_MS = 5_000;
/** A list may be late: a call counts as not taken after this time, and after so many looks that did not show it. */
const MISSING_AFTER_MS = 30_000;
const MISSING_LOOKS = 3;
const BATCH_SIZE = 20;

/** Dials without an answer, those that are to be sent again, up to `max` together, and since when the oldest of the former is open. */
export async function countDials(
  sql: AnySql,
  nowMs: number,
  max: number,
): Promise<{ unknown: number; slowed: number; oldest_unknown_at: Date | null }> {
  const now = new Date(nowMs);
  const [row] = await sql<{ unknown: number; slowed: number; oldest_unknown_at: Date | null }[]>`
    select count(*) filter (where not slowed)::integer as unknown, count(*) filter (where slowed)::integer as slowed,
      min(ringing_at) filter (where not slowed) as oldest_unknown_at
    from (
      select dial_state = 'slowed' as slowed, ringing_at from live_calls
      where status = 'ringing' and (dial_state in ('unknown', 'slowed') or (dial_state = 'requested' and dial_due_at <= ${now}))
      limit ${max}
    ) as dial`;
  return row!;
}

/** Finds a row while a dial waits for its answer. */
export const unansweredDials: OpenWorkQuery = `
  select from live_calls where status = 'ringing' and dial_state in ('requested', 'unknown')`;

/** Takes calls whose dial is to be looked up; they are due again if nothing is written meanwhile. */
export async function takeLostDials(sql: Sql, limit: number, nowMs: number): Promise<CallRow[]> {
  return sql<CallRow[]>`
    with due as (
      select id from live_calls
      where status = 'ringing' and dial_due_at <= ${new Date(nowMs)} and dial_state in ('requested', 'unknown')
      order by dial_due_at limit ${Math.min(limit, BATCH_SIZE)} for no key update skip locked
    )
    update live_calls set dial_due_at = ${new Date(nowMs + DIAL_TIMEOUT_MS)} from due where live_calls.id = due.id
    returning live_calls.*`;
}

export type LostDialStep =
  | { do: 'take'; dial: FoundDial }
  /** The carrier never had the call. */
  | { do: 'give up' }
  | { do: 'look again'; tries: number };

/**
 * What follows a look. `found` is null where the carrier did not answer, and holds no calls that are known to be others.
 * `ambiguous`: another call to the same number waits for its id as well.
 */
export function afterLook(
  { dial_tries, dialled_at_ms }: { dial_tries: number; dialled_at_ms: number },
  found: FoundDials | null,
  ambiguous: boolean,
  nowMs: number,
): LostDialStep {
  const [dial, ...others] = found?.dials ?? [];
  if (dial && others.length === 0 && !ambiguous) return { do: 'take', dial };
  if (dial || !found?.complete) return { do: 'look again', tries: dial_tries };
  const tries = dial_tries + 1;
  if (tries >= MISSING_LOOKS && nowMs - dialled_at_ms >= MISSING_AFTER_MS) return { do: 'give up' };
  return { do: 'look again', tries };
}

export interface SettledLostDial {
  /** Not wanted any more: the caller hangs it up at the carrier. */
  unwanted: CallRow | null;
  /** What the carrier's list says of the call that was found. */
  dial: FoundDial | null;
}

/** Writes what a look at the carrier's list showed. */
export async function settleLostDial(
  sql: Sql,
  callId: string,
  found: FoundDials | null,
  nowMs: number,
): Promise<SettledLostDial> {
  return sql.begin(async (tx) => {
    const nothing = { unwanted: null, dial: null };
    const call = await lockCallById(tx, callId);
    if (call?.status !== 'ringing' || (call.dial_state !== 'requested' && call.dial_state !== 'unknown'))
      return nothing;
    if (isKnownToBeDialled(call)) {
      await changeCall(tx, call, { dial_state: '', dial_due_at: null });
      return nothing;
    }
    const dials = found && { ...found, dials: await unclaimed(tx, call, found.dials) };
    const ambiguous = dials !== null && !dials.exact && dials.dials.length > 0 && (await hasTwin(tx, call));
    const dialled_at_ms = call.ringing_at!.getTime();
    const step = afterLook({ dial_tries: call.dial_tries, dialled_at_ms }, dials, ambiguous, nowMs);
    switch (step.do) {
      case 'take':
        return { unwanted: await recordAccepted(tx, call, step.dial, nowMs), dial: step.dial };
      case 'give up':
        await refuseDial(tx, call, { accepted: false, reason: 'the carrier does not know the call' }, nowMs);
        return nothing;
      case 'look again': {
        const dial_due_at = new Date(nowMs + LOOK_UP_INTERVAL_MS);
        await changeCall(tx, call, { dial_state: 'unknown', dial_due_at, dial_tries: step.tries });
        return nothing;
      }
    }
  });
}

/** Without those that are other calls of the service. */
async function unclaimed(tx: Transaction, { provider }: CallRow, dials: readonly FoundDial[]): Promise<FoundDial[]> {
  if (dials.length === 0) return [];
  const ids = dials.map(({ provider_call_id }) => provider_call_id);
  const rows = await tx<{ provider_call_id: string }[]>`
    select provider_call_id from calls where provider = ${provider} and provider_call_id = any(${ids})
      and provider_call_id <> ''`;
  const known = new Set(rows.map(({ provider_call_id }) => provider_call_id));
  return dials.filter(({ provider_call_id }) => !known.has(provider_call_id));
}

/** Whether another call between the same numbers has no id of the carrier yet: a list by numbers cannot tell the two apart. */
async function hasTwin(tx: Transaction, { id, provider, from_number, to_number }: CallRow): Promise<boolean> {
  const rows = await tx`
    select 1 from live_calls
    where status = 'ringing' and dial_due_at is not null and id <> ${id} and provider = ${provider} and from_number = ${from_number}
      and to_number = ${to_number} and provider_call_id = '' limit 1`;
  return rows.length > 0;
}
