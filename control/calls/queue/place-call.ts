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

interface PlacementRequest {
  workspace_id: string;
  agent_id: string;
  /** Its name becomes `started_by`: a person, a key's label, or `batch <name>`. */
  actor: Actor;
}

export interface PlaceCallRequest extends PlacementRequest, CallToPlace {
  /** The idempotent request that this carries out; marked so together with the call. */
  claim?: IdempotencyClaim | null;
}

export interface PlaceCallsRequest extends PlacementRequest {
  /** The batch they are placed for. */
  batch_id?: string | undefined;
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
export async function placeCall(sql: Sql, clock: Clock, request: PlaceCallRequest): Promise<PlacedCall> {
  const { workspace_id, agent_id, actor, claim = null } = request;
  const [placed] = await place(sql, clock.wall(), { workspace_id, agent_id, actor, calls: [request] }, claim, {
    mustPay: true,
  });
  return placed!;
}

/**
 * Queues calls of one agent in the caller's transaction, with as many statements as one: all of them or, with an error, none.
 * Without the check of credits, which follows when a call is dequeued.
 */
export async function placeCallsIn(tx: AnySql, nowMs: number, request: PlaceCallsRequest): Promise<PlacedCall[]> {
  return place(tx, nowMs, request, null, { mustPay: false });
}

async function place(
  sql: AnySql,
  nowMs: number,
  request: PlaceCallsRequest,
  claim: IdempotencyClaim | null,
  { mustPay }: { mustPay: boolean },
): Promise<PlacedCall[]> {
  const { workspace_id, agent_id, batch_id = null, actor } = request;
  // The queue is ordered by time: each call gets a millisecond of its own.
  const calls = request.calls.map((call, index) => timed(call, nowMs + index));
  const requested = calls.flatMap(({ from_number }) => from_number ?? []);
  const from = requested.length === 0 ? null : requested;
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const facts = await readPlacementFacts(
      sql,
      { workspace_id, agent_id, from },
      { workspace_id, batch_id, ...calls[0]! },
      nowMs,
    );
    if (!facts) throw notFound('agent');
    requireActive(facts);
    const rows = calls.map((call, index) => ({
      ...newCall(request, facts, call),
      event: queuedEvent(facts, call, facts.calls_before + index, actor),
    }));
    if (mustPay && !facts.can_pay) throw outOfCredits();
    const audited = batch_id === null ? actor : null;
    const placed = await writePlacement(sql, { calls: rows, audited, claim, has_receivers: facts.has_receivers });
    if (placed.length === 0) continue;
    await wakeDispatcher(sql, workspace_id);
    return placed.map((call, index) => ({ ...call, queue_position: positionBehind(facts.calls_before + index) }));
  }
  throw new Error('the agent or its number changes all the time');
}

type TimedCall = CallToPlace & Pick<CallRow, 'id' | 'created_at' | 'queued_at'>;

function timed(call: CallToPlace, atMs: number): TimedCall {
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
function newCall(
  { workspace_id, agent_id, batch_id, actor }: PlaceCallsRequest,
  facts: PlacementFacts,
  call: TimedCall,
): NewCall {
  const { id, to_number, user_data, not_before, created_at, queued_at } = call;
  const { number: from_number, provider } = chooseAmong(facts.numbers, call.from_number);
  return {
    ...{ workspace_id, id, agent_id, agent_name: facts.name, agent_version: facts.version },
    ...(batch_id === undefined ? {} : { batch_id }),
    ...{ direction: 'outbound', channel: 'phone', status: 'queued', from_number, to_number, user_data, provider },
    ...{ started_by: actor.name, created_at, not_before_at: not_before ?? null, queued_at, currency: facts.currency },
  };
}

function queuedEvent(
  { variables }: PlacementFacts,
  { user_data, created_at }: TimedCall,
  before: number,
  actor: Actor,
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
