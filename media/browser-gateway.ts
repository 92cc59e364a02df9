import type { HttpRequest, HttpResponse, us_socket_context_t, WebSocket, WebSocketBehavior } from 'uWebSockets.js';
import type { Clock } from '../shared/clock.ts';
import type { ParticipantMode } from '../shared/live-control.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { type MediaToken, readMediaToken } from '../shared/media-token.ts';
import { MAX_MESSAGE_BYTES, type ToBrowser } from '../shared/web-signalling.ts';
import { loadOpus, type OpusAvailability } from './audio/opus.ts';
import { BrowserCall, type PageSocket } from './leg/browser-call.ts';
import type { BrowserMedia } from './leg/browser-connection.ts';
import type { BrowserLeg } from './leg/browser-leg.ts';
import { createEarlyLegCapture } from './leg/leg-capture.ts';
import type { WebSocketRoutes } from './listener.ts';
import type { TokenReplayGuard } from './token-replay-guard.ts';
import { admitUpgrade, type UpgradeRejection, type UpgradeRejections } from './websocket-upgrade.ts';

/** A browser whose first audio has come. */
export interface BrowserStream {
  token: MediaToken;
  leg: BrowserLeg;
  carrier: 'browser';
  /** A browser's call has no other id. */
  providerCallId: '';
}

/** How the engine takes the streams of people who take part in its calls. */
export interface ParticipantStreams {
  /** How the person with this token is to take part; null where nobody is expected. */
  expected(token: MediaToken): ParticipantMode | null;
  /** The person can hear and be heard. */
  join(token: MediaToken, leg: BrowserLeg): void;
}

export interface BrowserGatewayOptions {
  media: BrowserMedia;
  tokenSecret: string;
  clock: Clock;
  log: Logger;
  onStream(stream: BrowserStream): void;
  /** The people who take part in calls of this engine; without it there are none. */
  participants?: ParticipantStreams;
  ready(): boolean;
  replayGuard: TokenReplayGuard;
  rejections: UpgradeRejections;
  /** Some calls are captured: what browsers send is buffered until it is known which. */
  captures?: boolean;
  /** For tests. */
  opus?: OpusAvailability;
}

export interface BrowserGateway {
  /** Browser calls that are here, those included that have not started. */
  readonly calls: number;
  /** Why there are no browser calls, or null. */
  readonly unavailableReason: string | null;
  /** Resolves when every call that is here now has started or is over: within about 30 seconds. */
  streamsStarted(): Promise<unknown>;
  close(): Promise<void>;
}

/** A socket without traffic, pongs included, is closed after this; its page then has 15 s to reconnect. */
const IDLE_TIMEOUT_SECONDS = 16;
const MAX_BUFFERED_BYTES = 256 * 1024;
/** From a browser's first audio until its leg has a listener. */
const LISTEN_DEADLINE_MS = 10_000;
/** Calls that are here, and sockets whose call is being opened. */
const MAX_CALLS = 500;
const CLOSE_TRY_LATER = 1013;

interface PageData {
  token: MediaToken;
  /** How a person takes part in a call that goes on; null where the page is a call's own. */
  mode: ParticipantMode | null;
  /** Sent to the page as soon as its socket is open, which is then closed; empty when calls are available. */
  unavailableReason: string;
  call: BrowserCall | null;
  socket: (PageSocket & { closed: boolean }) | null;
}

/**
 * Serves browsers at `/web/<token>`. Rejects an upgrade with 401 (invalid token), 403 (expired or used token) or 503 (not
 * ready). Where this engine has no browser calls at all it accepts the socket and sends the reason, because a page cannot
 * read the status of a failed upgrade.
 */
export function openBrowserGateway(app: WebSocketRoutes, options: BrowserGatewayOptions): BrowserGateway {
  const { media, clock, log } = options;
  const opus = options.opus ?? loadOpus();
  const calls = new Map<string, BrowserCall>();
  /** Nonces of calls whose media is being opened. */
  const opening = new Set<string>();
  /** Calls that have not started, by their nonces. */
  const connecting = new Map<string, PromiseWithResolvers<void>>();
  const unavailableReason = () =>
    'unavailableReason' in opus ? `Opus is not available: ${opus.unavailableReason}` : media.unavailableReason;
  const unavailableAtStart = unavailableReason();
  if (unavailableAtStart !== null) log.warn({ reason: unavailableAtStart }, 'browser calls unavailable');

  function decide(text: string): Pick<PageData, 'token' | 'mode' | 'unavailableReason'> | UpgradeRejection {
    const isParticipant = typeof readMediaToken(options.tokenSecret, text, 0, 'participant') !== 'string';
    const read = (wallMs: number) =>
      readMediaToken(options.tokenSecret, text, wallMs, isParticipant ? 'participant' : 'media');
    // A page that reconnects has its first token, which may have expired since.
    const known = read(0);
    if (typeof known !== 'string') {
      const call = calls.get(known.nonce);
      if (call?.awaitsReconnect) return { token: known, mode: null, unavailableReason: '' };
      if (call || opening.has(known.nonce))
        return { status: '403 Forbidden', reason: 'used token', call_id: known.call_id };
    }
    const token = read(clock.wall());
    if (token === 'expired') return { status: '403 Forbidden', reason: 'expired token' };
    if (typeof token === 'string') return { status: '401 Unauthorized', reason: `${token} token` };
    const { call_id } = token;
    if (options.replayGuard.isUsed(token)) return { status: '403 Forbidden', reason: 'used token', call_id };
    const mode = isParticipant ? (options.participants?.expected(token) ?? null) : null;
    if (isParticipant && mode === null) return { status: '403 Forbidden', reason: 'nobody is expected', call_id };
    const reason = unavailableReason();
    if (reason !== null) return { token, mode, unavailableReason: `no browser calls here: ${reason}` };
    // The call of a participant is here already.
    if ((!isParticipant && !options.ready()) || calls.size + opening.size >= MAX_CALLS)
      return { status: '503 Service Unavailable', reason: 'not ready', call_id };
    return { token, mode, unavailableReason: '' };
  }

  function upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void {
    const decision = decide(request.getParameter(0) ?? '');
    if ('status' in decision) {
      options.rejections.reject(response, decision, 'browser rejected');
      return;
    }
    const { token } = decision;
    const call = calls.get(token.nonce) ?? null;
    if (decision.unavailableReason === '' && !call) {
      options.replayGuard.markUsed(token);
      opening.add(token.nonce);
      connecting.set(token.nonce, Promise.withResolvers());
    }
    admitUpgrade<PageData>(response, request, context, { ...decision, call, socket: null });
  }

  function startedOrOver({ nonce }: MediaToken): void {
    connecting.get(nonce)?.resolve();
    connecting.delete(nonce);
  }

  function opened(ws: WebSocket<PageData>): void {
    const data = ws.getUserData();
    const socket = pageSocket(ws);
    data.socket = socket;
    const { call_id } = data.token;
    if (data.unavailableReason !== '') {
      log.warn({ call_id, reason: data.unavailableReason }, 'browser rejected');
      endPage(socket, data.unavailableReason);
      return;
    }
    if (data.call) {
      log.info({ call_id }, 'page reconnected');
      data.call.attach(socket);
      return;
    }
    openCall(data, socket).catch((error: unknown) => {
      log.error({ call_id, error: errorText(error) }, 'browser call could not be opened');
      startedOrOver(data.token);
      endPage(socket, 'error: browser media');
    });
  }

  function endPage(socket: PageSocket, reason: string): void {
    socket.send(JSON.stringify({ type: 'ended', reason } satisfies ToBrowser));
    socket.close(CLOSE_TRY_LATER);
  }

  async function openCall(data: PageData, socket: PageSocket & { closed: boolean }): Promise<void> {
    const { token, mode } = data;
    if ('unavailableReason' in opus) return;
    const connection = await media.open().finally(() => opening.delete(token.nonce));
    if (socket.closed) {
      connection.close();
      startedOrOver(token);
      return;
    }
    const call = new BrowserCall({
      callId: token.call_id,
      connection,
      codec: opus.newCodec(),
      clock,
      log,
      capture: options.captures && mode === null ? createEarlyLegCapture() : null,
      listensOnly: mode === 'listen',
      onStart(leg) {
        log.info({ call_id: token.call_id, mode }, 'browser stream started');
        clock.after(LISTEN_DEADLINE_MS, () => {
          if (!leg.listening) leg.hangUp('nobody took the call');
        });
        if (mode !== null) options.participants?.join(token, leg);
        else options.onStream({ token, leg, carrier: 'browser', providerCallId: '' });
        startedOrOver(token);
      },
      onClosed() {
        calls.delete(token.nonce);
        startedOrOver(token);
      },
    });
    calls.set(token.nonce, call);
    data.call = call;
    call.attach(socket);
  }

  function message(ws: WebSocket<PageData>, bytes: ArrayBuffer): void {
    const { call, socket, token } = ws.getUserData();
    if (!call || !socket) return;
    try {
      // uWebSockets.js reuses the bytes after this call; the text is a copy. A binary message fails as invalid JSON.
      call.message(socket, Buffer.from(bytes).toString());
    } catch (error) {
      log.error({ err: error, call_id: token.call_id }, 'browser message handler failed');
      call.abandon('internal error');
    }
  }

  function closed(ws: WebSocket<PageData>, _code: number, reason: ArrayBuffer): void {
    const { call, socket } = ws.getUserData();
    if (!socket) return;
    socket.closed = true;
    // The reason uWebSockets.js gives for a message beyond `maxPayloadLength`.
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
  app.ws<PageData>('/web/:token', behavior);

  return {
    get calls() {
      return calls.size;
    },
    get unavailableReason() {
      return unavailableReason();
    },
    streamsStarted: () => Promise.all([...connecting.values()].map(({ promise }) => promise)),
    async close() {
      for (const call of [...calls.values()]) call.leg.hangUp('error: engine stopped');
      await media.close();
    },
  };
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
