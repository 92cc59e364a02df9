import type { Logger } from '../../shared/log.ts';
import { createDeadline } from '../provider/deadline.ts';
import type { ProviderError } from '../provider/provider-error.ts';
import {
  createSynthesisConnection,
  type SynthesisConnection,
  type SynthesisConnectionOptions,
} from './synthesis-connection.ts';

/**
 * A connection that carries many contexts, each under a name of its own. It outlives its sockets: a full or idle socket is
 * replaced, and so is one without contexts that breaks after it has lasted. A replaced socket stays open until its last
 * context is over.
 */
export interface ContextConnection<Context extends object> {
  /** Rejects with ProviderError. */
  open(): Promise<void>;
  /** Gives the context a name on a socket with capacity for it. */
  attach(context: Context): Attachment<Context>;
  /** Resolves when all sockets are closed. No callback follows. */
  close(): Promise<void>;
}

/** A context under one name on one socket. */
export interface Attachment<Context extends object> {
  /** Never used twice, so that a late message cannot belong to another context. */
  readonly name: string;
  /** Null once it was detached or abandoned. */
  readonly context: Context | null;
  /** The provider knows the name: something was sent under it. */
  readonly announced: boolean;
  send(message: object): void;
  /** Runs now, or in order when the socket opens; not after it was detached or abandoned. */
  whenOpen(run: () => void): void;
  /** Removes the name: the provider has forgotten it, or never knew it. */
  detach(): void;
  /** Drops what still comes under the name; the provider counts the name until it is detached. */
  abandon(): void;
}

export interface ContextSocket<Context extends object> extends Pick<SynthesisConnection, 'send' | 'fail'> {
  /** By name; what the provider counts. */
  readonly attachments: ReadonlyMap<string, Attachment<Context>>;
}

export interface ContextConnectionOptions<Context extends object>
  extends Omit<SynthesisConnectionOptions, 'firstMessage' | 'keepAlive' | 'onText' | 'onFailed'> {
  log: Logger;
  /** How many names the provider allows on one socket. */
  maxNames?: number;
  /** Replaces a socket on which nothing was sent for this time. */
  renewAfterMs?: number;
  /** Called when nothing was sent for `everyMs`. */
  keepAlive?: { everyMs: number; send(socket: ContextSocket<Context>): void };
  onText(socket: ContextSocket<Context>, raw: string): void;
  /** This context was on a replaced socket that broke; other contexts go on. */
  onLost(context: Context, error: ProviderError): void;
  /** The connection is lost. Called at most once. */
  onFailed(error: ProviderError): void;
}

interface Socket<Context extends object> extends ContextSocket<Context>, Pick<SynthesisConnection, 'hasLasted'> {
  open(): Promise<void>;
  attach(context: Context): Attachment<Context>;
  contexts(): Context[];
  /** Closes it; harmless when it is closed. */
  retire(): void;
}

export function createContextConnection<Context extends object>(
  options: ContextConnectionOptions<Context>,
): ContextConnection<Context> {
  const { log, maxNames, renewAfterMs, keepAlive, onText, onLost, onFailed, ...connectionOptions } = options;
  const { provider, clock } = connectionOptions;
  const sockets = new Set<Socket<Context>>();
  /** Sockets that are closing. */
  const closing = new Set<Promise<void>>();
  let names = 0;
  let closed = false;
  let current = createSocket();

  function createSocket(): Socket<Context> {
    const attachments = new Map<string, Attachment<Context>>();
    const renewal = createDeadline(clock, renewAfterMs ?? 0, () => renew(socket));
    const connection = createSynthesisConnection({
      ...connectionOptions,
      ...(keepAlive && { keepAlive: { everyMs: keepAlive.everyMs, send: () => keepAlive.send(socket) } }),
      onText: (raw) => onText(socket, raw),
      onFailed: (error) => failed(socket, error),
    });

    function restartRenewal(): void {
      if (renewAfterMs !== undefined) renewal.start();
    }

    function send(message: object): void {
      restartRenewal();
      connection.send(message);
    }

    const socket: Socket<Context> = {
      attachments,
      get hasLasted() {
        return connection.hasLasted;
      },
      send,
      fail: (error) => connection.fail(error),
      async open() {
        await connection.open();
        restartRenewal();
      },
      attach(context) {
        const attachment: Attachment<Context> & { context: Context | null; announced: boolean } = {
          name: `r${++names}`,
          context,
          announced: false,
          send(message) {
            attachment.announced = true;
            send(message);
          },
          whenOpen(run) {
            connection.whenOpen(() => {
              if (attachment.context) run();
            });
          },
          detach() {
            attachment.context = null;
            attachments.delete(attachment.name);
            retireIfUnused(socket);
          },
          abandon() {
            attachment.context = null;
            if (!attachment.announced) attachments.delete(attachment.name);
            retireIfUnused(socket);
          },
        };
        attachments.set(attachment.name, attachment);
        return attachment;
      },
      contexts: () => [...attachments.values()].flatMap(({ context }) => context ?? []),
      retire() {
        if (!sockets.delete(socket)) return;
        renewal.stop();
        const done = connection.close();
        closing.add(done);
        void done.then(() => closing.delete(done));
      },
    };
    sockets.add(socket);
    return socket;
  }

  /** Attaches new contexts to a fresh socket from now on, which is not open yet. */
  function replace(): void {
    const before = current;
    const fresh = createSocket();
    current = fresh;
    fresh.open().catch((error: ProviderError) => failed(fresh, error));
    retireIfUnused(before);
  }

  /** Replaces an idle socket once a fresh one is open. */
  function renew(socket: Socket<Context>): void {
    if (closed || socket !== current) return;
    const fresh = createSocket();
    fresh.open().then(
      () => {
        if (closed) return;
        const before = current;
        current = fresh;
        retireIfUnused(before);
      },
      (error: ProviderError) => {
        fresh.retire();
        log.info({ provider, error: error.message }, 'idle synthesizer connection could not be renewed');
      },
    );
  }

  function failed(socket: Socket<Context>, error: ProviderError): void {
    if (closed) return;
    const contexts = socket.contexts();
    socket.retire();
    if (socket !== current) {
      for (const context of contexts) onLost(context, error);
    } else if (!socket.hasLasted || contexts.length > 0 || error.kind !== 'unavailable') {
      onFailed(error);
    } else {
      log.info({ provider, error: error.message }, 'idle synthesizer connection closed, opening another');
      replace();
    }
  }

  function retireIfUnused(socket: Socket<Context>): void {
    if (socket !== current && socket.contexts().length === 0) socket.retire();
  }

  return {
    open: () => current.open(),
    attach(context) {
      if (maxNames !== undefined && current.attachments.size >= maxNames) {
        log.info({ provider }, 'synthesizer connection full, opening another');
        replace();
      }
      return current.attach(context);
    },
    async close() {
      closed = true;
      for (const socket of [...sockets]) socket.retire();
      await Promise.all(closing);
    },
  };
}
