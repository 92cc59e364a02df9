import type { BookCallbackReply, BookCallbackRequest } from '../../../shared/bus/messages.ts';
import type { Clock } from '../../../shared/clock.ts';
import { ID_PATTERN, newId } from '../../../shared/ids.ts';
import { errorText, type Logger } from '../../../shared/log.ts';
import { E164_PATTERN } from '../../../shared/phone.ts';
import { MAX_RESCHEDULE_NOTE_CHARS } from '../../../shared/reschedule.ts';
import { agentForNewCall, agentOfCall } from '../../agents/agent-for-call.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { storableLine } from '../../db/storable-text.ts';
import type { CallRow } from '../call-row.ts';
import { writeEvents } from '../events/timeline.ts';
import { changeCall, wakeDispatcher } from '../lifecycle/call-state-machine.ts';
import { insertCall, lockCall, lockCallById } from '../store.ts';
import { type CallbackTime, describeCallbackTime, resolveCallbackTime } from './callback-time.ts';
import { positionInQueue } from './queue-position.ts';

/** A callback is a call of its own that waits in the queue until its time. */

export interface CallbackBooking {
  /** As the language model wrote it. */
  when: string;
  note: string;
  /** Requested by the agent's tool during the call, or found by the check after it. */
  source: 'tool' | 'post_call';
}

/** A refusal is a text for the model; `at_ms` is the requested time, null when it could not be parsed. */
export type CallbackOutcome = { booked: CallRow; at_ms: number } | { refused: string; at_ms: number | null };

const MAX_CHAIN_LENGTH = 3;

/**
 * Books a callback to the caller, in the transaction that holds the lock on `call`: writes the new call, the references in both
 * directions, and `call.rescheduled`. The same time again is the same booking; another time moves it while it is queued.
 */
export async function bookCallback(
  tx: Transaction,
  call: CallRow,
  { when, note, source }: CallbackBooking,
  nowMs: number,
): Promise<CallbackOutcome> {
  const { workspace_id, agent_id } = call;
  // As in `writePlacement`: a deletion of the agent finds this call in the queue, or the call is not made.
  await tx`select id from agents where workspace_id = ${workspace_id} and id = ${agent_id} for key share`;
  const agent = await agentOfCall(tx, call);
  if (!agent?.config.call.auto_reschedule) return { refused: 'call backs are not booked here', at_ms: null };
  const time = resolveCallbackTime(when, agent.config.call, nowMs);
  if ('refused' in time) return time;
  const { at_ms } = time;
  const before = call.rescheduled_to === null ? null : await lockCall(tx, workspace_id, call.rescheduled_to);
  if (before) return moveBooking(tx, call, before, { at_ms, note, source }, nowMs);
  const numbers = callbackNumbers(call);
  if (typeof numbers === 'string') return { refused: numbers, at_ms };
  if ((await chainLength(tx, call)) >= MAX_CHAIN_LENGTH) {
    return { refused: `at most ${MAX_CHAIN_LENGTH} call backs follow one call`, at_ms };
  }
  const booked = await insertBooked(tx, call, agent.id, numbers, at_ms, nowMs);
  await changeCall(tx, call, { rescheduled_to: booked.id });
  await writeRescheduled(tx, call, booked.id, { at_ms, note, source }, nowMs);
  return { booked, at_ms };
}

/** Writes a warning to the timeline when a time that was requested in the call cannot be booked. */
export async function reportUnbookable(
  tx: Transaction,
  call: CallRow,
  { refused, at_ms, note }: Extract<CallbackTime, { refused: string }> & { note: string },
  nowMs: number,
): Promise<void> {
  await writeEvents(tx, call, [
    {
      type: 'call.rescheduled',
      level: 'warning',
      message: `no call back was booked: ${refused}`,
      latency_ms: null,
      data: { call_id: '', at: at_ms === null ? null : utc(at_ms), source: 'post_call', note },
      at_ms: nowMs,
    },
  ]);
}

/** Serves an engine's request: its agent called the tool. */
export async function handleBookCallback(
  { sql, clock, log }: { sql: Sql; clock: Clock; log: Logger },
  { call_id, when, note }: BookCallbackRequest,
): Promise<BookCallbackReply> {
  const no = (message: string) => ({ booked: false, message });
  if (!ID_PATTERN.test(call_id)) return no('the call is not known');
  const work = sql.begin(async (tx) => {
    const call = await lockCallById(tx, call_id);
    if (call?.status !== 'in-progress') return no('the call is over');
    const booking = {
      when: when.slice(0, 60),
      note: storableLine(note).slice(0, MAX_RESCHEDULE_NOTE_CHARS).toWellFormed(),
      source: 'tool',
    } as const;
    const outcome = await bookCallback(tx, call, booking, clock.wall());
    if ('refused' in outcome) return no(outcome.refused);
    const timezone = await zoneOfAgent(tx, call);
    return { booked: true, message: describeCallbackTime(outcome.at_ms, { timezone }) };
  });
  return work.catch((error: unknown) => {
    log.error({ call_id, error: errorText(error) }, 'booking a callback failed');
    return no('the service could not do it');
  });
}

interface BookedCallback {
  at_ms: number;
  note: string;
  source: CallbackBooking['source'];
}

/** Moves a queued callback to another time. */
async function moveBooking(
  tx: Transaction,
  call: CallRow,
  before: CallRow,
  booking: BookedCallback,
  nowMs: number,
): Promise<CallbackOutcome> {
  if (before.not_before_at?.getTime() === booking.at_ms) return { booked: before, at_ms: booking.at_ms };
  if (before.status !== 'queued') return { refused: 'the call back was made already', at_ms: booking.at_ms };
  const at = new Date(booking.at_ms);
  await changeCall(tx, before, { not_before_at: at, queued_at: at });
  await wakeDispatcher(tx, call.workspace_id);
  await writeRescheduled(tx, call, before.id, booking, nowMs);
  return { booked: before, at_ms: booking.at_ms };
}

async function insertBooked(
  tx: Transaction,
  call: CallRow,
  agentId: string,
  { from_number, to_number }: CallNumbers,
  at_ms: number,
  nowMs: number,
): Promise<CallRow> {
  const { workspace_id, id, user_data, started_by, provider, currency } = call;
  const at = new Date(at_ms);
  const bookedId = newId(nowMs);
  // Its row is locked.
  const agent = (await agentForNewCall(tx, workspace_id, agentId, bookedId))!;
  const booked = await insertCall(tx, {
    ...{ workspace_id, from_number, to_number, user_data, started_by, provider, currency },
    id: bookedId,
    agent_id: agent.id,
    agent_name: agent.name,
    agent_version: agent.version,
    direction: 'outbound',
    channel: 'phone',
    status: 'queued',
    created_at: new Date(nowMs),
    not_before_at: at,
    queued_at: at,
  });
  await changeCall(tx, booked, { rescheduled_from: id });
  await writeEvents(tx, booked, [
    {
      type: 'call.queued',
      level: 'info',
      message: 'queued as a call back',
      latency_ms: null,
      data: { position: await positionInQueue(tx, booked, nowMs), by: started_by, rescheduled_from: id },
      at_ms: nowMs,
    },
  ]);
  await wakeDispatcher(tx, workspace_id);
  return booked;
}

async function writeRescheduled(
  tx: Transaction,
  call: CallRow,
  callbackId: string,
  booking: BookedCallback,
  nowMs: number,
): Promise<void> {
  const at = utc(booking.at_ms);
  await writeEvents(tx, call, [
    {
      type: 'call.rescheduled',
      level: 'info',
      message: `a call back is booked for ${at}`,
      latency_ms: null,
      data: { call_id: callbackId, at, source: booking.source, note: booking.note },
      at_ms: nowMs,
    },
  ]);
}

interface CallNumbers {
  from_number: string;
  to_number: string;
}

/** The numbers of the callback, or why there are none. An inbound caller is called from the number they called. */
function callbackNumbers({ direction, channel, from_number, to_number }: CallRow): CallNumbers | string {
  if (channel !== 'phone') return 'there is no telephone number to call';
  const numbers =
    direction === 'outbound' ? { from_number, to_number } : { from_number: to_number, to_number: from_number };
  if (!E164_PATTERN.test(numbers.to_number)) return 'the number of the caller is not known';
  return numbers;
}

/** The number of callbacks that led to this call. */
async function chainLength(tx: Transaction, { workspace_id, id }: CallRow): Promise<number> {
  const [row] = await tx<{ length: number }[]>`
    with recursive chain as (
      select rescheduled_from, 0 as length from calls where workspace_id = ${workspace_id} and id = ${id}
      union all
      select calls.rescheduled_from, chain.length + 1
      from chain join calls on calls.workspace_id = ${workspace_id} and calls.id = chain.rescheduled_from
      where chain.length <= ${MAX_CHAIN_LENGTH}
    )
    select max(length)::integer as length from chain`;
  return row?.length ?? 0;
}

async function zoneOfAgent(tx: Transaction, call: CallRow): Promise<string> {
  const agent = await agentOfCall(tx, call);
  return agent?.config.call.timezone ?? '';
}

/** `YYYY-MM-DDThh:mm:ss.sss+00:00` */
const utc = (wallMs: number) => new Date(wallMs).toISOString().replace('Z', '+00:00');
