import type { Clock } from '../../shared/clock.ts';
import type { ProviderError } from '../provider/provider-error.ts';
import { createProviderSocket, type ProviderSocketOptions } from '../provider/socket.ts';

/** One WebSocket to a synthesizer's provider, with a queue of what is to be sent when it opens. */
export interface SynthesisConnection {
  /** Rejects with ProviderError. */
  open(): Promise<void>;
  readonly isOpen: boolean;
  /** It stayed open for LASTING_MS, so a break is no refusal and another connection is worth trying. */
  readonly hasLasted: boolean;
  /** An object is sent as JSON, text and bytes as they are. */
  send(message: object | string | Uint8Array): void;
  /** Runs now, or in order when the connection opens. */
  whenOpen(run: () => void): void;
  /** Cuts the connection and reports `error` to `onFailed`, or to `open`. */
  fail(error: ProviderError): void;
  /** Drops the queue; resolves when the socket is closed. Idempotent. */
  close(): Promise<void>;
}

export interface SynthesisConnectionOptions
  extends Pick<
    ProviderSocketOptions,
    'provider' | 'url' | 'headers' | 'refusalHeader' | 'keepAlive' | 'closeMeaning' | 'onBinary' | 'onFailed'
  > {
  clock: Clock;
  /** Sent before anything else. */
  firstMessage?: object;
  /** Sent before the close frame. */
  lastMessage?: object;
  onText(raw: string): void;
}

export const LASTING_MS = 10_000;
const LIVENESS = { everyMs: 5_000, deadAfterMs: 15_000 };

export function createSynthesisConnection(options: SynthesisConnectionOptions): SynthesisConnection {
  const { clock, firstMessage, lastMessage, ...socketOptions } = options;
  const socket = createProviderSocket({ ...socketOptions, clock, liveness: LIVENESS });
  let openedAtMs: number | null = null;
  let queue: (() => void)[] = [];

  function send(message: object | string | Uint8Array): void {
    socket.send(typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message));
  }

  return {
    async open() {
      await socket.open();
      openedAtMs = clock.now();
      if (firstMessage) send(firstMessage);
      const runs = queue;
      queue = [];
      for (const run of runs) run();
    },
    get isOpen() {
      return socket.isOpen;
    },
    get hasLasted() {
      return openedAtMs !== null && clock.now() - openedAtMs >= LASTING_MS;
    },
    send,
    whenOpen(run) {
      if (openedAtMs === null) queue.push(run);
      else run();
    },
    fail: (error) => socket.fail(error),
    close() {
      queue = [];
      return socket.close(lastMessage && JSON.stringify(lastMessage));
    },
  };
}
