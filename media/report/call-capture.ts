import { createWriteStream } from 'node:fs';
import { rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { constants, createGzip } from 'node:zlib';
import type { CaptureEntry, CaptureHeader, CaptureLine } from '../../shared/capture.ts';
import { errorText, type Logger } from '../../shared/log.ts';

/** The tape of one call, while the call is on. Never waits and never throws: a tape that cannot be written is cut. */
export interface CallCapture {
  add(entry: CaptureEntry): void;
  /** Resolves when the file is whole, or given up. Idempotent. */
  close(): Promise<void>;
}

export interface CallCaptureOptions {
  /** `<call id>.tape.gz`; until it is whole `.part` stands behind it. */
  path: string;
  header: CaptureHeader;
  log: Logger;
  /** Left on the disk of the folder; for tests. */
  freeBytes?: (folder: string) => Promise<number>;
}

/** So much may wait for the disk. */
const MAX_BUFFERED_BYTES = 8 * 2 ** 20;
/** An hour of a call is some 40 MB of lines. */
const MAX_BYTES = 128 * 2 ** 20;
/** The disk is not ours alone: recordings may lie on it too. */
const MIN_FREE_BYTES = 512 * 2 ** 20;
/** After so many bytes of lines it is looked at again. */
const CHECK_DISK_EVERY_BYTES = 4 * 2 ** 20;
/** What an engine that dies loses of a tape. */
const FLUSH_EVERY_MS = 2_000;
/** The quickest: a tape is written beside calls that are on. */
const COMPRESSION_LEVEL = 1;

export function createCallCapture({ path, header: head, log, freeBytes = freeOn }: CallCaptureOptions): CallCapture {
  const part = `${path}.part`;
  const gzip = createGzip({ level: COMPRESSION_LEVEL });
  const file = createWriteStream(part, { mode: 0o600 });
  const { call_id } = head;
  let bytes = 0;
  let lookAtBytes = 0;
  let flushAtMs = Number.NEGATIVE_INFINITY;
  let lastMs = 0;
  let broken = false;
  let ended = false;
  let closing: Promise<void> | null = null;
  const fail = (error: unknown) => {
    if (!broken) log.warn({ call_id, error: errorText(error) }, 'the tape of a call cannot be written');
    broken = true;
    gzip.destroy();
    file.destroy();
  };
  gzip.on('error', fail);
  file.on('error', fail);
  const whole = new Promise<void>((resolve) => {
    file.on('close', resolve);
  });
  gzip.pipe(file);

  function write(line: CaptureLine): void {
    const text = `${JSON.stringify(line)}\n`;
    bytes += text.length;
    gzip.write(text);
    if (bytes >= lookAtBytes) look();
  }

  /** Nobody waits for the answer: meanwhile little can be written. */
  function look(): void {
    lookAtBytes = bytes + CHECK_DISK_EVERY_BYTES;
    freeBytes(dirname(path)).then(
      (free) => {
        if (free < MIN_FREE_BYTES && !broken && !ended) cut(lastMs, 'the disk is nearly full');
      },
      () => {},
    );
  }

  function cut(t: number, why: string): void {
    ended = true;
    write({ t, k: 'cut', why });
    log.warn({ call_id, why }, 'the tape of a call was cut');
  }

  async function finish(): Promise<void> {
    ended = true;
    if (!broken) gzip.end();
    await whole;
    if (!broken) await rename(part, path).catch(fail);
    if (broken) await rm(part, { force: true }).catch(() => {});
  }

  write(head);
  return {
    add(entry) {
      if (broken || ended) return;
      try {
        lastMs = Math.max(lastMs, entry.t);
        if (bytes > MAX_BYTES) cut(entry.t, 'too long');
        else if (gzip.writableLength > MAX_BUFFERED_BYTES) cut(entry.t, 'the disk is too slow');
        else write(entry);
        if (entry.t < flushAtMs) return;
        flushAtMs = entry.t + FLUSH_EVERY_MS;
        gzip.flush(constants.Z_SYNC_FLUSH);
      } catch (error) {
        fail(error);
      }
    },
    close() {
      closing ??= finish();
      return closing;
    },
  };
}

async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
