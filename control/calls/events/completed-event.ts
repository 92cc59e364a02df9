import { transcriptText } from '../../../shared/transcript.ts';
import { createBatchedLookup } from '../../db/batched-lookup.ts';
import type { AnySql, Sql } from '../../db/connect.ts';
import type { CompleteBody } from '../../webhooks/envelope.ts';
import { callRecord } from '../call-record.ts';
import type { CallRow, StoredTranscriptItem } from '../call-row.ts';

/**
 * The data of `call.completed`: the whole record of a call, with its transcript, which lies in the call's row only. The event is stored,
 * on the timeline and for deliveries, with the number of lines in place of the lines; they are put in when it is read or sent. Lines are only
 * added to a transcript, never changed, so the event stays what it was. Events of earlier versions have their lines themselves.
 */

type Transcript = readonly StoredTranscriptItem[];
type Data = Record<string, unknown>;

/** As it is stored: every field of the record, times in UTC. */
export function completedCallData(call: CallRow): Data {
  const record: Data = {};
  for (const name of Object.keys(callRecord.shape)) {
    const value = name === 'queue_position' ? null : call[name as keyof CallRow];
    record[name] = value instanceof Date ? utc(value) : value;
  }
  record.transcript = call.transcript.length;
  if (call.transfer) record.transfer = { ...call.transfer, at: utc(call.transfer.at) };
  return { call: record };
}

/** How many lines are to be put into the data; null for data that is whole. */
function linesLeftOut({ call }: Data): number | null {
  const lines = (call as { transcript?: unknown } | undefined)?.transcript;
  return typeof lines === 'number' ? lines : null;
}

/** Puts the transcript into data that was stored without it, and the transcript as text; other data is returned as it is. */
export function withTranscript(data: Data, transcript: Transcript): Data {
  const lines = linesLeftOut(data);
  if (lines === null) return data;
  const said = transcript.slice(0, lines);
  const items = said.map((item) => ({ ...item, at: utc(item.at) }));
  return { ...data, call: { ...(data.call as Data), transcript: items, transcript_text: transcriptText(said) } };
}

/**
 * Completes the stored bodies of `call.completed`; null when the call was deleted meanwhile. Calls of bodies that are completed at about
 * the same time are read with one query.
 */
export function createBodyCompletion(sql: Sql): CompleteBody {
  const transcriptOf = createBatchedLookup((callIds) => transcriptsOf(sql, callIds));
  return async ({ event_type, call_id, body }) => {
    if (!body || event_type !== 'call.completed') return body;
    const event = JSON.parse(body) as { data: Data };
    if (linesLeftOut(event.data) === null) return body;
    const transcript = await transcriptOf(call_id);
    return transcript && JSON.stringify({ ...event, data: withTranscript(event.data, transcript) });
  };
}

/** One look-up for each call, so that it reads one month of calls each, and not every month. */
async function transcriptsOf(sql: AnySql, callIds: readonly string[]): Promise<Map<string, Transcript>> {
  const rows = await sql<{ id: string; transcript: StoredTranscriptItem[] }[]>`
    select wanted.id, call.transcript from unnest(${[...callIds]}::text[]) as wanted (id)
    cross join lateral (select transcript from finished_calls where finished_calls.id = wanted.id limit 1) as call`;
  return new Map(rows.map(({ id, transcript }) => [id, transcript]));
}

/** `YYYY-MM-DDThh:mm:ss.sss+00:00` */
const utc = (instant: Date | number) => new Date(instant).toISOString().replace('Z', '+00:00');
