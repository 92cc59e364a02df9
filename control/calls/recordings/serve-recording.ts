import type { RecordingStore } from '../../../shared/recordings/recording-store.ts';
import type { AnySql } from '../../db/connect.ts';
import { HttpError, notFound } from '../../http/errors.ts';
import type { FileReply } from '../../http/route.ts';
import type { OpusRecordings } from '../../recordings/opus-recording.ts';
import { findRecording, type StoredRecording } from '../../recordings/stored-recording.ts';
import type { CallRow } from '../call-row.ts';

/**
 * Returns the response to a request for a call's recording: the whole file, or the part in its `Range` header (RFC 9110,
 * section 14; several ranges are answered with the whole file). The path in the store is made from the call's row only.
 * @throws HttpError 404 when there is no recording, 502 when the store does not answer.
 */
export async function recordingResponse(
  store: RecordingStore,
  call: Pick<CallRow, 'workspace_id' | 'id' | 'recorded' | 'recording_unknown'>,
  headers: { range?: string | undefined; 'if-range'?: string | string[] | undefined },
): Promise<FileReply> {
  const recording = await recordingOf(store, call);
  const { bytes: size, etag } = recording;
  const common = {
    'accept-ranges': 'bytes',
    'content-disposition': `attachment; filename="call-${call.id}.wav"`,
    'cache-control': 'private, no-transform',
    etag,
  };
  const changed = headers['if-range'] !== undefined && headers['if-range'] !== etag;
  const part = changed ? null : parseRange(headers.range, size);
  if (part === 'unsatisfiable') {
    return { status: 416, headers: { ...common, 'content-range': `bytes */${size}` }, body: '' };
  }
  const { start, end } = part ?? { start: 0, end: size - 1 };
  const length = { 'content-length': String(end - start + 1) };
  const body = recording.read(start, end);
  if (!part) return { headers: { ...common, ...length }, body };
  return { status: 206, headers: { ...common, ...length, 'content-range': `bytes ${start}-${end}/${size}` }, body };
}

/**
 * The same as Opus in Ogg, always the whole file: how long it is is known when it was made.
 * @throws HttpError as well as 501 and 503, where it cannot be encoded now.
 */
export async function opusResponse(
  store: RecordingStore,
  opus: OpusRecordings,
  call: Pick<CallRow, 'workspace_id' | 'id' | 'recorded' | 'recording_unknown'>,
): Promise<FileReply> {
  const recording = await recordingOf(store, call);
  const headers = {
    'content-type': 'audio/ogg',
    'accept-ranges': 'none',
    'content-disposition': `attachment; filename="call-${call.id}.ogg"`,
    'cache-control': 'private, no-transform',
  };
  return { headers, body: await opus.read(recording) };
}

/** `end` is inclusive. Null for the whole file: no range, an invalid one, or several. */
export function parseRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | null {
  const parts = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/.exec(header ?? '');
  if (!parts) return null;
  const [, first, last] = parts as unknown as [string, string, string];
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Number(last);
    return length === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Players request part after part: within this time one actor's requests are one audit event. */
const SAME_DOWNLOAD_WITHIN_MS = 10 * 60_000;

/** Whether the audit trail has a recent download of this recording by this actor. */
export async function wasFetchedRecently(
  sql: AnySql,
  { workspace_id, id }: Pick<CallRow, 'workspace_id' | 'id'>,
  actor: { kind: string; id: string },
  nowMs: number,
): Promise<boolean> {
  const [row] = await sql`
    select 1 from audit_events
    where workspace_id = ${workspace_id} and target_id = ${id} and action = 'recording.downloaded'
      and actor_kind = ${actor.kind} and actor_id = ${actor.id} and at > ${new Date(nowMs - SAME_DOWNLOAD_WITHIN_MS)}
    limit 1`;
  return row !== undefined;
}

async function recordingOf(
  store: RecordingStore,
  call: Pick<CallRow, 'workspace_id' | 'id' | 'recorded' | 'recording_unknown'>,
): Promise<StoredRecording> {
  const recording = call.recorded || call.recording_unknown ? await findOr502(store, call) : null;
  if (!recording) throw notFound('recording');
  return recording;
}

async function findOr502(
  store: RecordingStore,
  call: Pick<CallRow, 'workspace_id' | 'id'>,
): Promise<StoredRecording | null> {
  try {
    return await findRecording(store, call.workspace_id, call.id);
  } catch {
    throw new HttpError(502, 'the store of recordings did not answer; try again shortly');
  }
}
