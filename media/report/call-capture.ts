import { createWriteStream } from 'node:fs';
import { rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { constants, createGzip } from 'node:zlib';
import type { CaptureEntry, CaptureHeader, CaptureLine } from '../../shared/capture.ts';
import { errorText, type Logger } from '../../shared/log.ts';

/** Writes the capture of a live call. Never blocks and never throws: a capture that cannot be written is truncated. */
export interface CallCapture {
  add(entry: CaptureEntry): void;
  /** Ends the capture before its call, with a line that says why. */
  truncate(t: number, reason: string): void;
  /** Resolves when the file is complete or given up. Idempotent. */
  close(): Promise<void>;
}

export interface CallCaptureOptions {
  /** `<call id>.capture.gz`, with `.part` appended until the file is complete. */
  path: string;
  header: CaptureHeader;
  log: Logger;
  /** Free bytes on the folder's disk; replaced in tests. */
  freeBytes?: (folder: string) => Promise<number>;
}

/** Bytes that may wait for the disk. */
const MAX_BUFFERED_BYTES = 8 * 2 ** 20;
/** An hour of a call is some 40 MB of lines. */
const MAX_BYTES = 128 * 2 ** 20;
/** Recordings may share the disk. */
const MIN_FREE_BYTES = 512 * 2 ** 20;
/** The disk is checked again after this many bytes of lines. */
const CHECK_DISK_EVERY_BYTES = 4 * 2 ** 20;
/** At most this much of a capture is lost when the engine dies. */
const FLUSH_EVERY_MS = 2_000;
/** Lines are compressed together: each time takes a round through a thread, for a frame as for so many bytes. */
const BATCH_BYTES = 32_768;
/** The fastest level: the engine carries live calls meanwhile. */
const COMPRESSION_LEVEL = 1;

export function createCallCapture({ path, header, log, freeBytes = freeBytesOn }: CallCaptureOptions): CallCapture {
  const part = `${path}.part`;
  const gzip = createGzip({ level: COMPRESSION_LEVEL });
  const file = createWriteStream(part, { mode: 0o600 });
  const { call_id } = header;
  let batch = '';
  let bytes = 0;
  let checkDiskAtBytes = 0;
  let flushAtMs = Number.NEGATIVE_INFINITY;
  let lastMs = 0;
  let broken = false;
  let ended = false;
  let closing: Promise<void> | null = null;
  const fail = (error: unknown) => {
    if (!broken) log.warn({ call_id, error: errorText(error) }, 'call capture cannot be written');
    broken = true;
    gzip.destroy();
    file.destroy();
  };
  gzip.on('error', fail);
  file.on('error', fail);
  const fileClosed = new Promise<void>((resolve) => {
    file.on('close', resolve);
  });
  gzip.pipe(file);

  function write(line: CaptureLine): void {
    const text = `${JSON.stringify(line)}\n`;
    bytes += text.length;
    batch += text;
    if (batch.length >= BATCH_BYTES) compress();
    if (bytes >= checkDiskAtBytes) checkDisk();
  }

  function compress(): void {
    gzip.write(batch);
    batch = '';
  }

  /** Not awaited: little is written until the answer is there. */
  function checkDisk(): void {
    checkDiskAtBytes = bytes + CHECK_DISK_EVERY_BYTES;
    freeBytes(dirname(path)).then(
      (free) => {
        if (free < MIN_FREE_BYTES) truncate(lastMs, 'the disk is nearly full');
      },
      () => {},
    );
  }

  function truncate(t: number, reason: string): void {
    if (broken || ended) return;
    ended = true;
    write({ t, k: 'truncated', reason });
    log.warn({ call_id, reason }, 'call capture truncated');
  }

  async function finish(): Promise<void> {
    ended = true;
    if (!broken) gzip.end(batch);
    await fileClosed;
    if (!broken) await rename(part, path).catch(fail);
    if (broken) await rm(part, { force: true }).catch(() => {});
  }

  write(header);
  return {
    add(entry) {
      if (broken || ended) return;
      try {
        lastMs = Math.max(lastMs, entry.t);
        if (bytes > MAX_BYTES) truncate(entry.t, 'too long');
        else if (gzip.writableLength > MAX_BUFFERED_BYTES) truncate(entry.t, 'the disk is too slow');
        else write(entry);
        if (entry.t < flushAtMs) return;
        flushAtMs = entry.t + FLUSH_EVERY_MS;
        compress();
        gzip.flush(constants.Z_SYNC_FLUSH);
      } catch (error) {
        fail(error);
      }
    },
    truncate,
    close() {
      closing ??= finish();
      return closing;
    },
  };
}

async function freeBytesOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
