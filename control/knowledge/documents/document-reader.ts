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
  /** By the clock. Long, because a process of low priority waits while the machine is busy. */
  timeoutMs: number;
  /** What the process may compute; watched where the system has `/proc`. */
  maxCpuMs: number;
  /** Of JavaScript objects. */
  maxHeapMb: number;
  /** Of the whole process, buffers included; watched where the system has `/proc`. */
  maxMemoryMb: number;
}

/** With the time for its embeddings it stays below that of a claim (`process-sources.ts`). */
const LIMITS: DocumentReaderLimits = { timeoutMs: 180_000, maxCpuMs: 30_000, maxHeapMb: 512, maxMemoryMb: 1_024 };
const WATCH_INTERVAL_MS = 50;
const PAGE_BYTES = 4_096;
/** Linux counts processor time in hundredths of a second for programs (`USER_HZ`). */
const CPU_TICK_MS = 10;
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
      const tooLong = (ms: number) => refuse(`reading it takes longer than ${Math.round(ms / 1_000)} seconds`);
      const deadline = clock.after(limits.timeoutMs, () => tooLong(limits.timeoutMs));
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
          const { cpuMs, memoryBytes } = await usageOf(child);
          if (memoryBytes > limits.maxMemoryMb * 1024 * 1024) refuse(TOO_MUCH_MEMORY);
          else if (cpuMs > limits.maxCpuMs) tooLong(limits.maxCpuMs);
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

/** 0 where the system does not tell. Fields as in proc_pid_stat(5): 14 and 15 are processor time in ticks, 24 resident pages. */
async function usageOf({ pid }: ChildProcess): Promise<{ cpuMs: number; memoryBytes: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in brackets, which may contain anything.
  const fromThird = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fromThird[number - 3] ?? 0);
  return { cpuMs: (field(14) + field(15)) * CPU_TICK_MS, memoryBytes: field(24) * PAGE_BYTES };
}
