import postgres from 'postgres';
import type { Bus } from '../../../shared/bus/bus.ts';
import { type DeliveredEvent, EVENTS_CONSUMER } from '../../../shared/bus/event-consumer.ts';
import type { EventStream } from '../../../shared/bus/event-stream.ts';
import type { Clock } from '../../../shared/clock.ts';
import { errorText, type Logger } from '../../../shared/log.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { beginItem, isLockTimeout } from '../../db/item-runner.ts';
import type { CallRow } from '../call-row.ts';
import { insertDeadEvent } from './dead-events.ts';
import { createLockedCalls, type LockedCalls, putBackFirstAndLast } from './locked-calls.ts';
import { type ReceivedEvent, readEvent, receivedEvent } from './received-event.ts';
import { putAsideRefused, type WrittenCall, writeCallEvents } from './write-call-events.ts';
import { isEnd, setsOfEnds, writeEndedCalls } from './write-ended-calls.ts';
import { writePlainEvents } from './write-plain-events.ts';

export interface IngestDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  /** Reads the bus's stream, where an event is missing. */
  eventsAfter?: EventStream['eventsAfter'];
  /** Called after the commit of a call's `call.ended`. */
  onCallEnded?(call: CallRow): void;
  /** What is known from the batches before. */
  locked?: LockedCalls;
}

const BATCH_SIZE = 500;
const MAX_CONCURRENT_CALLS = 5;
/** Transactions of plain events, and of ends, at the same time: one is prepared while the database writes the other. */
const SIDE_BY_SIDE = 2;
/** Fewer plain events are one transaction. */
const MIN_EVENTS_TO_SPLIT = 100;
/** The changes of a call take milliseconds: the other calls of a batch wait for no row that is locked for longer. */
const LOCK_TIMEOUT = '250ms';
/** More of a call are read from the stream later. */
const MAX_EVENTS_READ = 1_000;
const GAP_RETRY_MS = 1_000;
const DATABASE_RETRY_MS = 1_000;

/** Consumes the engines' events until `stop`. */
export function startIngest(
  bus: Pick<Bus, 'consumeEvents'> & { events?: Pick<EventStream, 'eventsAfter'> },
  deps: IngestDeps,
): { stop(): Promise<void> } {
  const eventsAfter = bus.events?.eventsAfter;
  const whole = { ...deps, ...(eventsAfter ? { eventsAfter } : {}), locked: createLockedCalls(deps.clock) };
  return bus.consumeEvents(EVENTS_CONSUMER, BATCH_SIZE, (events) => ingest(whole, events));
}

/**
 * Writes a batch: each event once, those of one call in the order of their numbers. They are acknowledged after the commit; what
 * cannot be written now is redelivered, what never can be is dead-lettered.
 *
 * Events that change nothing but timelines and transcripts are written together, and so are ends of connected calls, with what they
 * cost; those of the other calls with a transaction for each call.
 */
export async function ingest(deps: IngestDeps, events: readonly DeliveredEvent[]): Promise<void> {
  const groups = new Map<string, ReceivedEvent[]>();
  for (const delivered of events) {
    const event = receivedEvent(delivered);
    if (!event) await putAsideUnreadable(deps, delivered);
    else if (!groups.get(event.call_id)?.push(event)) groups.set(event.call_id, [event]);
  }
  const present = [...groups.values()].filter((group) => !putBackLocked(deps, group));
  const ends = present.filter(isEnd);
  const others = present.filter((group) => !isEnd(group));
  const waiting = (await Promise.all([writePlain(deps, others), writeEnds(deps, ends)])).flat();
  const work = async () => {
    for (let group = waiting.shift(); group; group = waiting.shift()) await writeGroup(deps, group, false);
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_CALLS }, work));
}

/** Whether the row of the call was locked when it was tried last, a moment ago: its events are put back. */
function putBackLocked({ locked }: IngestDeps, group: Group): boolean {
  const waitMs = locked?.waitMs(group[0]!.call_id) ?? 0;
  if (waitMs > 0) putBackFirstAndLast(group, waitMs);
  return waitMs > 0;
}

type Group = readonly ReceivedEvent[];

/** Returns the groups that have to be written one by one. */
async function writePlain(deps: IngestDeps, groups: readonly Group[]): Promise<Group[]> {
  const events = groups.reduce((sum, group) => sum + group.length, 0);
  const parts = events < MIN_EVENTS_TO_SPLIT ? 1 : SIDE_BY_SIDE;
  const part = (nth: number) => groups.filter((_, index) => index % parts === nth);
  return (await Promise.all(Array.from({ length: parts }, (_, nth) => writePlainPart(deps, part(nth))))).flat();
}

async function writePlainPart({ sql, log }: IngestDeps, groups: readonly Group[]): Promise<readonly Group[]> {
  try {
    const { done, rest } = await writePlainEvents(sql, groups, LOCK_TIMEOUT);
    for (const { delivered } of done) delivered?.ack();
    return rest;
  } catch (error) {
    if (isNonRetryable(error) || isLockTimeout(error)) return groups;
    redeliver(log, error, groups.flat());
    return [];
  }
}

/** Returns the groups that have to be written one by one. */
async function writeEnds(deps: IngestDeps, groups: readonly Group[]): Promise<Group[]> {
  if (groups.length === 0) return [];
  try {
    const { sets, rest } = await setsOfEnds(deps.sql, groups, SIDE_BY_SIDE);
    const writeAll = async (list: Group[][]) => {
      for (const set of list) rest.push(...(await writeSet(deps, set)));
    };
    await Promise.all(sets.map(writeAll));
    return rest;
  } catch (error) {
    redeliver(deps.log, error, groups.flat());
    return [];
  }
}

async function writeSet(deps: IngestDeps, set: Group[], waits = false): Promise<Group[]> {
  const { sql, clock, log, locked, onCallEnded } = deps;
  try {
    const options = { waits, lockTimeout: LOCK_TIMEOUT, nowMs: clock.wall() };
    const { written, walletLocked, rest } = await writeEndedCalls(sql, set, options);
    for (const { call, received } of written) {
      for (const { delivered } of received) delivered?.ack();
      locked?.delete(call.id);
      onCallEnded?.(call);
    }
    // Each waits for its own wallet: those of other workspaces are written.
    for (const ofWorkspace of walletLocked) rest.push(...(await writeSet(deps, ofWorkspace, true)));
    return rest;
  } catch (error) {
    if (waits && isLockTimeout(error)) for (const group of set) putBack(deps, group);
    // Written one by one, the other calls do not suffer from the one that cannot be written.
    else if (error instanceof postgres.PostgresError) return set;
    else redeliver(log, error, set.flat());
    return [];
  }
}

/** The lock is tried again later. */
function putBack({ log, locked }: IngestDeps, group: Group): void {
  const callId = group[0]!.call_id;
  const waitMs = locked?.add(callId) ?? DATABASE_RETRY_MS;
  log.warn({ call_id: callId, wait_ms: waitMs }, "a call's row is locked; its events are put back");
  putBackFirstAndLast(group, waitMs);
}

async function writeGroup(deps: IngestDeps, group: Group, missingRead: boolean): Promise<void> {
  const { sql, clock, log } = deps;
  const callId = group[0]!.call_id;
  try {
    const write = (tx: Transaction) => writeCallEvents(tx, callId, group, { missingRead, nowMs: clock.wall(), log });
    const written = await beginItem(sql, write, LOCK_TIMEOUT);
    deps.locked?.delete(callId);
    acknowledge(deps, written);
    if (written.held.length > 0) await closeGap(deps, written, missingRead);
  } catch (error) {
    if (isLockTimeout(error)) putBack(deps, group);
    else if (!isNonRetryable(error)) redeliver(log, error, group);
    // One of them violates a constraint: written one by one, it does not block the others.
    else if (group.length > 1) {
      for (const event of [...group].sort((a, b) => a.seq - b.seq)) await writeGroup(deps, [event], missingRead);
    } else await putAsideAlone(deps, group[0]!, errorText(error));
  }
}

function acknowledge({ log, onCallEnded }: IngestDeps, { call, done, dead, ended }: WrittenCall): void {
  for (const { delivered } of done) delivered?.ack();
  for (const { event, reason } of dead) {
    log.error({ call_id: event.call_id, seq: event.seq, reason }, 'event dead-lettered');
    event.delivered?.term();
  }
  if (ended && call) onCallEnded?.(call);
}

/** Reads what is missing from the stream; what is not there either is waited for. */
async function closeGap(deps: IngestDeps, { call, held }: WrittenCall, wasRead: boolean): Promise<void> {
  if (wasRead) {
    for (const { delivered } of held) delivered?.nak(GAP_RETRY_MS);
    return;
  }
  let missing: ReceivedEvent[];
  try {
    missing = await readMissing(deps, call!, held);
  } catch (error) {
    deps.log.warn({ call_id: call!.id, error: errorText(error) }, 'missing events could not be read from the bus');
    for (const { delivered } of held) delivered?.nak(GAP_RETRY_MS);
    return;
  }
  await writeGroup(deps, [...held, ...missing], true);
}

/** The events of the call that the stream has behind those that were applied, until nothing is missing before `held`. */
async function readMissing(
  { eventsAfter }: IngestDeps,
  { id, media_seq, media_stream_seq }: CallRow,
  held: readonly ReceivedEvent[],
): Promise<ReceivedEvent[]> {
  if (!eventsAfter) return [];
  const have = new Set(held.map(({ seq }) => seq));
  const last = Math.max(...have);
  let missing = last - media_seq - 1 - [...have].filter((seq) => seq > media_seq && seq < last).length;
  // A stream that was made anew, or an event that was stored late: read from the start.
  const behind = held.some(({ position }) => position <= media_stream_seq) ? 0 : media_stream_seq;
  const read: ReceivedEvent[] = [];
  for await (const stored of eventsAfter(id, behind)) {
    const event = readEvent(stored);
    if (!event || event.seq <= media_seq || have.has(event.seq)) continue;
    have.add(event.seq);
    read.push(event);
    if (event.seq < last) missing--;
    if (missing === 0 || read.length === MAX_EVENTS_READ) break;
  }
  return read;
}

async function putAsideUnreadable({ sql, clock, log }: IngestDeps, delivered: DeliveredEvent): Promise<void> {
  const { call_id, position, raw } = delivered;
  const reason = 'unreadable';
  try {
    await insertDeadEvent(sql, { call_id, seq: null, position, raw, reason }, clock.wall());
  } catch (error) {
    log.warn({ error: errorText(error) }, 'dead-lettering failed; the event will be redelivered');
    delivered.nak(DATABASE_RETRY_MS);
    return;
  }
  log.error({ call_id, position, reason }, 'event dead-lettered');
  delivered.term();
}

async function putAsideAlone({ sql, clock, log }: IngestDeps, event: ReceivedEvent, reason: string): Promise<void> {
  try {
    await sql.begin((tx) => putAsideRefused(tx, event, reason, clock.wall()));
  } catch (error) {
    log.warn({ error: errorText(error) }, 'dead-lettering failed; the event will be redelivered');
    event.delivered?.nak(DATABASE_RETRY_MS);
    return;
  }
  log.error({ call_id: event.call_id, seq: event.seq, reason }, 'event dead-lettered');
  event.delivered?.term();
}

function redeliver(log: Logger, error: unknown, events: readonly ReceivedEvent[]): void {
  log.warn({ error: errorText(error), events: events.length }, 'writing events failed; they will be redelivered');
  for (const { delivered } of events) delivered?.nak(DATABASE_RETRY_MS);
}

/** Data exception (class 22) or constraint violation (class 23): a retry cannot help. */
function isNonRetryable(error: unknown): boolean {
  return error instanceof postgres.PostgresError && /^2[23]/.test(error.code);
}

/** An engine that reaches the bus has published by then what it stored while the bus was away; one that does not is lost. */
const ENGINES_PUBLISH_WITHIN_MS = 45_000;

/**
 * Whether there may be events of a call that are not written yet: on the bus, where there may be thousands after an outage, however old
 * they are, or still at its engine, while the bus has not been reachable for long enough. A call is not ended without its engine before
 * they are. True also when the bus cannot say.
 */
export async function hasUnreadEvents(
  bus: Pick<Bus, 'lastEventSeq' | 'reachableForMs'>,
  call: Pick<CallRow, 'id' | 'media_seq' | 'media_nonce'>,
): Promise<boolean> {
  if (call.media_nonce !== null && bus.reachableForMs() < ENGINES_PUBLISH_WITHIN_MS) return true;
  const stored = await bus.lastEventSeq(call.id).catch(() => Number.POSITIVE_INFINITY);
  return stored > call.media_seq;
}
