import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { pause, systemClock } from '../shared/clock.ts';
import { withTimeout } from '../shared/with-timeout.ts';

/**
 * A provider of a measurement, on a thread of its own: its simulator takes no time of the loop that is measured, as a provider
 * does not in service. Both threads read one clock.
 */

/** What a provider does in one round. Times in milliseconds of `nowMs`. */
export interface Round {
  /** The whole request had come. */
  arrivedMs: number;
  /** The answer was about to be written. */
  writtenMs: number;
}

/** The provider's end of a connection, on its thread. */
export interface ProviderEnd {
  url: string;
  apiKey?: string;
  /** The next request needs no new connection; left out: always. */
  isReady?(): boolean;
  /** Waits for a request, and answers it. */
  answer(round: number): Promise<Round>;
  /** Once the answer was received. */
  finish?(): void;
  close(): Promise<void>;
}

export type Kind = 'transcriber' | 'synthesizer' | 'model';
export type ToThread = { expect: number } | 'finish' | 'close';
export type FromThread = { url: string; apiKey: string } | 'ready' | 'finished' | Round;

export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

interface Provider {
  url: string;
  apiKey: string;
}

/** The adapter's end. */
export interface AdapterEnd {
  /** Before a round: waits until its connection can be used. */
  ready?(): Promise<void>;
  /** Sends a request; resolves when nothing more is to come. */
  ask(round: number): Promise<void> | void;
  /** After a round. */
  done?(round: number): Promise<void>;
  close?(): Promise<void>;
}

export interface Overhead {
  outMs: number[];
  inMs: number[];
}

const WARM_UP_ROUNDS = 100;
const TIMEOUT_MS = 5_000;
/** Between rounds, for what the last one leaves to be done, like the handshake of the connection for the next. */
const PAUSE_MS = 3;

/**
 * Asks a provider and waits for its answer, `rounds` times. Returns how long each request took to arrive, and each answer to be
 * received, which `connect` is given a function to say. @throws when a round does not complete, or the provider's thread fails.
 */
export async function measureRounds(
  kind: Kind,
  name: string,
  rounds: number,
  connect: (provider: Provider, received: () => void) => Promise<AdapterEnd>,
): Promise<Overhead> {
  const overhead: Overhead = { outMs: [], inMs: [] };
  const worker = new Worker(new URL('./adapter-provider-thread.ts', import.meta.url), { workerData: { kind, name } });
  const tell = (message: ToThread) => worker.postMessage(message);
  // `once` rejects when the thread fails.
  const next = async () => ((await once(worker, 'message')) as [FromThread])[0];
  let received: (ms: number) => void = () => {};
  const adapter = await connect((await next()) as Provider, () => received(nowMs()));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    await adapter.ready?.();
    tell({ expect: round });
    await next();
    await pause(systemClock, PAUSE_MS);
    const answer = next();
    // Sleeps until then, as in service: only the provider's thread looks all the time.
    const receiving = new Promise<number>((resolve) => {
      received = resolve;
    });
    const askedMs = nowMs();
    const asked = adapter.ask(round);
    const receivedMs = await withTimeout(receiving, TIMEOUT_MS, systemClock, () => {
      throw new Error(`${name}: no answer in round ${round}`);
    });
    const { arrivedMs, writtenMs } = (await answer) as Round;
    tell('finish');
    await next();
    await asked;
    await adapter.done?.(round);
    if (round < 0) continue;
    overhead.outMs.push(arrivedMs - askedMs);
    overhead.inMs.push(receivedMs - writtenMs);
  }
  await adapter.close?.();
  const ended = once(worker, 'exit');
  tell('close');
  await ended;
  return overhead;
}
