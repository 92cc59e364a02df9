import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { LINE_RATE } from '../audio/format.ts';
import { WAV_HEADER_BYTES, wavHeader } from '../audio/wav.ts';

/** What the agent said may still be cut this far back. */
const BEHIND_SAMPLES = 2 * LINE_RATE;
/** The agent's samples may lie this far ahead of the caller's. */
const AHEAD_SAMPLES = LINE_RATE;
/** What is written at a time. */
const PIECE_SAMPLES = LINE_RATE;
/** Behind, one piece that is not yet written, and ahead. */
const RING_SAMPLES = BEHIND_SAMPLES + PIECE_SAMPLES + AHEAD_SAMPLES;
/** A disk that is so many pieces (seconds) behind has failed. */
const MOST_PIECES = 20;
const CLOSE_WAIT_MS = 10_000;
const DISCARD_WAIT_MS = 2000;
const BYTES_PER_SAMPLE = 4;

export interface Recorder {
  /** The caller's next samples, 8 kHz: their count is the recording's timeline. */
  caller(samples: Int16Array): void;
  /**
   * Samples of the agent that the caller hears from `atSample` of the caller's timeline on. Written over what was
   * there. What lies more than 1 s ahead of the caller, or more than 2 s behind, is left out.
   */
  agent(samples: Int16Array, atSample: number): void;
  /** Everything of the agent from here on was never heard; at most 2 s back. */
  cutAgent(fromSample: number): void;
  /**
   * Ends the file at the caller's last sample and gives it its name; waits 12 s at most. Never rejects: whether there
   * is a file says `failed`. Idempotent.
   */
  close(): Promise<{ path: string; durationSeconds: number }>;
  /** The disk could not take it; nothing more is recorded and there will be no file. */
  readonly failed: boolean;
}

/**
 * Records one call as 16-bit stereo at 8 kHz, caller left, agent right; keeps the last 4 s (128 kB) in memory. The file is `<path>.part` until it is complete. Writes are asynchronous and one after the other.
 */
export function createRecorder(options: { path: string; clock: Clock; log: Logger }): Recorder {
  const { path, clock, log } = options;
  const partPath = `${path}.part`;
  const left = new Int16Array(RING_SAMPLES);
  const right = new Int16Array(RING_SAMPLES);
  const spare: Uint8Array[] = [];
  let heard = 0;
  /** From here on the agent's side of the ring is silent. */
  let agentEnd = 0;
  let taken = 0;
  let waiting = 0;
  let failed = false;
  let closing: Promise<{ path: string; durationSeconds: number }> | null = null;
  let file: FileHandle | null = null;

  let work: Promise<void> = create();

  async function create(): Promise<void> {
    try {
      await mkdir(dirname(path), { recursive: true });
      file = await open(partPath, 'w');
      await writeAll(file, wavHeader(LINE_RATE, 2, 0), 0);
    } catch (error) {
      fail(errorText(error));
    }
  }

  function fail(reason: string): void {
    if (failed) return;
    failed = true;
    log.error({ path, reason }, 'recording stopped');
  }

  /** Takes samples that nothing can change any more out of the ring and to the disk. */
  function take(count: number): void {
    const bytes = spare.pop() ?? new Uint8Array(PIECE_SAMPLES * BYTES_PER_SAMPLE);
    for (let i = 0, at = 0, place = taken % RING_SAMPLES; i < count; i++, place++) {
      if (place === RING_SAMPLES) place = 0;
      const l = left[place]!;
      const r = right[place]!;
      bytes[at++] = l & 0xff;
      bytes[at++] = (l >> 8) & 0xff;
      bytes[at++] = r & 0xff;
      bytes[at++] = (r >> 8) & 0xff;
      right[place] = 0;
    }
    const position = WAV_HEADER_BYTES + taken * BYTES_PER_SAMPLE;
    taken += count;
    waiting++;
    work = work.then(() => write(bytes, count, position));
    if (waiting > MOST_PIECES) fail('the disk is too slow');
  }

  async function write(bytes: Uint8Array, count: number, position: number): Promise<void> {
    waiting--;
    if (failed || !file) return;
    try {
      await writeAll(file, bytes.subarray(0, count * BYTES_PER_SAMPLE), position);
      if (spare.length < 2) spare.push(bytes);
    } catch (error) {
      fail(errorText(error));
    }
  }

  async function finish(): Promise<void> {
    await work;
    if (failed || !file) return;
    try {
      await writeAll(file, wavHeader(LINE_RATE, 2, taken * BYTES_PER_SAMPLE), 0);
      await file.datasync();
      await file.close();
      file = null;
      // Not after the wait for it was given up: the call was told that there is no recording.
      if (!failed) await rename(partPath, path);
    } catch (error) {
      fail(errorText(error));
    }
  }

  async function discard(): Promise<void> {
    await work.catch(() => {});
    await file?.close().catch(() => {});
    file = null;
    await rm(partPath, { force: true }).catch(() => {});
  }

  async function closeFile(): Promise<{ path: string; durationSeconds: number }> {
    while (!failed && taken < heard) take(Math.min(PIECE_SAMPLES, heard - taken));
    await withinTime(finish(), CLOSE_WAIT_MS);
    if (failed) await withinTime(discard(), DISCARD_WAIT_MS);
    return { path, durationSeconds: failed ? 0 : heard / LINE_RATE };
  }

  /** Resolves when the step is done or its time is over, which is a failure. */
  function withinTime(step: Promise<void>, mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = clock.after(mostMs, () => {
        fail('the disk did not answer');
        resolve();
      });
      void step.finally(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  return {
    caller(samples) {
      if (failed || closing) return;
      for (let i = 0, place = heard % RING_SAMPLES; i < samples.length; i++, place++) {
        if (place === RING_SAMPLES) place = 0;
        left[place] = samples[i]!;
        heard++;
        if (heard - taken >= BEHIND_SAMPLES + PIECE_SAMPLES) take(PIECE_SAMPLES);
      }
    },
    agent(samples, atSample) {
      if (failed || closing || !Number.isFinite(atSample)) return;
      const start = Math.round(atSample);
      const end = Math.min(start + samples.length, heard + AHEAD_SAMPLES);
      for (let at = Math.max(start, taken); at < end; at++) right[at % RING_SAMPLES] = samples[at - start]!;
      agentEnd = Math.max(agentEnd, end);
    },
    cutAgent(fromSample) {
      if (failed || closing || !Number.isFinite(fromSample)) return;
      const from = Math.max(Math.round(fromSample), taken);
      for (let at = from; at < agentEnd; at++) right[at % RING_SAMPLES] = 0;
      agentEnd = Math.min(agentEnd, from);
    },
    close() {
      closing ??= closeFile();
      return closing;
    },
    get failed() {
      return failed;
    },
  };
}

/** A disk may take less than it is given. */
async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error('the disk takes no more');
    done += bytesWritten;
  }
}
