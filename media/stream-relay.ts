import type { HttpRequest, WebSocket, WebSocketBehavior } from 'uWebSockets.js';
import { WebSocket as Upstream } from 'ws';
import type { Clock, Timer } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import { readMediaToken } from '../shared/media-token.ts';
import type { PeerProcesses } from './peer-processes.ts';
import { admitUpgrade } from './websocket-upgrade.ts';

/**
 * The kernel spreads connections over the engines of a machine as it likes, so a stream may come to the wrong one: to one
 * without room, or while its call waits for it elsewhere. It is passed on there, message by message, both ways. The pass
 * is judged, and used up, by the engine that takes the call.
 */
export interface StreamRelay {
  /** The behaviour given, except for the streams that belong elsewhere. */
  wrap<Data>(behavior: WebSocketBehavior<Data>, passOf: (request: HttpRequest) => string): WebSocketBehavior<Data>;
  /** Streams that are passed on now. */
  readonly streams: number;
  /** Resolves when none is passed on any more, at latest after `patienceMs`. */
  drained(patienceMs: number): Promise<void>;
}

export interface StreamRelayOptions {
  peers: Pick<PeerProcesses, 'ownerOf' | 'withHeadroom'>;
  /** A call that lives here. */
  hasCall(callId: string): boolean;
  /** This engine takes another call. */
  ready(): boolean;
  tokenSecret: string;
  clock: Clock;
  log: Logger;
}

/** Marks what a sibling passed on: it is never passed on once more. A stranger gains nothing by it. */
const RELAYED_HEADER = 'x-antiphon-relayed';
const CONNECT_TIMEOUT_MS = 2_000;
/** So much waits for a slow carrier before its engine is read no further … */
const PAUSE_UPSTREAM_BYTES = 64 * 1024;
/** … and so much for an engine that does not read, a minute of sound, before the stream is cut. */
const CUT_OFF_BYTES = 1024 * 1024;
/** Messages kept for a sibling that is being asked, and bytes of them: more than a carrier's first seconds. */
const MAX_EARLY_MESSAGES = 200;
const MAX_EARLY_BYTES = 256 * 1024;
const OWNER_ATTEMPTS = 5;
const OWNER_RETRY_MS = 200;
const CLOSE_POLICY_VIOLATION = 1008;
const CLOSE_TRY_LATER = 1013;
const CLOSE_ABNORMAL = 1006;
const CLOSE_WITHOUT_CODE = 1005;

/** One stream that is passed on: the carrier's socket here, and ours to the sibling. */
interface RelayedStream {
  callId: string;
  /** Whom to ask, one after the other. */
  ports: number[];
  request: UpgradeRequest;
  /** Null before the first was asked. */
  upstream: Upstream | null;
  /** What came before the sibling took it. */
  early: { data: Buffer; binary: boolean }[];
  earlyBytes: number;
  closed: boolean;
}

/** How the carrier asked, kept because a request is only lent. */
interface UpgradeRequest {
  path: string;
  protocols: string;
}

type Route = { callId: string; ports: number[] } | null;

export function createStreamRelay(options: StreamRelayOptions): StreamRelay {
  const { peers: siblings, clock, log } = options;
  const relayed = new Set<RelayedStream>();
  const drainWaiters = new Set<() => void>();

  /** Where a stream belongs when not here; null: whatever becomes of it is decided here. */
  function routeOf(pass: string): Route {
    // A stream that comes back shows its old pass, as on the engine of its call.
    const known = readMediaToken(options.tokenSecret, pass, 0);
    if (typeof known === 'string' || options.hasCall(known.call_id)) return null;
    const callId = known.call_id;
    const holder = siblings.ownerOf(callId);
    // It may hear of the break a moment later than the carrier comes back.
    if (holder !== null) return { callId, ports: new Array<number>(OWNER_ATTEMPTS).fill(holder) };
    if (options.ready() || known.expires_at_ms <= clock.wall()) return null;
    const ports = siblings.withHeadroom();
    return ports.length > 0 ? { callId, ports } : null;
  }

  /** The carrier is let in first: a socket that uWebSockets.js upgrades later may be closed by it (its pull request 1929). */
  function opened(ws: WebSocket<unknown>, passing: RelayedStream): void {
    relayed.add(passing);
    log.info({ call_id: passing.callId }, 'a stream is passed on to a sibling');
    tryNext(ws, passing, 503);
  }

  function tryNext(ws: WebSocket<unknown>, passing: RelayedStream, refusal: number): void {
    const port = passing.ports.shift();
    if (passing.closed) return;
    const upstream = port === undefined ? null : connect(port, passing.request);
    if (!upstream) {
      log.warn({ call_id: passing.callId, refusal }, 'a stream that belongs to a sibling was refused there');
      ws.end(refusal === 503 ? CLOSE_TRY_LATER : CLOSE_POLICY_VIOLATION);
      return;
    }
    passing.upstream = upstream;
    let settled = false;
    const refused = (status: number) => {
      if (settled) return;
      settled = true;
      const again = passing.ports[0] === port;
      // Only who has no room, or is gone, sends a stream further.
      if (status !== 503 && !again) passing.ports.length = 0;
      if (again) clock.after(OWNER_RETRY_MS, () => tryNext(ws, passing, status));
      else tryNext(ws, passing, status);
    };
    upstream.on('error', () => refused(503));
    upstream.once('unexpected-response', (_request, answer) => {
      answer.resume();
      refused(answer.statusCode ?? 503);
      upstream.terminate();
    });
    upstream.once('open', () => {
      settled = true;
      if (passing.closed) upstream.terminate();
      else connectStreams(ws, passing, upstream);
    });
  }

  function connectStreams(ws: WebSocket<unknown>, passing: RelayedStream, upstream: Upstream): void {
    for (const { data, binary } of passing.early.splice(0)) upstream.send(data, { binary });
    upstream.on('message', (data, isBinary) => {
      if (passing.closed) return;
      ws.cork(() => ws.send(data as Buffer, isBinary));
      if (ws.getBufferedAmount() > PAUSE_UPSTREAM_BYTES) upstream.pause();
    });
    upstream.on('ping', () => {
      if (!passing.closed) ws.ping();
    });
    upstream.on('close', (code, reason) => {
      if (passing.closed) return;
      if (code === CLOSE_ABNORMAL) ws.close();
      else if (code === CLOSE_WITHOUT_CODE) ws.end();
      else ws.end(code, reason);
    });
  }

  function message(ws: WebSocket<unknown>, passing: RelayedStream, bytes: ArrayBuffer, binary: boolean): void {
    const { upstream, early } = passing;
    if (upstream?.readyState === Upstream.OPEN) {
      // The bytes are only lent; a client masks them, which is a copy.
      if (upstream.bufferedAmount <= CUT_OFF_BYTES) upstream.send(Buffer.from(bytes), { binary });
      else ws.close();
      return;
    }
    passing.earlyBytes += bytes.byteLength;
    if (early.length < MAX_EARLY_MESSAGES && passing.earlyBytes <= MAX_EARLY_BYTES) {
      early.push({ data: Buffer.from(bytes.slice(0)), binary });
    } else ws.close();
  }

  function closed(passing: RelayedStream, code: number, reason: ArrayBuffer): void {
    const { upstream, callId } = passing;
    passing.closed = true;
    relayed.delete(passing);
    // What is still unread of the sibling lies before its goodbye.
    upstream?.resume();
    if (upstream?.readyState !== Upstream.OPEN || code === CLOSE_ABNORMAL) upstream?.terminate();
    else if (code === CLOSE_WITHOUT_CODE) upstream.close();
    else {
      try {
        upstream.close(code, Buffer.from(reason));
      } catch {
        // A code that may not be sent.
        upstream.terminate();
      }
    }
    log.info({ call_id: callId, code }, 'a stream that was passed on has ended');
    if (relayed.size === 0) for (const told of [...drainWaiters]) told();
  }

  return {
    get streams() {
      return relayed.size;
    },
    wrap<Data>(behavior: WebSocketBehavior<Data>, passOf: (request: HttpRequest) => string) {
      return {
        ...behavior,
        upgrade(response, request, context) {
          const way = request.getHeader(RELAYED_HEADER) === '' ? routeOf(passOf(request)) : null;
          if (!way) return behavior.upgrade?.(response, request, context);
          const passing: RelayedStream = {
            ...way,
            request: readUpgradeRequest(request),
            upstream: null,
            early: [],
            earlyBytes: 0,
            closed: false,
          };
          admitUpgrade(response, request, context, { passing });
        },
        open(ws) {
          const passing = relayedStreamOf(ws);
          if (passing) opened(ws, passing);
          else return behavior.open?.(ws);
        },
        message(ws, bytes, isBinary) {
          const passing = relayedStreamOf(ws);
          if (passing) message(ws, passing, bytes, isBinary);
          else return behavior.message?.(ws, bytes, isBinary);
        },
        drain(ws) {
          const passing = relayedStreamOf(ws);
          if (!passing) behavior.drain?.(ws);
          else if (ws.getBufferedAmount() < PAUSE_UPSTREAM_BYTES / 2) passing.upstream?.resume();
        },
        close(ws, code, reason) {
          const passing = relayedStreamOf(ws);
          if (passing) closed(passing, code, reason);
          else behavior.close?.(ws, code, reason);
        },
      } satisfies WebSocketBehavior<Data>;
    },
    async drained(patienceMs) {
      if (relayed.size === 0) return;
      let timer: Timer | null = null;
      await new Promise<void>((resolve) => {
        drainWaiters.add(resolve);
        timer = clock.after(patienceMs, resolve);
      });
      (timer as Timer | null)?.cancel();
    },
  };
}

function readUpgradeRequest(request: HttpRequest): UpgradeRequest {
  const query = request.getQuery();
  return {
    path: request.getUrl() + (query ? `?${query}` : ''),
    protocols: request.getHeader('sec-websocket-protocol'),
  };
}

/** Null when the carrier named subprotocols that are none. */
function connect(port: number, { path, protocols }: UpgradeRequest): Upstream | null {
  try {
    const names = protocols === '' ? [] : protocols.split(',').map((name) => name.trim());
    return new Upstream(`ws://127.0.0.1:${port}${path}`, names, {
      headers: { [RELAYED_HEADER]: '1' },
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      perMessageDeflate: false,
      // The sibling judges what came from outside, and what it sends itself needs no judging.
      skipUTF8Validation: true,
    });
  } catch {
    return null;
  }
}

/** Data of a socket is what its upgrade was given, this or the behaviour's own. */
function relayedStreamOf(ws: WebSocket<unknown>): RelayedStream | undefined {
  return (ws.getUserData() as { passing?: RelayedStream }).passing;
}
