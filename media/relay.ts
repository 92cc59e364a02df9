import type { HttpRequest, WebSocket, WebSocketBehavior } from 'uWebSockets.js';
import { WebSocket as Upstream } from 'ws';
import type { Clock, Timer } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import { readMediaToken } from '../shared/media-token.ts';
import { letIn } from './doorway.ts';
import type { Siblings } from './siblings.ts';

/**
 * The kernel spreads connections over the engines of a machine as it likes, so a stream may come to the wrong one: to one
 * without room, or while its call waits for it elsewhere. It is passed on there, message by message, both ways. The pass
 * is judged, and used up, by the engine that takes the call.
 */
export interface Relay {
  /** The behaviour given, except for the streams that belong elsewhere. */
  around<Data>(behavior: WebSocketBehavior<Data>, passOf: (request: HttpRequest) => string): WebSocketBehavior<Data>;
  /** Streams that are passed on now. */
  readonly streams: number;
  /** Resolves when none is passed on any more, at latest after `patienceMs`. */
  drained(patienceMs: number): Promise<void>;
}

export interface RelayOptions {
  siblings: Pick<Siblings, 'holderOf' | 'withRoom'>;
  /** A call that lives here. */
  isHere(callId: string): boolean;
  /** This engine takes another call. */
  ready(): boolean;
  tokenSecret: string;
  clock: Clock;
  log: Logger;
}

/** Marks what a sibling passed on: it is never passed on once more. A stranger gains nothing by it. */
const RELAYED_HEADER = 'x-antiphon-relayed';
const CONNECT_WITHIN_MS = 2_000;
/** So much waits for a slow carrier before its engine is read no further … */
const SLOW_BYTES = 64 * 1024;
/** … and so much for an engine that does not read, a minute of sound, before the stream is cut. */
const STUCK_BYTES = 1024 * 1024;
/** Messages kept for a sibling that is being asked, and bytes of them: more than a carrier's first seconds. */
const MOST_EARLY = 200;
const MOST_EARLY_BYTES = 256 * 1024;
const HOLDER_TRIES = 5;
const HOLDER_AGAIN_MS = 200;
const CLOSE_REFUSED = 1008;
const CLOSE_TRY_LATER = 1013;
const CLOSE_LOST = 1006;
const CLOSE_WITHOUT_CODE = 1005;

/** One stream that is passed on: the carrier's socket here, and ours to the sibling. */
interface Passing {
  callId: string;
  /** Whom to ask, one after the other. */
  ports: number[];
  asked: Asked;
  /** Null before the first was asked. */
  upstream: Upstream | null;
  /** What came before the sibling took it. */
  early: { data: Buffer; binary: boolean }[];
  earlyBytes: number;
  over: boolean;
}

/** How the carrier asked, kept because a request is only lent. */
interface Asked {
  path: string;
  protocols: string;
}

type Way = { callId: string; ports: number[] } | null;

export function createRelay(options: RelayOptions): Relay {
  const { siblings, clock, log } = options;
  const passings = new Set<Passing>();
  const waiting = new Set<() => void>();

  /** Where a stream belongs when not here; null: whatever becomes of it is decided here. */
  function wayOf(pass: string): Way {
    // A stream that comes back shows its old pass, as on the engine of its call.
    const known = readMediaToken(options.tokenSecret, pass, 0);
    if (typeof known === 'string' || options.isHere(known.call_id)) return null;
    const callId = known.call_id;
    const holder = siblings.holderOf(callId);
    // It may hear of the break a moment later than the carrier comes back.
    if (holder !== null) return { callId, ports: new Array<number>(HOLDER_TRIES).fill(holder) };
    if (options.ready() || known.expires_at_ms <= clock.wall()) return null;
    const ports = siblings.withRoom();
    return ports.length > 0 ? { callId, ports } : null;
  }

  /** The carrier is let in first: a socket that uWebSockets.js upgrades later may be closed by it (its pull request 1929). */
  function opened(ws: WebSocket<unknown>, passing: Passing): void {
    passings.add(passing);
    log.info({ call_id: passing.callId }, 'a stream is passed on to a sibling');
    askNext(ws, passing, 503);
  }

  function askNext(ws: WebSocket<unknown>, passing: Passing, refusal: number): void {
    const port = passing.ports.shift();
    if (passing.over) return;
    const upstream = port === undefined ? null : connect(port, passing.asked);
    if (!upstream) {
      log.warn({ call_id: passing.callId, refusal }, 'a stream that belongs to a sibling was refused there');
      ws.end(refusal === 503 ? CLOSE_TRY_LATER : CLOSE_REFUSED);
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
      if (again) clock.after(HOLDER_AGAIN_MS, () => askNext(ws, passing, status));
      else askNext(ws, passing, status);
    };
    upstream.on('error', () => refused(503));
    upstream.once('unexpected-response', (_request, answer) => {
      answer.resume();
      refused(answer.statusCode ?? 503);
      upstream.terminate();
    });
    upstream.once('open', () => {
      settled = true;
      if (passing.over) upstream.terminate();
      else join(ws, passing, upstream);
    });
  }

  function join(ws: WebSocket<unknown>, passing: Passing, upstream: Upstream): void {
    for (const { data, binary } of passing.early.splice(0)) upstream.send(data, { binary });
    upstream.on('message', (data, isBinary) => {
      if (passing.over) return;
      ws.cork(() => ws.send(data as Buffer, isBinary));
      if (ws.getBufferedAmount() > SLOW_BYTES) upstream.pause();
    });
    upstream.on('ping', () => {
      if (!passing.over) ws.ping();
    });
    upstream.on('close', (code, reason) => {
      if (passing.over) return;
      if (code === CLOSE_LOST) ws.close();
      else if (code === CLOSE_WITHOUT_CODE) ws.end();
      else ws.end(code, reason);
    });
  }

  function message(ws: WebSocket<unknown>, passing: Passing, bytes: ArrayBuffer, binary: boolean): void {
    const { upstream, early } = passing;
    if (upstream?.readyState === Upstream.OPEN) {
      // The bytes are only lent; a client masks them, which is a copy.
      if (upstream.bufferedAmount <= STUCK_BYTES) upstream.send(Buffer.from(bytes), { binary });
      else ws.close();
      return;
    }
    passing.earlyBytes += bytes.byteLength;
    if (early.length < MOST_EARLY && passing.earlyBytes <= MOST_EARLY_BYTES) {
      early.push({ data: Buffer.from(bytes.slice(0)), binary });
    } else ws.close();
  }

  function closed(passing: Passing, code: number, reason: ArrayBuffer): void {
    const { upstream, callId } = passing;
    passing.over = true;
    passings.delete(passing);
    // What is still unread of the sibling lies before its goodbye.
    upstream?.resume();
    if (upstream?.readyState !== Upstream.OPEN || code === CLOSE_LOST) upstream?.terminate();
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
    if (passings.size === 0) for (const told of [...waiting]) told();
  }

  return {
    get streams() {
      return passings.size;
    },
    around<Data>(behavior: WebSocketBehavior<Data>, passOf: (request: HttpRequest) => string) {
      return {
        ...behavior,
        upgrade(response, request, context) {
          const way = request.getHeader(RELAYED_HEADER) === '' ? wayOf(passOf(request)) : null;
          if (!way) return behavior.upgrade?.(response, request, context);
          const passing: Passing = {
            ...way,
            asked: read(request),
            upstream: null,
            early: [],
            earlyBytes: 0,
            over: false,
          };
          letIn(response, request, context, { passing });
        },
        open(ws) {
          const passing = passingOf(ws);
          if (passing) opened(ws, passing);
          else return behavior.open?.(ws);
        },
        message(ws, bytes, isBinary) {
          const passing = passingOf(ws);
          if (passing) message(ws, passing, bytes, isBinary);
          else return behavior.message?.(ws, bytes, isBinary);
        },
        drain(ws) {
          const passing = passingOf(ws);
          if (!passing) behavior.drain?.(ws);
          else if (ws.getBufferedAmount() < SLOW_BYTES / 2) passing.upstream?.resume();
        },
        close(ws, code, reason) {
          const passing = passingOf(ws);
          if (passing) closed(passing, code, reason);
          else behavior.close?.(ws, code, reason);
        },
      } satisfies WebSocketBehavior<Data>;
    },
    async drained(patienceMs) {
      if (passings.size === 0) return;
      let timer: Timer | null = null;
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        timer = clock.after(patienceMs, resolve);
      });
      (timer as Timer | null)?.cancel();
    },
  };
}

function read(request: HttpRequest): Asked {
  const query = request.getQuery();
  return {
    path: request.getUrl() + (query ? `?${query}` : ''),
    protocols: request.getHeader('sec-websocket-protocol'),
  };
}

/** Null when the carrier named subprotocols that are none. */
function connect(port: number, { path, protocols }: Asked): Upstream | null {
  try {
    const names = protocols === '' ? [] : protocols.split(',').map((name) => name.trim());
    return new Upstream(`ws://127.0.0.1:${port}${path}`, names, {
      headers: { [RELAYED_HEADER]: '1' },
      handshakeTimeout: CONNECT_WITHIN_MS,
      perMessageDeflate: false,
      // The sibling judges what came from outside, and what it sends itself needs no judging.
      skipUTF8Validation: true,
    });
  } catch {
    return null;
  }
}

/** Data of a socket is what its upgrade was given, this or the behaviour's own. */
function passingOf(ws: WebSocket<unknown>): Passing | undefined {
  return (ws.getUserData() as { passing?: Passing }).passing;
}
