import type { Sql, Transaction } from '../../db/connect.ts';
import { beginItem } from '../../db/item-runner.ts';
import type { CallRow } from '../call-row.ts';
import { changesCall, type MediaEvent } from './media-event.ts';
import type { ReceivedEvent } from './received-event.ts';
import { insertEvents } from './timeline.ts';

/** A live call, as far as its plain events need it. */
type LiveCall = Pick<
  CallRow,
  'workspace_id' | 'id' | 'agent_id' | 'batch_id' | 'event_seq' | 'media_seq' | 'media_stream_seq'
>;

/** Events of a call that follow on what is written of it. */
export interface NextEvents<Call extends LiveCall = LiveCall> {
  call: Call;
  events: MediaEvent[];
  received: ReceivedEvent[];
}

/**
 * Writes the events of many calls with one transaction, as far as they are plain: they change nothing of a connected call but its
 * timeline and transcript, they follow on what is written, and the call's row is not locked. Four statements, whatever the number
 * of calls and events.
 *
 * @param groups the events of one call each.
 * @param lockTimeout of PostgreSQL: what else they need to lock is waited for so long.
 * @returns what was written, and the groups that were not.
 */
export async function writePlainEvents(
  sql: Sql,
  groups: readonly (readonly ReceivedEvent[])[],
  lockTimeout: string,
): Promise<{ done: ReceivedEvent[]; rest: readonly (readonly ReceivedEvent[])[] }> {
  const plain = new Map(groups.flatMap((group) => (isPlain(group) ? [[group[0]!.call_id, group]] : [])));
  if (plain.size === 0) return { done: [], rest: groups };
  const written = await beginItem(sql, write, lockTimeout);
  const ids = new Set(written.map(({ call }) => call.id));
  return {
    done: written.flatMap(({ received }) => received),
    rest: groups.filter((group) => !ids.has(group[0]!.call_id)),
  };

  async function write(tx: Transaction): Promise<NextEvents[]> {
    const calls = await lockLiveCalls(tx, [...plain.keys()]);
    const ready = calls.flatMap((call) => nextEvents(call, plain.get(call.id)!) ?? []);
    if (ready.length === 0) return [];
    await insertEvents(tx, ready);
    await recordRead(tx, ready);
    return ready;
  }
}

const isPlain = (group: readonly ReceivedEvent[]) =>
  group.every(({ parsed, delivered }) => typeof parsed !== 'string' && !changesCall(parsed) && !delivered?.redelivered);

/** Null when the events do not follow on the last one written, without gap and duplicate. */
export function nextEvents<Call extends LiveCall>(
  call: Call,
  group: readonly ReceivedEvent[],
): NextEvents<Call> | null {
  const received = [...group].sort((a, b) => a.seq - b.seq);
  if (!received.every(({ seq }, index) => seq === call.media_seq + index + 1)) return null;
  return { call, received, events: received.map(({ parsed }) => parsed as MediaEvent) };
}

/** Locked rows are left out, so that they delay no other call. */
async function lockLiveCalls(tx: Transaction, callIds: readonly string[]): Promise<LiveCall[]> {
  return await tx<LiveCall[]>`
    select workspace_id, id, agent_id, batch_id, event_seq, media_seq, media_stream_seq from live_calls
    where id = any(${[...callIds]}) and status = 'in-progress'
    order by id for no key update skip locked`;
}

/** The last of these and of what was read before, in the bus's stream. */
export const positionOf = ({ call, received }: NextEvents) =>
  Math.max(call.media_stream_seq, ...received.map(({ position }) => position));

/** Writes how far the calls' events are read, and their lines of the transcripts. */
export async function recordRead(tx: Transaction, groups: readonly NextEvents[]): Promise<void> {
  const linesOf = ({ events }: NextEvents) => {
    const lines = events.flatMap(({ transcript }) => transcript);
    return lines.length === 0 ? null : JSON.stringify(lines);
  };
  await tx`
    update live_calls set event_seq = read.event_seq, media_seq = read.media_seq, media_stream_seq = read.position,
      transcript = case when read.lines is null then transcript else transcript || read.lines::jsonb end
    from unnest(
      ${groups.map(({ call }) => call.id)}::text[],
      ${groups.map(({ call, events }) => call.event_seq + events.length)}::integer[],
      ${groups.map(({ call, events }) => call.media_seq + events.length)}::integer[],
      ${groups.map(positionOf)}::bigint[], ${groups.map(linesOf)}::text[]
    ) as read (id, event_seq, media_seq, position, lines)
    where live_calls.id = read.id`;
}
