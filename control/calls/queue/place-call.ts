import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { requireActive } from '../../agents/agent-for-call.ts';
import { isInShare } from '../../agents/canary-share.ts';
import type { AnySql, Sql } from '../../db/connect.ts';
import type { Actor } from '../../http/authenticate.ts';
import { HttpError, notFound, outOfCredits, validationError } from '../../http/errors.ts';
import { KeyTakenError, type KeyToTake } from '../../http/idempotency.ts';
import { chooseAmong } from '../../numbers/number-lookups.ts';
import type { CallRow, UserData } from '../call-row.ts';
import type { NewEvent } from '../events/timeline.ts';
import { wakeDispatcher } from '../lifecycle/call-state-machine.ts';
import type { NewCall } from '../store.ts';
import { type AskedAgent, type PlacementFacts, readPlacementFacts } from './placement-facts.ts';
import { MAX_COUNTED_POSITION, positionBehind } from './queue-position.ts';
import { queuedCall } from './queued-call.ts';
import { type NewQueuedCall, writePlacement } from './write-placement.ts';

/** A call of an agent, as it was requested. */
export interface CallToPlace {
  /** E.164 */
  to_number: string;
  from_number?: string | undefined;
  user_data: UserData;
  not_before?: Date | undefined;
}

interface OfAgent {
  workspace_id: string;
  agent_id: string;
}

interface RequestedCall extends OfAgent, CallToPlace {
  /** Its name becomes `started_by`: a person, a key's label, or `batch <name>`. */
  actor: Actor;
}

export interface PlaceCallRequest extends RequestedCall {
  /** The key of the request, which is taken with the call. */
  key?: KeyToTake | null;
}

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
 * @throws KeyTakenError when the key is in use.
 */
export async function placeCall(sql: Sql, clock: Pick<Clock, 'wall'>, request: PlaceCallRequest): Promise<PlacedCall> {
  const nowMs = clock.wall();
  const call = timed(request, nowMs);
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const [outcome] = await place(sql, nowMs, [call], { batch_id: null, skipLocked: false });
    if (outcome instanceof Error) throw outcome;
    if (outcome) return outcome;
  }
  throw changesAllTheTime();
}

/**
 * Queues calls of any agents, with as many statements as one. Of each: the call, why it is refused, or null where the agent changed or is
 * locked, so that it is placed by itself. Either all or none of them have a number to call from, and none a time before which it waits.
 */
export async function placeCalls(
  sql: Sql,
  nowMs: number,
  requests: readonly PlaceCallRequest[],
): Promise<(PlacedCall | Error | null)[]> {
  const calls = requests.map((request) => timed(request, nowMs));
  return place(sql, nowMs, calls, { batch_id: null, skipLocked: true });
}

/**
 * Queues calls of one agent in the caller's transaction, with as many statements as one: all of them or, with an error, none.
 * Without the check of credits, which follows when a call is dequeued.
 */
export async function placeCallsIn(
  tx: AnySql,
  nowMs: number,
  { calls, batch_id, ...same }: PlaceCallsRequest,
): Promise<PlacedCall[]> {
  // The queue is ordered by time: each call gets a millisecond of its own.
  const timedCalls = calls.map((call, index) => timed({ ...call, ...same }, nowMs + index));
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const outcomes = await place(tx, nowMs, timedCalls, { batch_id: batch_id ?? null, skipLocked: false, whole: true });
    // All or none; a refusal was thrown.
    if (outcomes[0]) return outcomes as PlacedCall[];
  }
  throw changesAllTheTime();
}

const changesAllTheTime = () => new Error('the agent or its number changes all the time');

interface PlaceOptions {
  batch_id: string | null;
  skipLocked: boolean;
  /** All or none, and whether they can be paid for does not matter. */
  whole?: boolean;
}

/** Of each call: the call as it was written, why it is refused, or null where what was read changed before it was written. */
async function place(
  sql: AnySql,
  nowMs: number,
  calls: readonly TimedCall[],
  { batch_id, skipLocked, whole = false }: PlaceOptions,
): Promise<(PlacedCall | Error | null)[]> {
  // In the order of the queue.
  const order = calls.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const agents = agentsOf(order);
  const is_later = order[0]!.queued_at.getTime() > nowMs;
  const facts = await readPlacementFacts(sql, [...agents.values()], { batch_id, is_later }, nowMs);
  const factsOf = new Map([...agents.keys()].map((name, nth) => [name, facts[nth]!]));
  const outcomes = new Map<string, PlacedCall | Error>();
  const rows: NewQueuedCall[] = [];
  const rowsOfWorkspaces = new Map<string, number>();
  for (const call of order) {
    const { workspace_id } = call;
    const before = rowsOfWorkspaces.get(workspace_id) ?? 0;
    try {
      const { row, placed } = newRow(call, factsOf.get(nameOf(call)) ?? null, { batch_id, before, mustPay: !whole });
      rows.push(row);
      outcomes.set(call.id, placed);
      rowsOfWorkspaces.set(workspace_id, before + 1);
    } catch (error) {
      if (whole || !(error instanceof HttpError)) throw error;
      outcomes.set(call.id, error);
    }
  }
  if (rows.length > 0) {
    const has_receivers = facts.some((each) => each?.has_receivers);
    const written = await writePlacement(sql, rows, { has_receivers, whole, skipLocked, nowMs });
    for (const { id } of rows) {
      if (written.keyTaken.has(id)) outcomes.set(id, new KeyTakenError());
      else if (!written.placed.has(id)) outcomes.delete(id);
    }
    if (written.placed.size > 0)
      for (const workspaceId of rowsOfWorkspaces.keys()) await wakeDispatcher(sql, workspaceId);
  }
  return calls.map(({ id }) => outcomes.get(id) ?? null);
}

const nameOf = ({ workspace_id, agent_id }: OfAgent) => `${workspace_id} ${agent_id}`;

/** The agents of these calls; positions are counted from a workspace's first call. */
function agentsOf(order: readonly TimedCall[]): Map<string, AskedAgent> {
  const agents = new Map<string, AskedAgent>();
  const firsts = new Map<string, TimedCall>();
  for (const call of order) {
    const { workspace_id, agent_id, from_number } = call;
    const first = firsts.get(workspace_id) ?? call;
    firsts.set(workspace_id, first);
    const requested = agents.get(nameOf(call))?.from ?? null;
    const from = from_number === undefined ? requested : [...new Set([...(requested ?? []), from_number])];
    agents.set(nameOf(call), { workspace_id, agent_id, first, from });
  }
  return agents;
}

interface RowOptions {
  batch_id: string | null;
  /** Calls of the workspace that are placed before it with the same statement. */
  before: number;
  mustPay: boolean;
}

/** What is written of a call, and the call as it will be. @throws HttpError as `placeCall`. */
function newRow(call: TimedCall, found: PlacementFacts | null, { batch_id, before, mustPay }: RowOptions) {
  if (!found) throw notFound('agent');
  const facts = factsOfCall(found, call);
  requireActive(facts);
  const data = newCall(call, facts, batch_id);
  if (mustPay && !facts.can_pay) throw outOfCredits();
  const callsBefore = facts.calls_before + before;
  const placed: PlacedCall = { ...queuedCall(data), queue_position: positionBehind(callsBefore) };
  const { key } = call;
  const row: NewQueuedCall = {
    ...data,
    event: queuedEvent(facts, call, callsBefore),
    audited: batch_id === null ? call.actor : null,
    key: key ? { ...key, ...key.responseTo(placed) } : null,
  };
  return { row, placed };
}

/** With the version that this call uses. */
function factsOfCall(facts: PlacementFacts, { agent_id, id }: TimedCall): PlacementFacts {
  const { canary } = facts;
  if (!canary || !isInShare(agent_id, id, canary.percent)) return facts;
  return { ...facts, version: canary.version, variables: canary.variables };
}

type TimedCall = PlaceCallRequest & Pick<CallRow, 'id' | 'created_at' | 'queued_at'>;

function timed(call: PlaceCallRequest, atMs: number): TimedCall {
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
function newCall(call: TimedCall, facts: PlacementFacts, batch_id: string | null): NewCall {
  const { workspace_id, agent_id, id, to_number, user_data, not_before = null, created_at, queued_at, actor } = call;
  const { number: from_number, provider } = chooseAmong(facts.numbers, call.from_number);
  return {
    ...{ workspace_id, agent_id, batch_id, id, agent_name: facts.name, agent_version: facts.version },
    ...{ direction: 'outbound', channel: 'phone', status: 'queued', from_number, to_number, user_data, provider },
    ...{ started_by: actor.name, created_at, not_before_at: not_before, queued_at, currency: facts.currency },
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
