import cluster, { type Worker } from 'node:cluster';
import type { Clock, Timer } from '../shared/clock.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { connectChannel, type ProcessChannel, type Question } from './process-channel.ts';

/**
 * The processes that serve the API, which this one starts: a list or an export that keeps one of them busy delays no call. They share
 * one port, whose connections this process hands to each in turn. One that exits is started again; all of them exit at
 * once when this process is gone.
 */
export interface ApiProcesses {
  /** Resolves with the address when all of them listen; rejects when one exits before. */
  listening(): Promise<Address>;
  /** Asks all of them; those that do not answer are left out. */
  ask(question: Question): Promise<Record<string, unknown>>;
  /** Resolves when all have exited: their requests, and what those began, get some seconds. */
  stop(): Promise<void>;
}

export interface Address {
  host: string;
  port: number;
}

export interface ApiProcessesOptions {
  count: number;
  /** The program that they are. */
  program: string;
  clock: Clock;
  log: Logger;
  answer(question: Question): Promise<unknown>;
}

/** In the environment of such a process: its name, `api-1`. */
export const API_PROCESS = 'ANTIPHON_API_PROCESS';

/** One that ran for this long is started again without delay. */
const STABLE_AFTER_MS = 60_000;
const MIN_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** Where all cores are taken, these processes give way and answer late. Less than those wait that have the answers passed on. */
const ANSWER_WITHIN_MS = 5_000;
/** More than such a process takes by itself. */
const EXIT_WITHIN_MS = 10_000;

interface Running {
  worker: Worker;
  channel: ProcessChannel;
  exited: Promise<void>;
}

export function startApiProcesses({ count, program, clock, log, answer }: ApiProcessesOptions): ApiProcesses {
  const names = Array.from({ length: count }, (_, index) => `api-${index + 1}`);
  const running = new Map<string, Running>();
  const restarts = new Set<Timer>();
  const listened = new Set<string>();
  const { promise: allListen, resolve, reject } = Promise.withResolvers<Address>();
  // Rejected only while somebody waits for it.
  allListen.catch(() => {});
  /** A process that is started again listens where the first one did. */
  let address: Address | null = null;
  let stopping = false;

  cluster.setupPrimary({ exec: program, args: [], serialization: 'advanced' });
  for (const name of names) start(name, 0);

  function start(name: string, failures: number): void {
    const startedMs = clock.now();
    const worker = cluster.fork({
      [API_PROCESS]: name,
      // It notices by its channel that this process is gone.
      ANTIPHON_PARENT_WATCH: '',
      ...(address ? { API_PORT: String(address.port) } : {}),
    });
    const exited = new Promise<void>((done) => {
      worker.once('exit', (code, signal) => {
        running.delete(name);
        done();
        if (stopping) return;
        const reason = signal ?? `code ${code}`;
        if (!listened.has(name)) return reject(new Error(`a process for the API could not start: ${reason}`));
        log.error({ process: name, reason }, 'a process for the API exited; it is started again');
        startLater(name, clock.now() - startedMs >= STABLE_AFTER_MS ? 0 : failures + 1);
      });
    });
    running.set(name, { worker, channel: connectChannel(worker, clock, answer), exited });
    worker.on('error', (error) => log.warn({ process: name, error: errorText(error) }, 'channel to a process failed'));
    worker.once('listening', ({ address: host, port }) => {
      address = { host, port };
      listened.add(name);
      if (listened.size === count) resolve(address);
    });
  }

  function startLater(name: string, failures: number): void {
    const waitMs = failures === 0 ? 0 : Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (failures - 1));
    const timer = clock.after(waitMs, () => {
      restarts.delete(timer);
      start(name, failures);
    });
    restarts.add(timer);
  }

  async function stopOne({ worker, exited }: Running): Promise<void> {
    worker.process.kill('SIGTERM');
    const deadline = clock.after(EXIT_WITHIN_MS, () => worker.process.kill('SIGKILL'));
    await exited;
    deadline.cancel();
  }

  return {
    listening: () => allListen,
    async ask(question) {
      const asked = [...running].map(async ([name, { channel }]) => [
        [name, await channel.ask(question, ANSWER_WITHIN_MS)] as const,
      ]);
      const answers = await Promise.all(asked.map((each) => each.catch(() => [])));
      return Object.fromEntries(answers.flat());
    },
    async stop() {
      stopping = true;
      for (const restart of restarts) restart.cancel();
      await Promise.all([...running.values()].map(stopOne));
    },
  };
}
