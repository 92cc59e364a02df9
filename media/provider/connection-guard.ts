import type { Clock } from '../../shared/clock.ts';
import { describeError } from '../../shared/describe-error.ts';
import type { Logger } from '../../shared/log.ts';
import { ProviderError } from './provider-error.ts';

/**
 * What a provider's adapter runs under: an error that nobody expected, in a timer, a socket's handler or a method of it, is the
 * failure of its one connection, which is replaced as after any other failure. Uncaught it would end the engine.
 */
export interface ConnectionGuard {
  /** For the adapter: an error in a timer of it is caught here. */
  readonly clock: Clock;
  /** Returns a method of the adapter that does nothing after a failure. */
  method<Args extends unknown[]>(run: (...args: Args) => void): (...args: Args) => void;
  /** The same for a method that resolves when it is done; it rejects with ProviderError. */
  opened(open: () => Promise<void>): () => Promise<void>;
  /** Never rejects, and nothing is reported after it. */
  closed(close: () => Promise<void>): () => Promise<void>;
}

export interface ConnectionGuardOptions {
  provider: string;
  clock: Clock;
  log: Logger;
  /** Called once, and never within a method of the adapter. */
  onFailed(error: ProviderError): void;
}

export function createConnectionGuard({ provider, clock, log, onFailed }: ConnectionGuardOptions): ConnectionGuard {
  let over = false;

  function failed(error: unknown): ProviderError {
    const failure = new ProviderError(provider, 'unavailable', 'unexpected error in its adapter');
    if (over) return failure;
    over = true;
    log.error({ provider, ...describeError(error) }, 'unexpected error in a provider’s adapter, its connection failed');
    clock.after(0, () => onFailed(failure));
    return failure;
  }

  function method<Args extends unknown[]>(run: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      if (over) return;
      try {
        run(...args);
      } catch (error) {
        failed(error);
      }
    };
  }

  return {
    clock: {
      now: () => clock.now(),
      wall: () => clock.wall(),
      after: (delayMs, run) => clock.after(delayMs, method(run)),
    },
    method,
    opened: (open) => async () => {
      try {
        await open();
      } catch (error) {
        throw error instanceof ProviderError ? error : failed(error);
      }
    },
    closed: (close) => async () => {
      try {
        await close();
      } catch (error) {
        log.error({ provider, ...describeError(error) }, 'a provider’s connection could not be closed');
      } finally {
        over = true;
      }
    },
  };
}

/** Returns a handler, of a socket or a process, whose error is thrown in a timer of the clock, where the adapter's guard catches it. */
export function onClock<Args extends unknown[]>(
  clock: Clock,
  handle: (...args: Args) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      handle(...args);
    } catch (error) {
      clock.after(0, () => {
        throw error;
      });
    }
  };
}
