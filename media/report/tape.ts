import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createGzip } from 'node:zlib';
import { errorText, type Logger } from '../../shared/log.ts';
import type { TapeEntry, TapeHead, TapeLine } from '../../shared/tape.ts';

/** The tape of one call, while the call is on. Never waits and never throws: a tape that cannot be written is cut. */
export interface CallTape {
  note(entry: TapeEntry): void;
  /** Resolves when the file is whole, or given up. */
  close(): Promise<void>;
}

export interface CallTapeOptions {
  /** `<call id>.tape.gz`; until it is whole `.part` stands behind it. */
  path: string;
  head: TapeHead;
  log: Logger;
}

/** So much may wait for the disk. */
const MOST_WAITING_BYTES = 8 * 2 ** 20;
/** An hour of a call is some 40 MB of lines. */
const MOST_BYTES = 128 * 2 ** 20;
/** The quickest: a tape is written beside calls that are on. */
const LEVEL = 1;

export function createCallTape({ path, head, log }: CallTapeOptions): CallTape {
  const part = `${path}.part`;
  const gzip = createGzip({ level: LEVEL });
  const file = createWriteStream(part, { mode: 0o600 });
  let bytes = 0;
  let broken = false;
  let ended = false;
  const fail = (error: unknown) => {
    if (!broken) log.warn({ call_id: head.call_id, error: errorText(error) }, 'the tape of a call cannot be written');
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

  function write(line: TapeLine): void {
    const text = `${JSON.stringify(line)}\n`;
    bytes += text.length;
    gzip.write(text);
  }

  function cut(t: number, why: string): void {
    write({ t, k: 'cut', why });
    ended = true;
    log.warn({ call_id: head.call_id, why }, 'the tape of a call was cut');
  }

  write(head);
  return {
    note(entry) {
      if (broken || ended) return;
      if (bytes > MOST_BYTES) cut(entry.t, 'too long');
      else if (gzip.writableLength > MOST_WAITING_BYTES) cut(entry.t, 'the disk is too slow');
      else write(entry);
    },
    async close() {
      ended = true;
      if (!broken) gzip.end();
      await whole;
      if (broken) await rm(part, { force: true });
      else await rename(part, path).catch(fail);
    },
  };
}
