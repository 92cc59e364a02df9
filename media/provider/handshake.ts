import type { Clock } from '../../shared/clock.ts';
import { createDeadline } from './deadline.ts';

/** The wait for a vendor's first message on a new connection, the one that says it is ready. */
export interface Handshake {
  /**
   * The greeting as a promise; its time begins now. To be asked for before the connection is opened: the vendor's first
   * message may come in the same packet as its acceptance.
   */
  expect(): Promise<void>;
  completed(): void;
  /** The connection failed. True where the greeting was waited for: whoever waits is told, and nobody else has to be. */
  failed(error: Error): boolean;
  /** No longer in a hurry; the promise stays as it is. */
  stop(): void;
}

/** `onLate` runs when it did not come in time, and is to fail the connection. */
export function createHandshake(clock: Clock, withinMs: number, onLate: () => void): Handshake {
  const deadline = createDeadline(clock, withinMs, onLate);
  let waiting: { resolve(): void; reject(error: Error): void } | null = null;

  return {
    expect() {
      const greeted = new Promise<void>((resolve, reject) => {
        waiting = { resolve, reject };
      });
      greeted.catch(() => {});
      deadline.start();
      return greeted;
    },
    completed() {
      deadline.stop();
      waiting?.resolve();
      waiting = null;
    },
    failed(error) {
      deadline.stop();
      const one = waiting;
      waiting = null;
      one?.reject(error);
      return one !== null;
    },
    stop: () => deadline.stop(),
  };
}
