import type { IncomingMessage } from 'node:http';
import { type RawData, WebSocket } from 'ws';
import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText } from '../../shared/log.ts';
import { onClock } from './connection-guard.ts';
import { createDeadline } from './deadline.ts';
import { ProviderError, type ProviderFailure } from './provider-error.ts';

/** How long a provider may take to accept the connection. */
export const CONNECT_DEADLINE_MS = 5_000;
/** How long the closing handshake of a WebSocket may take before the connection is cut. */
export const CLOSE_DEADLINE_MS = 500;
/** More than this unsent means that the provider no longer reads: half a minute of telephone audio. */
const MAX_UNSENT_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

export interface ProviderSocketOptions {
  /** Named in errors. */
  provider: string;
  url: string;
  /** A function: made anew for each connection. */
  headers?: Record<string, string> | (() => Record<string, string>);
  clock: Clock;
  connectDeadlineMs?: number;
  /**
   * Pings every `everyMs`; nothing at all received for `deadAfterMs` (no message, no pong) is a failure `timeout`.
   * RFC 6455 obliges every peer to answer a ping, so this finds a dead path also where the provider may stay silent.
   */
  liveness?: { everyMs: number; deadAfterMs: number };
  /** Called when nothing was sent for `everyMs`, for providers that close an idle connection. */
  keepAlive?: { everyMs: number; send: () => void };
  /** A response header that carries the reason of a refused upgrade. */
  refusalHeader?: string;
  /** What an unrequested close means; undefined falls back to `closeFailure`. */
  closeMeaning?: (code: number, reason: string) => ProviderFailure | undefined;
  onText(text: string): void;
  /** Binary messages are dropped where this is absent. The bytes are valid during the call only. */
  onBinary?(bytes: Uint8Array): void;
  /** The connection is lost, after it was open. At most once, and never after `close` or `fail`. */
  onFailed(error: ProviderError): void;
}

export interface ProviderSocket {
  /** Connects, once: later calls get the same promise. Rejects with ProviderError; then `onFailed` stays silent. */
  open(): Promise<void>;
  readonly isOpen: boolean;
  /** Sends, or drops silently when the connection is not open. The bytes are not kept after the call returns. */
  send(data: string | Uint8Array): void;
  /** Cuts the connection and reports `error` to `onFailed` (or to `open`), unless a failure was reported before. */
  fail(error: ProviderError): void;
  /** Sends `lastMessage` and the close frame, and waits for the peer's, at most CLOSE_DEADLINE_MS. Idempotent. */
  close(lastMessage?: string): Promise<void>;
}

/** Returns what the HTTP status of a refused upgrade means. */
export function refusalFailure(status: number): ProviderFailure {
  if (status === 401 || status === 403) return 'auth';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429) return 'capacity';
  if (status >= 400 && status < 500) return 'bad_request';
  return 'unavailable';
}

/** Returns what an unrequested close code means (RFC 6455 section 7.4.1). */
export function closeFailure(code: number): ProviderFailure {
  if (code === 1003 || code === 1007 || code === 1008 || code === 1009 || code === 1010) return 'bad_request';
  if (code === 1013) return 'capacity';
  return 'unavailable';
}

export function createProviderSocket(options: ProviderSocketOptions): ProviderSocket {
  const { provider, clock } = options;
  let socket: WebSocket | null = null;
  let opening: Promise<void> | null = null;
  let settleOpen: { resolve: () => void; reject: (error: ProviderError) => void } | null = null;
  let closing: Promise<void> | null = null;
  /** Failed or asked to close: later events of the socket are ignored. */
  let over = false;
  let lastSentAt = 0;
  let lastReceivedAt = 0;
  let livenessTimer: Timer | null = null;
  let keepAliveTimer: Timer | null = null;

  const connectDeadlineMs = options.connectDeadlineMs ?? CONNECT_DEADLINE_MS;
  const connectDeadline = createDeadline(clock, connectDeadlineMs, () =>
    fail(new ProviderError(provider, 'timeout', `no connection within ${connectDeadlineMs} ms`)),
  );

  function stopTimers(): void {
    connectDeadline.stop();
    livenessTimer?.cancel();
    keepAliveTimer?.cancel();
    livenessTimer = null;
    keepAliveTimer = null;
  }

  function fail(error: ProviderError): void {
    if (over) return;
    over = true;
    stopTimers();
    socket?.terminate();
    if (settleOpen) settleOpen.reject(error);
    else options.onFailed(error);
    settleOpen = null;
  }

  function checkLiveness(): void {
    const liveness = options.liveness!;
    if (clock.now() - lastReceivedAt >= liveness.deadAfterMs) {
      fail(new ProviderError(provider, 'timeout', `nothing received for ${liveness.deadAfterMs} ms`));
      return;
    }
    socket?.ping();
    livenessTimer = clock.after(liveness.everyMs, checkLiveness);
  }

  function keepAlive(): void {
    const { everyMs, send } = options.keepAlive!;
    if (clock.now() - lastSentAt >= everyMs) send();
    if (!over) keepAliveTimer = clock.after(Math.max(1, lastSentAt + everyMs - clock.now()), keepAlive);
  }

  function onOpen(): void {
    if (over) return;
    connectDeadline.stop();
    lastSentAt = clock.now();
    lastReceivedAt = lastSentAt;
    if (options.liveness) livenessTimer = clock.after(options.liveness.everyMs, checkLiveness);
    if (options.keepAlive) keepAliveTimer = clock.after(options.keepAlive.everyMs, keepAlive);
    settleOpen?.resolve();
    settleOpen = null;
  }

  function onMessage(data: RawData, isBinary: boolean): void {
    if (over) return;
    lastReceivedAt = clock.now();
    const bytes = data as Buffer;
    try {
      if (isBinary) options.onBinary?.(bytes);
      else options.onText(bytes.toString('utf8'));
    } catch (error) {
      // Uncaught, it would end the process with all its calls.
      fail(new ProviderError(provider, 'unavailable', `message handler failed: ${errorText(error)}`));
    }
  }

  function onRefused(response: IncomingMessage): void {
    const status = response.statusCode ?? 0;
    const reason = options.refusalHeader ? response.headers[options.refusalHeader] : undefined;
    const detail = typeof reason === 'string' ? `: ${reason.slice(0, 200)}` : '';
    response.resume();
    fail(
      new ProviderError(provider, refusalFailure(status), `the connection was refused with status ${status}${detail}`),
    );
  }

  /** A socket error is followed by a close, but its own message says more. */
  function onError(error: Error): void {
    fail(new ProviderError(provider, 'unavailable', `connection error: ${error.message}`));
  }

  function onClose(code: number, reason: Buffer): void {
    const text = reason.toString('utf8').slice(0, 200);
    const kind = options.closeMeaning?.(code, text) ?? closeFailure(code);
    fail(new ProviderError(provider, kind, `closed by the provider with code ${code}${text && `: ${text}`}`));
  }

  function connect(): WebSocket {
    const { headers = {} } = options;
    const ws = new WebSocket(options.url, {
      headers: typeof headers === 'function' ? headers() : headers,
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: MAX_MESSAGE_BYTES,
    });
    const onReceived = () => {
      lastReceivedAt = clock.now();
    };
    const guard = <Args extends unknown[]>(handle: (...args: Args) => void) => onClock(clock, handle);
    ws.on('upgrade', (response) => response.socket.setNoDelay(true));
    ws.on('open', guard(onOpen));
    ws.on('message', guard(onMessage));
    ws.on('ping', onReceived);
    ws.on('pong', onReceived);
    ws.on(
      'unexpected-response',
      guard((_request, response) => onRefused(response)),
    );
    ws.on('error', guard(onError));
    ws.on('close', guard(onClose));
    return ws;
  }

  return {
    open() {
      opening ??= new Promise<void>((resolve, reject) => {
        if (over) {
          reject(new ProviderError(provider, 'unavailable', 'closed before it was opened'));
          return;
        }
        settleOpen = { resolve, reject };
        connectDeadline.start();
        try {
          socket = connect();
        } catch (error) {
          // The address is malformed.
          fail(new ProviderError(provider, 'bad_request', errorText(error)));
        }
      });
      return opening;
    },
    get isOpen() {
      return !over && socket?.readyState === WebSocket.OPEN;
    },
    send(data) {
      if (over || socket?.readyState !== WebSocket.OPEN) return;
      lastSentAt = clock.now();
      // Without compression ws masks into its own copy at once, so the caller may reuse its buffer.
      socket.send(data);
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) {
        fail(
          new ProviderError(provider, 'timeout', `the provider stopped reading: ${socket.bufferedAmount} bytes unsent`),
        );
      }
    },
    fail,
    close(lastMessage) {
      closing ??= new Promise<void>((resolve) => {
        over = true;
        stopTimers();
        settleOpen?.reject(new ProviderError(provider, 'unavailable', 'closed while it was being opened'));
        settleOpen = null;
        const ws = socket;
        if (!ws || ws.readyState === WebSocket.CLOSED) {
          resolve();
          return;
        }
        const deadline = createDeadline(clock, CLOSE_DEADLINE_MS, () => ws.terminate());
        ws.once('close', () => {
          deadline.stop();
          resolve();
        });
        if (ws.readyState === WebSocket.CONNECTING) {
          ws.terminate();
          return;
        }
        deadline.start();
        if (lastMessage !== undefined && ws.readyState === WebSocket.OPEN) ws.send(lastMessage);
        ws.close(1000);
      });
      return closing;
    },
  };
}
