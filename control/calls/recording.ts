import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { notFound } from '../http/errors.ts';
import type { FileAnswer } from '../http/route.ts';
import type { CallRow } from './call-row.ts';

/**
 * A call's recording as the answer to a request: the whole file, or the part its `Range` header asks for (RFC 9110,
 * section 14; several ranges at once are answered with the whole). The file's name comes from the call's row only.
 * @throws HttpError 404 when the call was not recorded or the file is gone.
 */
export async function answerRecording(
  recordingsDir: string,
  call: Pick<CallRow, 'id' | 'recorded'>,
  headers: { range?: string | undefined; 'if-range'?: string | string[] | undefined },
): Promise<FileAnswer> {
  const file = call.recorded ? await openFile(join(recordingsDir, `${call.id}.wav`)) : null;
  if (!file) throw notFound('recording');
  let streaming = false;
  try {
    const { size, mtimeMs } = await file.stat();
    const etag = `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
    const common = {
      'accept-ranges': 'bytes',
      'content-disposition': `attachment; filename="call-${call.id}.wav"`,
      'cache-control': 'private, no-transform',
      etag,
    };
    const changed = headers['if-range'] !== undefined && headers['if-range'] !== etag;
    const part = changed ? null : readRange(headers.range, size);
    if (part === 'unsatisfiable') {
      return { status: 416, headers: { ...common, 'content-range': `bytes */${size}` }, body: '' };
    }
    const { start, end } = part ?? { start: 0, end: size - 1 };
    const length = { 'content-length': String(end - start + 1) };
    if (size === 0) return { headers: { ...common, 'content-length': '0' }, body: '' };
    streaming = true;
    const body = file.createReadStream({ start, end });
    if (!part) return { headers: { ...common, ...length }, body };
    return { status: 206, headers: { ...common, ...length, 'content-range': `bytes ${start}-${end}/${size}` }, body };
  } finally {
    if (!streaming) await file.close();
  }
}

/** `end` is the last byte of the part. Null for the whole: no range, one that cannot be read, or several. */
export function readRange(
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

async function openFile(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
