import type { Logger } from '../../shared/log.ts';
import { createDeadline, type Deadline } from '../provider/deadline.ts';
import type { ProviderError } from '../provider/provider-error.ts';
import {
  createSynthesisConnection,
  type SynthesisConnection,
  type SynthesisConnectionOptions,
} from './synthesis-connection.ts';

/**
 * Connections to a provider that carries one context at a time on each. A connection is used again when nothing of its context
 * can still come on it, and is replaced before the provider ends it for its age.
 */
export interface ConnectionPool<Context extends object> {
  /** Opens the first connection. Rejects with ProviderError. */
  open(): Promise<void>;
  /** Returns a connection for this context alone, open or opening. */
  acquire(context: Context): PooledConnection<Context>;
  /**
   * `clean`: nothing of its context can still come on it, as on one that is not open yet. Does nothing for a connection that was lost
   * before.
   */
  release(connection: PooledConnection<Context>, clean: boolean): void;
  /** Resolves when all connections are closed. No callback follows. */
  close(): Promise<void>;
}

export interface PooledConnection<Context extends object>
  extends Pick<SynthesisConnection, 'send' | 'whenOpen' | 'fail'> {
  /** Null while it is spare. */
  readonly context: Context | null;
}

export interface ConnectionPoolOptions<Context extends object>
  extends Omit<SynthesisConnectionOptions, 'keepAlive' | 'onText' | 'onBinary' | 'onFailed'> {
  log: Logger;
  /** Spare connections beyond this number are closed. */
  maxSpare: number;
  /** One spare is always kept open beside those in use; otherwise a second is opened when a second context needs it. */
  keepsSpare: boolean;
  /** A connection of this age is replaced as soon as it is spare. */
  renewAfterMs?: number;
  /** Sent when nothing was sent for `everyMs`. */
  keepAlive?: { everyMs: number; message: object };
  onText(connection: PooledConnection<Context>, raw: string): void;
  /** The bytes are valid during the call only. */
  onBinary?(connection: PooledConnection<Context>, bytes: Uint8Array): void;
  /** This context's connection broke. */
  onLost(context: Context, error: ProviderError): void;
  /** The last connection is lost. Called at most once. */
  onFailed(error: ProviderError): void;
}

interface Connection<Context extends object> extends SynthesisConnection {
  context: Context | null;
  /** Since it opened. */
  age: Deadline;
  isOld: boolean;
}

export function createConnectionPool<Context extends object>(
  options: ConnectionPoolOptions<Context>,
): ConnectionPool<Context> {
  const {
    log,
    maxSpare,
    keepsSpare,
    renewAfterMs,
    keepAlive,
    onText,
    onBinary,
    onLost,
    onFailed,
    ...connectionOptions
  } = options;
  const connections = new Set<Connection<Context>>();
  /** Connections that are closing. */
  const closing = new Set<Promise<void>>();
  const first = createConnection();
  const spareIsDue = createDeadline(options.clock, 0, keepSpare);
  let opened = false;
  let closed = false;

  function createConnection(): Connection<Context> {
    const connection: Connection<Context> = Object.assign(
      createSynthesisConnection({
        ...connectionOptions,
        ...(keepAlive && {
          keepAlive: { everyMs: keepAlive.everyMs, send: () => connection.send(keepAlive.message) },
        }),
        ...(onBinary && { onBinary: (bytes: Uint8Array) => onBinary(connection, bytes) }),
        onText: (raw) => onText(connection, raw),
        onFailed: (error) => failed(connection, error),
      }),
      { context: null, isOld: false, age: createDeadline(options.clock, renewAfterMs ?? 0, () => renew(connection)) },
    );
    connections.add(connection);
    if (renewAfterMs !== undefined) connection.whenOpen(() => connection.age.start());
    return connection;
  }

  /** A spare one is closed when the next is open; one in use when its context is over. */
  function renew(old: Connection<Context>): void {
    old.isOld = true;
    if (closed || old.context) return;
    const fresh = createConnection();
    fresh.open().then(
      () => {
        if (!old.context && connections.has(old)) retire(old);
      },
      (error: ProviderError) => failed(fresh, error),
    );
  }

  function openAnother(): Connection<Context> {
    const connection = createConnection();
    connection.open().catch((error: ProviderError) => failed(connection, error));
    return connection;
  }

  function spares(): Connection<Context>[] {
    return [...connections].filter(({ context }) => context === null);
  }

  function keepSpare(): void {
    if (!opened || closed || spares().length > 0) return;
    if (keepsSpare || connections.size === 0) openAnother();
  }

  function retire(connection: Connection<Context>): void {
    connections.delete(connection);
    connection.age.stop();
    const done = connection.close();
    closing.add(done);
    void done.then(() => closing.delete(done));
  }

  function failed(connection: Connection<Context>, error: ProviderError): void {
    if (closed) return;
    const { context } = connection;
    connections.delete(connection);
    connection.age.stop();
    connection.context = null;
    if (context) onLost(context, error);
    else if (connections.size > 0) {
      log.info({ provider: options.provider, error: error.message }, 'spare synthesizer connection lost');
    } else if (connection.hasLasted && error.kind === 'unavailable') openAnother();
    else onFailed(error);
  }

  return {
    async open() {
      await first.open();
      opened = true;
      if (first.context) keepSpare();
    },
    acquire(context) {
      const spare = spares();
      const connection = spare.find(({ isOpen }) => isOpen) ?? spare[0] ?? openAnother();
      connection.context = context;
      // A handshake now would delay the first text.
      spareIsDue.start();
      return connection;
    },
    release(pooled, clean) {
      const connection = pooled as Connection<Context>;
      if (!connections.has(connection)) return;
      connection.context = null;
      if ((!clean && connection.isOpen) || connection.isOld || spares().length > maxSpare) retire(connection);
      keepSpare();
    },
    async close() {
      closed = true;
      spareIsDue.stop();
      for (const connection of [...connections]) retire(connection);
      await Promise.all(closing);
    },
  };
}
