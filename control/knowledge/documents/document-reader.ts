import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Clock, Timer } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { DocumentToRead, ReadDocument } from './read-document.ts';

/**
 * Reads documents in processes of their own, one at a time: what a document does to its reader, memory beyond bounds, a loop or
 * a crash, ends that process and nothing else. It has no environment, and may neither write files nor start processes.
 */
export interface DocumentReader {
  /** Rejects with `ReaderClosed` and nothing else. */
  read(document: DocumentToRead): Promise<ReadDocument>;
  /** Ends the process that reads; what it read and what waits is rejected. */
  close(): void;
}

export interface DocumentReaderLimits {
  timeoutMs: number;
  /** Of JavaScript objects. */
  maxHeapMb: number;
  /** Of the whole process, buffers included; watched where the system has `/proc`. */
  maxMemoryMb: number;
}

const LIMITS: DocumentReaderLimits = { timeoutMs: 30_000, maxHeapMb: 512, maxMemoryMb: 1_024 };
const WATCH_INTERVAL_MS = 50;
const PAGE_BYTES = 4_096;
const LOW_PRIORITY = 10;
const TOO_MUCH_MEMORY = 'reading it takes too much memory';
const SCRIPT = fileURLToPath(new URL('./document-process.ts', import.meta.url));

/** The reader was closed before the document was read. */
export class ReaderClosed extends Error {}

export function createDocumentReader(
  { clock, log }: { clock: Clock; log: Logger },
  limits: DocumentReaderLimits = LIMITS,
): DocumentReader {
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;
  let running: ChildProcess | null = null;

  function readAlone(document: DocumentToRead): Promise<ReadDocument> {
    if (closed) return Promise.reject(new ReaderClosed());
    const child = fork(SCRIPT, [], {
      ...{ serialization: 'advanced', stdio: 'ignore', env: {} },
      execArgv: [`--max-old-space-size=${limits.maxHeapMb}`, '--permission', '--allow-fs-read=*', '--no-warnings'],
    });
    running = child;
    return new Promise<ReadDocument>((done, failed) => {
      let over = false;
      let watching: Timer | null = null;
      const deadline = clock.after(limits.timeoutMs, () =>
        refuse(`reading it takes longer than ${Math.round(limits.timeoutMs / 1_000)} seconds`),
      );
      watch();

      function settle(give: () => void): void {
        if (over) return;
        over = true;
        deadline.cancel();
        watching?.cancel();
        if (running === child) running = null;
        child.kill('SIGKILL');
        give();
      }
      function refuse(reason: string, facts: object = {}): void {
        settle(() => {
          log.warn(
            { kind: document.kind, bytes: document.bytes.length, reason, ...facts },
            'a document could not be read',
          );
          done({ type: 'unreadable', reason });
        });
      }
      function watch(): void {
        watching = clock.after(WATCH_INTERVAL_MS, async () => {
          const bytes = await memoryOf(child);
          if (bytes > limits.maxMemoryMb * 1024 * 1024) refuse(TOO_MUCH_MEMORY);
          else if (!over) watch();
        });
      }

      child.on('message', (result: ReadDocument | { type: 'error'; error: string }) => {
        if (result.type === 'error') refuse('it is damaged', { error: result.error });
        else settle(() => done(result));
      });
      child.on('error', (error) => refuse('it cannot be read', { error: error.message }));
      child.on('exit', (code, signal) => {
        if (closed) settle(() => failed(new ReaderClosed()));
        // Node ends itself with SIGABRT or SIGTRAP when its heap is full.
        else refuse(signal !== null || code === 134 ? TOO_MUCH_MEMORY : 'it is damaged', { code, signal });
      });
      child.send(document, (error) => {
        if (error) refuse('it cannot be read', { error: error.message });
      });
      try {
        if (child.pid !== undefined) setPriority(child.pid, LOW_PRIORITY);
      } catch {
        // It has ended already.
      }
    });
  }

  return {
    read(document) {
      const reading = last.then(() => readAlone(document));
      last = reading.catch(() => {});
      return reading;
    },
    close() {
      closed = true;
      running?.kill('SIGKILL');
    },
  };
}

/** The second figure is the resident memory in pages. 0 where the system does not tell. */
async function memoryOf({ pid }: ChildProcess): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(text.split(' ')[1] ?? 0) * PAGE_BYTES;
}
