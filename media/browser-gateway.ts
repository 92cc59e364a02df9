import type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_socket_context_t,
  WebSocket,
  WebSocketBehavior,
} from 'uWebSockets.js';
import type { Clock } from '../shared/clock.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { type MediaToken, readMediaToken } from '../shared/media-token.ts';
import { MAX_MESSAGE_BYTES, type ToBrowser } from '../shared/web-signalling.ts';
import { loadOpus, type OpusAvailability } from './audio/opus.ts';
import { BrowserCall, type PageSocket } from './leg/browser-call.ts';
import type { BrowserMedia } from './leg/browser-connection.ts';
import type { BrowserLeg } from './leg/browser-leg.ts';
import { createEarlyLegCapture } from './leg/leg-capture.ts';
import type { StreamRelay } from './stream-relay.ts';
import type { TokenReplayGuard } from './token-replay-guard.ts';
import { admitUpgrade, type UpgradeRejection, type UpgradeRejections } from './websocket-upgrade.ts';

/** A browser whose first sound has come. */
export interface BrowserStream {
  token: MediaToken;
  leg: BrowserLeg;
  carrier: 'browser';
  /** Nobody else numbers a browser's call. */
  providerCallId: '';
}

export interface BrowserGatewayOptions {
  media: BrowserMedia;
  tokenSecret: string;
  clock: Clock;
  log: Logger;
  onStream(stream: BrowserStream): void;
  ready(): boolean;
  /** A quick no to a second use of a pass. */
  replayGuard: TokenReplayGuard;
  rejections: UpgradeRejections;
  /** Where other engines share the port. */
  relay?: StreamRelay;
  /** Some calls are taped: what browsers send is kept until it is known which. */
  captures?: boolean;
  /** For tests. */
  opus?: OpusAvailability;
}

export interface BrowserGateway {
  /** Browsers' calls that are here, those included that have not begun. */
  readonly calls: number;
  /** Why there are no browser calls, or null. */
  readonly unavailableReason: string | null;
  close(): Promise<void>;
}

/** A socket without any sign of life, pongs included, is cut after this; its page has 15 s more. */
const IDLE_TIMEOUT_SECONDS = 16;
const MAX_BUFFERED_BYTES = 256 * 1024;
/** Somebody must listen within this time of a browser's first sound. */
const LISTEN_DEADLINE_MS = 10_000;
/** Pages that have not begun a call yet; a pass is needed for each. */
const MAX_PENDING_CALLS = 500;
/** With this code and a sentence a page is told that it cannot be served, over a socket, since a browser is not shown the status of an upgrade. */
const CLOSE_TRY_LATER = 1013;

interface PageData {
  token: MediaToken;
  /** Why the page is turned away as soon as its socket is open; empty: it is welcome. */
  unavailableReason: string;
  call: BrowserCall | null;
  socket: (PageSocket & { closed: boolean }) | null;
}

/**
 * Browsers come in at `/web/<token>`: refused with 401 (no token of ours), 403 (one too old, or used before), 503 (not ready).
 * Where this engine has no browser calls at all the socket opens and says so, as the page cannot read a status.
 */
export function openBrowserGateway(app: TemplatedApp, options: BrowserGatewayOptions): BrowserGateway {
  const { media, clock, log } = options;
  const opus = options.opus ?? loadOpus();
  const calls = new Map<string, BrowserCall>();
  const opening = new Set<string>();
  const unavailableReason = () =>
    'missing' in opus ? `Opus is not on this machine: ${opus.unavailableReason}` : media.unavailableReason;
  const unavailableAtStart = unavailableReason();
  if (unavailableAtStart !== null)
    log.warn({ unavailableReason: unavailableAtStart }, 'this engine takes no browser calls');

  function admit(text: string): { token: MediaToken; refused: string } | UpgradeRejection {
    // The page of a call that is here comes back with the pass it had, however old it is by now.
    const known = readMediaToken(options.tokenSecret, text, 0);
    if (typeof known !== 'string') {
      const call = calls.get(known.nonce);
      if (call?.awaitsReconnect) return { token: known, refused: '' };
      if (call || opening.has(known.nonce))
        return { status: '403 Forbidden', reason: 'used token', call_id: known.call_id };
    }
    const token = readMediaToken(options.tokenSecret, text, clock.wall());
    if (token === 'expired') return { status: '403 Forbidden', reason: 'expired token' };
    if (typeof token === 'string') return { status: '401 Unauthorized', reason: `${token} token` };
    const { call_id } = token;
    if (options.replayGuard.isUsed(token)) return { status: '403 Forbidden', reason: 'used token', call_id };
    const why = unavailableReason();
    if (why !== null) return { token, refused: `no browser calls here: ${why}` };
    if (!options.ready() || calls.size + opening.size >= MAX_PENDING_CALLS)
      return { status: '503 Service Unavailable', reason: 'not ready', call_id };
    return { token, refused: '' };
  }

  function upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void {
    const admission = admit(tokenOf(request));
    if ('status' in admission) {
      options.rejections.reject(response, admission, 'a browser was refused');
      return;
    }
    const { token, refused } = admission;
    const call = calls.get(token.nonce) ?? null;
    if (refused === '' && !call) {
      options.replayGuard.markUsed(token);
      opening.add(token.nonce);
    }
    admitUpgrade<PageData>(response, request, context, { token, unavailableReason: refused, call, socket: null });
  }

  function opened(ws: WebSocket<PageData>): void {
    const data = ws.getUserData();
    const socket = pageSocket(ws);
    data.socket = socket;
    if (data.unavailableReason !== '') {
      log.warn({ call_id: data.token.call_id, why: data.unavailableReason }, 'a browser was refused');
      endPage(socket, data.unavailableReason);
      return;
    }
    if (data.call) {
      log.info({ call_id: data.token.call_id }, 'a page came back');
      data.call.attach(socket);
      return;
    }
    openCall(data, socket).catch((error: unknown) => {
      log.error({ call_id: data.token.call_id, error: errorText(error) }, 'a browser call could not be opened');
      endPage(socket, 'error: browser media');
    });
  }

  function endPage(socket: PageSocket, reason: string): void {
    socket.send(JSON.stringify({ type: 'ended', reason } satisfies ToBrowser));
    socket.close(CLOSE_TRY_LATER);
  }

  async function openCall(data: PageData, socket: PageSocket & { closed: boolean }): Promise<void> {
    const { token } = data;
    if ('missing' in opus) return;
    const connection = await media.open().finally(() => opening.delete(token.nonce));
    if (socket.closed) {
      connection.close();
      return;
    }
    const call = new BrowserCall({
      callId: token.call_id,
      connection,
      codec: opus.newCodec(),
      clock,
      log,
      capture: options.captures ? createEarlyLegCapture() : null,
      onStart(leg) {
        log.info({ call_id: token.call_id }, 'a browser stream started');
        clock.after(LISTEN_DEADLINE_MS, () => {
          if (!leg.listening) leg.hangUp('nobody took the call');
        });
        options.onStream({ token, leg, carrier: 'browser', providerCallId: '' });
      },
      onClosed: () => calls.delete(token.nonce),
    });
    calls.set(token.nonce, call);
    data.call = call;
    call.attach(socket);
  }

  function message(ws: WebSocket<PageData>, bytes: ArrayBuffer): void {
    const { call, socket, token } = ws.getUserData();
    if (!call || !socket) return;
    try {
      // The bytes are only lent; the text is a copy. What is binary is read as text, and refused as such.
      call.message(socket, Buffer.from(bytes).toString());
    } catch (error) {
      log.error({ err: error, call_id: token.call_id }, "a fault while a browser's message was handled");
      call.abandon('a fault in the engine');
    }
  }

  function closed(ws: WebSocket<PageData>, _code: number, reason: ArrayBuffer): void {
    const { call, socket } = ws.getUserData();
    if (!socket) return;
    socket.closed = true;
    // The one sentence of uWebSockets.js for a message beyond the limit.
    const tooBig = /too big/i.test(Buffer.from(reason).toString());
    if (tooBig) call?.abandon(`a message larger than ${MAX_MESSAGE_BYTES} bytes`);
    else call?.detach(socket);
  }

  const behavior: WebSocketBehavior<PageData> = {
    maxPayloadLength: MAX_MESSAGE_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    sendPingsAutomatically: true,
    maxBackpressure: MAX_BUFFERED_BYTES,
    closeOnBackpressureLimit: true,
    maxLifetime: 0,
    upgrade,
    open: opened,
    message,
    close: closed,
  };
  app.ws<PageData>('/web/:token', options.relay?.wrap(behavior, tokenOf) ?? behavior);

  return {
    get calls() {
      return calls.size;
    },
    get unavailableReason() {
      return unavailableReason();
    },
    async close() {
      for (const call of [...calls.values()]) call.leg.hangUp('error: engine stopped');
      await media.close();
    },
  };
}

function tokenOf(request: HttpRequest): string {
  return request.getParameter(0) ?? '';
}

function pageSocket(ws: WebSocket<PageData>): PageSocket & { closed: boolean } {
  const socket = {
    closed: false,
    send(text: string) {
      if (socket.closed) return;
      ws.cork(() => ws.send(text, false));
    },
    close(code: number) {
      if (!socket.closed) ws.end(code);
    },
  };
  return socket;
}
