import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { createDeadline, type Deadline } from '../provider/deadline.ts';
import type { ProviderError } from '../provider/provider-error.ts';
import { createProviderSocket, type ProviderSocket } from '../provider/socket.ts';
import { cartesiaAddress, cartesiaHeaders, PROVIDER } from './cartesia-protocol.ts';

/**
 * One voice's connection to Cartesia as it outlives its sockets: one that idles is replaced before the provider closes it,
 * one that breaks after a long life while nobody speaks is made anew. A line that was replaced lives as long as somebody
 * speaks on it.
 */
export interface CartesiaConnection<Context> {
  /** Where new contexts go. */
  readonly line: CartesiaLine<Context>;
  /** Rejects with ProviderError. */
  open(): Promise<void>;
  /** Forgets what waits; resolves when the sockets are closed. Nothing is told any more. */
  close(): Promise<void>;
}

/** One socket. */
export interface CartesiaLine<Context> {
  /** Who speaks on it under this name. */
  contextOf(name: string): Context | undefined;
  /** Speaks under this name from now on. */
  enter(name: string, context: Context): void;
  /** Nobody speaks under this name any more. */
  leave(name: string): void;
  send(message: object): void;
  /** Now, or when the line stands, in order. */
  whenOpen(run: () => void): void;
  /** Gives the line up for lost. */
  fail(error: ProviderError): void;
}

export interface CartesiaConnectionOptions<Context> {
  url: string;
  apiKey: string;
  clock: Clock;
  log: Logger;
  onText(line: CartesiaLine<Context>, raw: string): void;
  /** A line that was replaced broke under these; the others go on. */
  onLost(contexts: Context[], error: ProviderError): void;
  /** There is no connection any more. At most once. */
  onFailed(error: ProviderError): void;
}

/** Short of the vendor's five minutes. */
const RENEW_AFTER_MS = 240_000;
/** A connection that lasted so long and breaks while nobody speaks is made anew without a word. */
const LASTED_MS = 10_000;
const LIVENESS = { everyMs: 5_000, deadAfterMs: 15_000 };

interface Line<Context> extends CartesiaLine<Context> {
  socket: ProviderSocket;
  /** By name on the wire. */
  contexts: Map<string, Context>;
  /** Null before it stands. */
  openedAtMs: number | null;
  /** What is to be sent once it stands. */
  waiting: (() => void)[];
  idle: Deadline;
}

export function createCartesiaConnection<Context>(
  options: CartesiaConnectionOptions<Context>,
): CartesiaConnection<Context> {
  const { url, apiKey, clock, log } = options;
  const lines = new Set<Line<Context>>();
  let current = createLine();
  let closed = false;

  function createLine(): Line<Context> {
    const line: Line<Context> = {
      contexts: new Map(),
      openedAtMs: null,
      waiting: [],
      idle: createDeadline(clock, RENEW_AFTER_MS, () => renew(line)),
      socket: createProviderSocket({
        provider: PROVIDER,
        url: cartesiaAddress(url),
        headers: cartesiaHeaders(apiKey),
        clock,
        liveness: LIVENESS,
        onText: (raw) => options.onText(line, raw),
        onFailed: (error) => failed(line, error),
      }),
      contextOf: (name) => line.contexts.get(name),
      enter: (name, context) => void line.contexts.set(name, context),
      leave(name) {
        line.contexts.delete(name);
        closeIfUnwanted(line);
      },
      send(message) {
        line.idle.start();
        line.socket.send(JSON.stringify(message));
      },
      whenOpen(run) {
        if (line.socket.isOpen && line.waiting.length === 0) run();
        else line.waiting.push(run);
      },
      fail: (error) => line.socket.fail(error),
    };
    lines.add(line);
    return line;
  }

  async function open(line: Line<Context>): Promise<void> {
    await line.socket.open();
    line.openedAtMs = clock.now();
    line.idle.start();
    const { waiting } = line;
    line.waiting = [];
    for (const run of waiting) run();
  }

  /** Nothing was sent for a long time. */
  function renew(line: Line<Context>): void {
    if (closed || line !== current) return;
    const fresh = createLine();
    open(fresh).then(
      () => {
        if (closed) return;
        const before = current;
        current = fresh;
        closeIfUnwanted(before);
      },
      (error: ProviderError) => {
        drop(fresh);
        log.info({ provider: PROVIDER, error: error.message }, 'an idle voice connection could not be renewed');
      },
    );
  }

  function failed(line: Line<Context>, error: ProviderError): void {
    if (closed) return;
    const lasted = line.openedAtMs !== null && clock.now() - line.openedAtMs >= LASTED_MS;
    drop(line);
    if (line !== current) {
      options.onLost([...line.contexts.values()], error);
      return;
    }
    if (!lasted || line.contexts.size > 0 || error.kind !== 'unavailable') {
      options.onFailed(error);
      return;
    }
    log.info({ provider: PROVIDER, error: error.message }, 'an idle voice connection was closed and is made anew');
    const fresh = createLine();
    current = fresh;
    open(fresh).catch((again: ProviderError) => failed(fresh, again));
  }

  function drop(line: Line<Context>): void {
    line.idle.stop();
    line.waiting = [];
    lines.delete(line);
  }

  function closeIfUnwanted(line: Line<Context>): void {
    if (line === current || line.contexts.size > 0 || !lines.has(line)) return;
    drop(line);
    void line.socket.close();
  }

  return {
    get line() {
      return current;
    },
    open: () => open(current),
    async close() {
      closed = true;
      const left = [...lines];
      for (const line of left) drop(line);
      await Promise.all(left.map((line) => line.socket.close()));
    },
  };
}
