import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { requireActive } from '../../agents/agent-for-call.ts';
import type { AnySql, Sql } from '../../db/connect.ts';
import type { Actor } from '../../http/authenticate.ts';
import { notFound, outOfCredits, validationError } from '../../http/errors.ts';
import type { IdempotencyClaim } from '../../http/idempotency.ts';
import { chooseAmong } from '../../numbers/number-lookups.ts';
import type { CallRow, UserData } from '../call-row.ts';
import type { NewEvent } from '../events/timeline.ts';
import { wakeDispatcher } from '../lifecycle/call-state-machine.ts';
import type { NewCall } from '../store.ts';
import { type PlacementFacts, readPlacementFacts } from './placement-facts.ts';
import { MAX_COUNTED_POSITION, positionBehind } from './queue-position.ts';
import { writePlacement } from './write-placement.ts';

/** A call of an agent, as it was requested. */
export interface CallToPlace {
  /** E.164 */
  to_number: string;
  from_number?: string | undefined;
  user_data: UserData;
  not_before?: Date | undefined;
}

interface RequestedCall extends CallToPlace {
  /** Its name becomes `started_by`: a person, a key's label, or `batch <name>`. */
  actor: Actor;
  /** The idempotent request that this carries out; marked so together with the call. */
  claim?: IdempotencyClaim | null;
}

interface OfAgent {
  workspace_id: string;
  agent_id: string;
}

export interface PlaceCallRequest extends OfAgent, RequestedCall {}

export interface PlaceCallsRequest extends OfAgent {
  /** The batch they are placed for. */
  batch_id?: string | undefined;
  actor: Actor;
  /** At least one; either all or none with a number to call from. Queued in this order. */
  calls: readonly CallToPlace[];
}

/** A queued call, and its position in the queue at that time. */
export interface PlacedCall extends CallRow {
  queue_position: number;
}

const MAX_BOOK_AHEAD_MS = 7 * 24 * 3_600_000;
/** The agent, its number or its workspace changed between reading and writing. */
const MAX_TRIES = 5;

/**
 * Queues an outbound call and wakes the dispatcher, with one statement that reads and one that writes.
 * @throws HttpError in this order: 404 agent, 409 paused or frozen, 400 no caller number, 402 out of credits.
 */
export async function placeCall(sql: Sql, clock: Pick<Clock, 'wall'>, request: PlaceCallRequest): Promise<PlacedCall> {
  const [placed] = await placeCalls(sql, clock.wall(), request, [request]);
  return placed!;
}

/** The same for several calls, all or none. Either all or none of them have a number to call from, or a time before which they wait. */
export async function placeCalls(
  sql: Sql,
  nowMs: number,
  { workspace_id, agent_id }: OfAgent,
  calls: readonly RequestedCall[],
): Promise<PlacedCall[]> {
  const timedCalls = calls.map((call) => timed(call, nowMs));
  // In the order of the queue.
  const order = timedCalls.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const placed = await place(sql, nowMs, { workspace_id, agent_id }, order, { mustPay: true });
  const byId = new Map(placed.map((call) => [call.id, call]));
  return timedCalls.map(({ id }) => byId.get(id)!);
}

/**
 * Queues calls of one agent in the caller's transaction, with as many statements as one: all of them or, with an error, none.
 * Without the check of credits, which follows when a call is dequeued.
 */
export async function placeCallsIn(
  tx: AnySql,
  nowMs: number,
  { calls, actor, ...ofAgent }: PlaceCallsRequest,
): Promise<PlacedCall[]> {
  // The queue is ordered by time: each call gets a millisecond of its own.
  const timedCalls = calls.map((call, index) => timed({ ...call, actor }, nowMs + index));
  return place(tx, nowMs, ofAgent, timedCalls, { mustPay: false });
}

async function place(
  sql: AnySql,
  nowMs: number,
  { workspace_id, agent_id, batch_id }: OfAgent & Pick<PlaceCallsRequest, 'batch_id'>,
  calls: readonly TimedCall[],
  { mustPay }: { mustPay: boolean },
): Promise<PlacedCall[]> {
  const agent = { workspace_id, agent_id, ...(batch_id === undefined ? {} : { batch_id }) };
  const requested = calls.flatMap(({ from_number }) => from_number ?? []);
  const from = requested.length === 0 ? null : requested;
  const first = { workspace_id, batch_id: batch_id ?? null, ...calls[0]! };
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const facts = await readPlacementFacts(sql, { workspace_id, agent_id, from }, first, nowMs);
    if (!facts) throw notFound('agent');
    requireActive(facts);
    const rows = calls.map((call, index) => ({
      ...newCall(agent, facts, call),
      event: queuedEvent(facts, call, facts.calls_before + index),
      audited: batch_id === undefined ? call.actor : null,
      claim: call.claim ?? null,
    }));
    if (mustPay && !facts.can_pay) throw outOfCredits();
    const placed = await writePlacement(sql, rows, facts);
    if (placed.length === 0) continue;
    await wakeDispatcher(sql, workspace_id);
    return placed.map((call, index) => ({ ...call, queue_position: positionBehind(facts.calls_before + index) }));
  }
  throw new Error('the agent or its number changes all the time');
}

type TimedCall = RequestedCall & Pick<CallRow, 'id' | 'created_at' | 'queued_at'>;

function timed(call: RequestedCall, atMs: number): TimedCall {
  const { not_before } = call;
  if (not_before && not_before.getTime() > atMs + MAX_BOOK_AHEAD_MS) {
    throw validationError('not_before may lie at most 7 days ahead', ['not_before'], not_before.toISOString());
  }
  const created_at = new Date(atMs);
  return {
    ...call,
    id: newId(atMs),
    created_at,
    queued_at: not_before && not_before > created_at ? not_before : created_at,
  };
}

/** @throws HttpError 400 without a number to call from. */
function newCall(agent: OfAgent & { batch_id?: string }, facts: PlacementFacts, call: TimedCall): NewCall {
  const { id, to_number, user_data, not_before, created_at, queued_at } = call;
  const { number: from_number, provider } = chooseAmong(facts.numbers, call.from_number);
  return {
    ...agent,
    ...{ id, agent_name: facts.name, agent_version: facts.version },
    ...{ direction: 'outbound', channel: 'phone', status: 'queued', from_number, to_number, user_data, provider },
    ...{
      started_by: call.actor.name,
      created_at,
      not_before_at: not_before ?? null,
      queued_at,
      currency: facts.currency,
    },
  };
}

function queuedEvent(
  { variables }: PlacementFacts,
  { user_data, created_at, actor }: TimedCall,
  before: number,
): NewEvent {
  const missing = variables.filter((name) => !Object.hasOwn(user_data, name));
  const position = positionBehind(before);
  return {
    type: 'call.queued',
    level: 'info',
    message: position > MAX_COUNTED_POSITION ? 'queued far behind' : `queued at position ${position}`,
    latency_ms: null,
    data: { position, by: actor.name, ...(missing.length > 0 ? { missing } : {}) },
    at_ms: created_at.getTime(),
  };
}
