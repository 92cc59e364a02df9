import postgres from 'postgres';
import type { Bus } from '../../../shared/bus/bus.ts';
import type { DeliveredEvent } from '../../../shared/bus/event-consumer.ts';
import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { errorText, type Logger } from '../../../shared/log.ts';
import type { AnySql, Sql, Transaction } from '../../db/connect.ts';
import { storableText } from '../../db/storable-text.ts';
import type { CallRow } from '../call-row.ts';
import { lockCallById } from '../store.ts';
import { applyMediaEvents } from './apply-media-events.ts';
import { type MediaEvent, parseMediaEvent } from './media-event.ts';

export interface IngestDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  /** Called after the commit of a call's `call.ended`. */
  onCallEnded?(call: CallRow): void;
}

/** The JetStream consumer that all control processes share: each event goes to one of them. */
const CONSUMER = 'control';
const BATCH_SIZE = 200;
const MAX_CONCURRENT_CALLS = 5;
/** An event waits this long for the one before it. */
const PREDECESSOR_TIMEOUT_MS = 30_000;
const RETRY_DELAY_MS = 300;
const DATABASE_RETRY_DELAY_MS = 1_000;

/** Consumes the engines' events until `stop`. */
export function startIngest(bus: Pick<Bus, 'consumeEvents'>, deps: IngestDeps): { stop(): Promise<void> } {
  return bus.consumeEvents(CONSUMER, BATCH_SIZE, (events) => ingest(deps, events));
}

/**
 * Writes a batch: the events of one call in one transaction, in the order of their numbers, each once. They are acknowledged
 * after the commit; what cannot be written now is redelivered, what never can be is dead-lettered.
 */
export async function ingest(deps: IngestDeps, events: readonly DeliveredEvent[]): Promise<void> {
  const groups = new Map<string, DeliveredEvent[]>();
  for (const delivered of events) {
    const key = delivered.event?.call_id ?? '';
    const group = groups.get(key);
    if (group) group.push(delivered);
    else groups.set(key, [delivered]);
  }
  const waiting = [...groups.values()];
  const work = async () => {
    for (let group = waiting.shift(); group; group = waiting.shift()) await writeGroup(deps, group);
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_CALLS }, work));
}

async function writeGroup(deps: IngestDeps, group: readonly DeliveredEvent[]): Promise<void> {
  const { sql, log } = deps;
  try {
    const acknowledgements = await sql.begin((tx) => writeCall(deps, tx, group));
    for (const answer of acknowledgements) answer();
  } catch (error) {
    if (!isNonRetryable(error)) {
      log.warn({ error: errorText(error), events: group.length }, 'writing events failed; they will be redelivered');
      for (const delivered of group) delivered.nak(DATABASE_RETRY_DELAY_MS);
      return;
    }
    // One of them violates a constraint: written one by one, it does not block the others.
    if (group.length > 1) for (const delivered of sortBySeq(group)) await writeGroup(deps, [delivered]);
    else await deadLetterAlone(deps, group[0]!, errorText(error));
  }
}

type Acknowledgement = () => void;

async function writeCall(
  { clock, log, onCallEnded: ended }: IngestDeps,
  tx: Transaction,
  group: readonly DeliveredEvent[],
): Promise<Acknowledgement[]> {
  const nowMs = clock.wall();
  const acknowledgements: Acknowledgement[] = [];
  const deadLetter = async (delivered: DeliveredEvent, reason: string) => {
    await insertDeadEvent(tx, delivered, reason, nowMs);
    acknowledgements.push(() => {
      const { event } = delivered;
      log.error({ call_id: event?.call_id, seq: event?.seq, reason }, 'event dead-lettered');
      delivered.term();
    });
  };

  const callId = group[0]?.event?.call_id ?? '';
  const call = callId === '' ? null : await lockCallById(tx, callId);
  if (!call) {
    for (const delivered of group) await deadLetter(delivered, delivered.event ? 'unknown call' : 'unreadable');
    return acknowledgements;
  }

  const written = await writtenAmong(tx, call.id, call.media_seq, group);
  const fresh: MediaEvent[] = [];
  let mediaSeq = call.media_seq;
  for (const delivered of sortBySeq(group)) {
    const { seq } = delivered.event!;
    if (written.has(seq)) {
      acknowledgements.push(delivered.ack);
      continue;
    }
    const inTurn = seq <= mediaSeq + 1 || nowMs - delivered.stored_at_ms > PREDECESSOR_TIMEOUT_MS;
    if (!inTurn) {
      acknowledgements.push(() => delivered.nak(RETRY_DELAY_MS));
      continue;
    }
    const event = parseMediaEvent(delivered.event!);
    if (typeof event === 'string') await deadLetter(delivered, event);
    else {
      fresh.push(event);
      acknowledgements.push(delivered.ack);
    }
    // The events behind a dead-lettered one do not wait for it.
    written.add(seq);
    mediaSeq = Math.max(mediaSeq, seq);
  }
  await applyMediaEvents(tx, call, fresh, mediaSeq, nowMs);
  if (fresh.some(({ type }) => type === 'call.ended')) acknowledgements.push(() => ended?.(call));
  return acknowledgements;
}

const sortBySeq = (group: readonly DeliveredEvent[]) =>
  [...group].sort((a, b) => (a.event?.seq ?? 0) - (b.event?.seq ?? 0));

/** Numbers of the batch that are on the timeline already. */
async function writtenAmong(
  tx: Transaction,
  callId: string,
  mediaSeq: number,
  group: readonly DeliveredEvent[],
): Promise<Set<number>> {
  const old = group.flatMap(({ event }) => (event && event.seq <= mediaSeq ? [event.seq] : []));
  if (old.length === 0) return new Set();
  const rows = await tx<{ source_seq: number }[]>`
    select source_seq from call_events
    where call_id = ${callId} and source = 'media' and source_seq = any(${old})`;
  return new Set(rows.map(({ source_seq }) => source_seq));
}

async function insertDeadEvent(
  sql: AnySql,
  { event, raw }: DeliveredEvent,
  reason: string,
  nowMs: number,
): Promise<void> {
  await sql`
    insert into dead_events (id, received_at, reason, call_id, raw)
    values (${newId(nowMs)}, ${new Date(nowMs)}, ${storableText(reason).slice(0, 300)},
      ${storableText(event?.call_id ?? '').slice(0, 64)}, ${Buffer.from(raw)})`;
}

async function deadLetterAlone(
  { sql, clock, log }: IngestDeps,
  delivered: DeliveredEvent,
  reason: string,
): Promise<void> {
  const { event } = delivered;
  try {
    await sql.begin(async (tx) => {
      const call = event ? await lockCallById(tx, event.call_id) : null;
      await insertDeadEvent(tx, delivered, reason, clock.wall());
      if (call && event) await applyMediaEvents(tx, call, [], Math.max(call.media_seq, event.seq), clock.wall());
    });
  } catch (error) {
    log.warn({ error: errorText(error) }, 'dead-lettering failed; the event will be redelivered');
    delivered.nak(DATABASE_RETRY_DELAY_MS);
    return;
  }
  log.error({ call_id: event?.call_id, seq: event?.seq, reason }, 'event dead-lettered');
  delivered.term();
}

/** Data exception (class 22) or constraint violation (class 23): a retry cannot help. */
function isNonRetryable(error: unknown): boolean {
  return error instanceof postgres.PostgresError && /^2[23]/.test(error.code);
}

/** Events on the bus are read by then, or cannot be read. */
const MAX_BACKLOG_WAIT_MS = 5 * 60_000;

/**
 * Whether the bus holds events of a call that are not written yet: after an outage there may be thousands. A call is not ended
 * without its engine before they are. True also when the bus cannot say.
 *
 * @param since when the call's end became due.
 */
export async function hasUnreadEvents(
  bus: Pick<Bus, 'lastEventSeq'>,
  call: Pick<CallRow, 'id' | 'media_seq'>,
  since: Date,
  nowMs: number,
): Promise<boolean> {
  if (nowMs - since.getTime() > MAX_BACKLOG_WAIT_MS) return false;
  const stored = await bus.lastEventSeq(call.id).catch(() => Number.POSITIVE_INFINITY);
  return stored > call.media_seq;
}
