import type { Clock } from '../../shared/clock.ts';
import { createDeadline } from './deadline.ts';

/** The wait for a provider's first message on a new connection, the one that says it is ready. */
export interface Handshake {
  /**
   * Starts the wait; resolves with the message, rejects when the connection fails. Call it before the connection is opened:
   * the first message may come in the same packet as the provider's acceptance.
   */
  expect(): Promise<void>;
  /** Opens the connection and waits for the message; `greet` is called between, when the connection is open. Rejects as either does. */
  open(connect: () => Promise<void>, greet?: () => void): Promise<void>;
  /** The message came. */
  completed(): void;
  /** The connection failed. True if this rejected the promise, so that the failure is reported there and nowhere else. */
  failed(error: Error): boolean;
  /** Stops the deadline; the promise stays as it is. */
  stop(): void;
}

/** `onTimeout` runs when the message did not come within `withinMs`; it has to fail the connection. */
export function createHandshake(clock: Clock, withinMs: number, onTimeout: () => void): Handshake {
  const deadline = createDeadline(clock, withinMs, onTimeout);
  let pending: { resolve(): void; reject(error: Error): void } | null = null;

  function expect(): Promise<void> {
    const completed = new Promise<void>((resolve, reject) => {
      pending = { resolve, reject };
    });
    completed.catch(() => {});
    deadline.start();
    return completed;
  }

  return {
    expect,
    async open(connect, greet) {
      const ready = expect();
      try {
        await connect();
      } catch (error) {
        deadline.stop();
        throw error;
      }
      greet?.();
      await ready;
    },
    completed() {
      deadline.stop();
      pending?.resolve();
      pending = null;
    },
    failed(error) {
      deadline.stop();
      const waiting = pending;
      pending = null;
      waiting?.reject(error);
      return waiting !== null;
    },
    stop: () => deadline.stop(),
  };
}
