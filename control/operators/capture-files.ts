import { createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { CaptureEntry, CaptureLine } from '../../shared/capture.ts';
import { readCaptureFile } from '../../shared/capture-file.ts';
import { redactContent } from '../../shared/capture-redaction.ts';
import { ID_PATTERN } from '../../shared/ids.ts';
import { OperatorError } from './command.ts';

const CAPTURE_SUFFIX = '.capture.gz';
/** While the call is live, or after its engine crashed. */
const UNFINISHED_SUFFIX = '.capture.gz.part';
const ENDS_IN_THE_MIDDLE = 'the file ends in the middle';

/** Copies a capture to a file, redacted unless `words`; an incomplete one gets an entry that says so. @returns its lines. */
export function exportCapture(folder: string, callId: string, to: string, words: boolean): Promise<number> {
  return copyCapture(folder, callId, to, words ? (line) => line : (line) => redactContent(line));
}

/**
 * Copies a capture to a file line by line; `change` returns null for a line to leave out. An incomplete one gets an entry that says
 * so. @returns its lines. Throws what `change` throws, and leaves no file then.
 */
export async function copyCapture(
  folder: string,
  callId: string,
  to: string,
  change: (line: CaptureLine) => CaptureLine | null,
): Promise<number> {
  const from = await capturePath(folder, callId);
  let lines = 0;
  const part = `${to}.part`;
  const { lines: source, isComplete } = readCaptureFile(from);
  async function* copied() {
    let t = 0;
    const written = (line: CaptureLine | null) => {
      if (line === null) return '';
      lines++;
      return `${JSON.stringify(line)}\n`;
    };
    for await (const text of source) {
      const line = JSON.parse(text) as CaptureLine;
      if (line.k !== 'header') t = line.t;
      yield written(change(line));
    }
    if (await isComplete()) return;
    yield written(change({ t, k: 'truncated', reason: ENDS_IN_THE_MIDDLE } satisfies CaptureEntry));
  }
  try {
    await pipeline(Readable.from(copied()), createGzip(), createWriteStream(part, { mode: 0o600 }));
    await rename(part, to);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return lines;
}

/** Throws OperatorError when the folder has no capture of the call. */
export async function capturePath(folder: string, callId: string): Promise<string> {
  if (!ID_PATTERN.test(callId)) throw new OperatorError(`${callId} is not a call id`);
  for (const suffix of [CAPTURE_SUFFIX, UNFINISHED_SUFFIX]) {
    const path = join(folder, callId + suffix);
    if (await stat(path).catch(() => null)) return path;
  }
  throw new OperatorError(`no capture of call ${callId} in ${folder}`);
}

/** Newest first. */
export async function listCaptures(folder: string) {
  const found = (await readdir(folder)).flatMap((name) => {
    const suffix = [CAPTURE_SUFFIX, UNFINISHED_SUFFIX].find((suffix) => name.endsWith(suffix));
    return suffix ? [{ name, call_id: name.slice(0, -suffix.length), complete: suffix === CAPTURE_SUFFIX }] : [];
  });
  const captures = await Promise.all(
    found.map(async ({ name, ...capture }) => {
      // It may have been completed or deleted meanwhile.
      const file = await stat(join(folder, name)).catch(() => null);
      return file ? [{ ...capture, size_bytes: file.size, made_at: file.mtime }] : [];
    }),
  );
  return captures.flat().sort((a, b) => b.made_at.getTime() - a.made_at.getTime());
}
