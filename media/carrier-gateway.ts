import type { HttpRequest, HttpResponse, us_socket_context_t, WebSocket, WebSocketBehavior } from 'uWebSockets.js';
import { type Clock, pause, type Timer } from '../shared/clock.ts';
import { describeError } from '../shared/describe-error.ts';
import type { Logger } from '../shared/log.ts';
import { type MediaToken, readMediaToken } from '../shared/media-token.ts';
import type { AudioFormat } from './audio/format.ts';
import { legSocket, MAX_READ_BYTES, serverCloseCause } from './carrier-socket.ts';
import { CarrierLeg, type LegSocket, MAX_INVALID_MESSAGES } from './leg/carrier-leg.ts';
import type { CarrierMessage, CarrierProtocol } from './leg/carrier-protocol.ts';
import { CARRIER_PROTOCOLS } from './leg/carrier-protocols.ts';
import { createEarlyLegCapture } from './leg/leg-capture.ts';
import { streamProtocol } from './leg/protocols/stream.ts';
import type { WebSocketRoutes } from './listener.ts';
import type { TokenReplayGuard } from './token-replay-guard.ts';
import { admitUpgrade, type UpgradeRejection, type UpgradeRejections } from './websocket-upgrade.ts';

/** A carrier's stream whose `start` message has come. */
export interface CarrierStream {
  token: MediaToken;
  /** Buffers up to 2 s of audio until it has a listener, and ends when it has none within 10 s. */
  leg: CarrierLeg;
  /** `twilio`, `plivo`, … */
  carrier: string;
  /** The carrier's own id of the call (CallSid, CallUUID). */
  providerCallId: string;
  format: AudioFormat;
  /** Custom parameters of the stream, as control's response to the carrier set them. */
  parameters: Record<string, string>;
}

/** A carrier's stream whose `start` names audio that cannot be read. */
export interface UnsupportedStream {
  token: MediaToken;
  carrier: string;
  providerCallId: string;
  /** The audio as the carrier names it: `G722 at 8000 Hz`. */
  format: string;
  /** Names the audio and what to set at the carrier; the reason that the socket is closed with. */
  reason: string;
  /** Closes the socket, which happens a second after the start in any case. */
  close(): void;
}

export interface CarrierGatewayOptions {
  tokenSecret: string;
  clock: Clock;
  log: Logger;
  /** Called once per stream. The receiver listens to the leg, or rejects the stream with `leg.reject()`. */
  onStream(stream: CarrierStream): void;
  /** Called instead for a stream that nobody can listen to: ends its call and closes it. Without it the stream is closed at once. */
  onUnsupportedStream?(stream: UnsupportedStream): void;
  /** The call is here and its socket broke: its token is valid once more. */
  awaitsStream(callId: string): boolean;
  /** False while this engine takes no stream: full, without a bus, or draining for some seconds. */
  ready(): boolean;
  replayGuard: TokenReplayGuard;
  rejections: UpgradeRejections;
  /** Some calls are captured: what carriers send is buffered until it is known which. */
  captures?: boolean;
  /** By carrier. Default: those of the registry. */
  protocols?: Readonly<Record<string, CarrierProtocol>>;
}

export interface CarrierGateway {
  /** Sockets that are open. */
  readonly streams: number;
  /** Resolves when the streams of all sockets that are open have started, or the sockets are closed: within about 5 seconds. */
  streamsStarted(): Promise<void>;
  /** Closes every socket; resolves when their peers had time to read what was sent. */
  close(): Promise<void>;
}

/** From the upgrade to the stream's `start` message. */
const START_DEADLINE_MS = 5_000;
/** From `start` until the leg has a listener. */
const LISTEN_DEADLINE_MS = 10_000;
/** How long the end of its call may take before a stream with unsupported audio is closed. */
const UNSUPPORTED_DEADLINE_MS = 1_000;
/** Larger messages close the socket; a carrier's frame has 300 bytes. */
const MAX_MESSAGE_BYTES = 64 * 1024;
const TOO_LARGE = `a message larger than ${MAX_MESSAGE_BYTES / 1024} KiB`;
/** Limit of the send buffer with control messages. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** A socket without traffic, pongs included, is closed after this. */
const IDLE_TIMEOUT_SECONDS = 30;
/** Plivo asks its customers for pings; every carrier answers them. */
const PING_INTERVAL_MS = 15_000;
const CLOSE_GRACE_MS = 200;
/** RFC 6455, 7.4.1. */
const CLOSE_UNSUPPORTED_DATA = 1003;
const CLOSE_POLICY_VIOLATION = 1008;
const CLOSE_TOO_LARGE = 1009;

type UpgradeDecision = { protocol: CarrierProtocol; token: MediaToken } | UpgradeRejection;
/** In a stream's address: the agent's audio is wideband, where no message of the carrier says so. */
const WIDEBAND_RATE = '16000';

interface SocketData {
  token: MediaToken;
  protocol: CarrierProtocol;
  wideband: boolean;
  socket: LegSocket | null;
  leg: CarrierLeg | null;
  closed: boolean;
  invalidMessages: number;
  /** Why this side closed a socket that had no leg yet. */
  closeReason: string;
  deadline: Timer | null;
  /** Its stream has started, or the socket is closed. */
  started: PromiseWithResolvers<void>;
}

/**
 * Serves carriers' streams at `/carrier/<provider>/<token>`, or `/carrier/<provider>?token=`, and API clients' at
 * `/stream/<token>`. Rejects an upgrade with 404 (unknown carrier), 401 (invalid token), 403 (expired or used token) or 503 (not
 * ready).
 */
export function openCarrierGateway(app: WebSocketRoutes, options: CarrierGatewayOptions): CarrierGateway {
  const { clock, log, replayGuard, protocols = CARRIER_PROTOCOLS } = options;
  const open = new Set<WebSocket<SocketData>>();
  let pingTimer: Timer | null = null;

  function upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void {
    const provider = request.getParameter(0) ?? '';
    const protocol = Object.hasOwn(protocols, provider) ? protocols[provider] : undefined;
    admit(decide(protocol, tokenOf(request)), response, request, context);
  }

  function upgradeClient(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void {
    admit(decide(streamProtocol, request.getParameter(0) ?? ''), response, request, context);
  }

  function admit(
    decision: UpgradeDecision,
    response: HttpResponse,
    request: HttpRequest,
    context: us_socket_context_t,
  ): void {
    if ('status' in decision) {
      options.rejections.reject(response, decision, 'carrier stream rejected');
      return;
    }
    replayGuard.markUsed(decision.token);
    admitUpgrade<SocketData>(response, request, context, {
      ...decision,
      wideband: request.getQuery('rate') === WIDEBAND_RATE,
      socket: null,
      leg: null,
      closed: false,
      invalidMessages: 0,
      closeReason: '',
      deadline: null,
      started: Promise.withResolvers(),
    });
  }

  function decide(protocol: CarrierProtocol | undefined, tokenText: string): UpgradeDecision {
    if (!protocol) return { status: '404 Not Found', reason: 'unknown carrier' };
    const { carrier } = protocol;
    // A carrier reopens a broken stream with its first token, which may have expired since.
    const known = readMediaToken(options.tokenSecret, tokenText, 0);
    if (typeof known !== 'string' && options.awaitsStream(known.call_id)) return { protocol, token: known };
    const token = readMediaToken(options.tokenSecret, tokenText, clock.wall());
    if (token === 'expired') return { status: '403 Forbidden', reason: 'expired token', carrier };
    if (typeof token === 'string') return { status: '401 Unauthorized', reason: `${token} token`, carrier };
    const { call_id } = token;
    if (replayGuard.isUsed(token)) return { status: '403 Forbidden', reason: 'used token', carrier, call_id };
    // The token stays unused, so that the carrier can retry with it.
    if (!options.ready()) return { status: '503 Service Unavailable', reason: 'not ready', carrier, call_id };
    return { protocol, token };
  }

  function opened(ws: WebSocket<SocketData>): void {
    open.add(ws);
    pingTimer ??= clock.after(PING_INTERVAL_MS, ping);
    const data = ws.getUserData();
    data.socket = legSocket(ws, data);
    data.deadline = clock.after(START_DEADLINE_MS, () => closeBeforeStart(data, 'no start within 5 s'));
  }

  function ping(): void {
    for (const ws of open) ws.ping();
    pingTimer = open.size > 0 ? clock.after(PING_INTERVAL_MS, ping) : null;
  }

  function pong(ws: WebSocket<SocketData>, payload: ArrayBuffer): void {
    const data = ws.getUserData();
    if (data.closed || !data.leg) return;
    try {
      data.leg.pong(Buffer.from(payload).toString(), clock.now());
    } catch (error) {
      failCall(data, error);
    }
  }

  function closeBeforeStart(data: SocketData, reason: string, code = CLOSE_POLICY_VIOLATION): void {
    if (data.closeReason !== '') return;
    data.closeReason = reason;
    data.socket?.close(code, reason);
  }

  function message(ws: WebSocket<SocketData>, bytes: ArrayBuffer, isBinary: boolean): void {
    const nowMs = clock.now();
    const data = ws.getUserData();
    if (data.closed || data.closeReason !== '') return;
    const { leg } = data;
    try {
      if (bytes.byteLength > MAX_MESSAGE_BYTES) {
        if (leg) leg.failProtocol(TOO_LARGE, CLOSE_TOO_LARGE);
        else closeBeforeStart(data, TOO_LARGE, CLOSE_TOO_LARGE);
        return;
      }
      if (isBinary) {
        if (leg) leg.receiveBinary(new Uint8Array(bytes), nowMs);
        else countInvalidMessage(data, 'a binary message before start');
        return;
      }
      // uWebSockets.js reuses the bytes after this call; the text is a copy.
      const text = Buffer.from(bytes).toString();
      if (leg) leg.receive(text, nowMs);
      else beforeStart(data, text);
    } catch (error) {
      failCall(data, error);
    }
  }

  /** An error thrown for one call ends that call; it must not reach uWebSockets.js. */
  function failCall(data: SocketData, error: unknown): void {
    log.error({ ...describeError(error), call_id: data.token.call_id }, 'carrier message handler failed');
    data.leg?.abandon('internal error');
  }

  function beforeStart(data: SocketData, text: string): void {
    const { protocol, socket, wideband } = data;
    const start = protocol.decode(text);
    if (start.type === 'start' && wideband && protocol.widebandAgentFormat) {
      start.agentFormat = protocol.widebandAgentFormat;
    }
    if (start.type === 'ignored') return;
    if (start.type === 'stop') {
      closeBeforeStart(data, 'stop before start');
      return;
    }
    if (start.type === 'unsupported') {
      closeUnsupported(data, start);
      return;
    }
    if (start.type !== 'start') {
      countInvalidMessage(data, start.type === 'invalid' ? start.reason : `${start.type} before start`);
      return;
    }
    const capture = options.captures ? createEarlyLegCapture() : null;
    const leg = new CarrierLeg({ protocol, start, socket: socket!, clock, capture });
    data.leg = leg;
    data.deadline?.cancel();
    data.deadline = clock.after(LISTEN_DEADLINE_MS, () => {
      if (!leg.listening) leg.abandon('no listener within 10 s');
    });
    log.info({ call_id: data.token.call_id, carrier: protocol.carrier }, 'carrier stream started');
    options.onStream({
      token: data.token,
      leg,
      carrier: protocol.carrier,
      providerCallId: start.providerCallId,
      format: start.format,
      parameters: start.parameters,
    });
    data.started.resolve();
  }

  function closeUnsupported(data: SocketData, start: Extract<CarrierMessage, { type: 'unsupported' }>): void {
    const { token, protocol, socket } = data;
    const reason = `unsupported audio: ${start.format}; ${start.remedy}`;
    const close = () => {
      if (protocol.ended) socket?.send(protocol.ended(reason), 'control');
      socket?.close(CLOSE_UNSUPPORTED_DATA, reason);
    };
    data.closeReason = reason;
    data.deadline?.cancel();
    data.deadline = clock.after(UNSUPPORTED_DEADLINE_MS, close);
    const { providerCallId, format } = start;
    const stream = { token, carrier: protocol.carrier, providerCallId, format, reason, close };
    log.warn({ call_id: token.call_id, carrier: protocol.carrier, format }, 'carrier stream with unsupported audio');
    if (options.onUnsupportedStream) options.onUnsupportedStream(stream);
    else close();
  }

  function countInvalidMessage(data: SocketData, reason: string): void {
    const { protocol, socket } = data;
    if (protocol.error) socket?.send(protocol.error(reason), 'control');
    if (++data.invalidMessages > MAX_INVALID_MESSAGES) closeBeforeStart(data, `invalid before start: ${reason}`);
  }

  function closed(ws: WebSocket<SocketData>, code: number, reason: ArrayBuffer): void {
    open.delete(ws);
    const data = ws.getUserData();
    data.closed = true;
    data.started.resolve();
    data.deadline?.cancel();
    const { leg, token, protocol } = data;
    const serverCause = serverCloseCause(code, Buffer.from(reason).toString());
    try {
      leg?.closed(code, serverCause);
    } catch (error) {
      failCall(data, error);
    }
    const cause = leg?.end?.cause ?? 'rejected';
    const facts = {
      call_id: token.call_id,
      carrier: protocol.carrier,
      cause,
      detail: leg?.end?.detail ?? (data.closeReason || serverCause?.detail || `closed before start (${code})`),
      code,
      ...(leg ? { frames: leg.stats.frames, concealed: leg.stats.concealed, late: leg.stats.late, ...leg.counts } : {}),
    };
    const expected = cause === 'hung up' || cause === 'hung up by us';
    if (expected) log.info(facts, 'carrier stream ended');
    else log.warn(facts, 'carrier stream ended');
  }

  const behavior: WebSocketBehavior<SocketData> = {
    maxPayloadLength: MAX_READ_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    sendPingsAutomatically: true,
    maxBackpressure: MAX_BUFFERED_BYTES,
    closeOnBackpressureLimit: false,
    maxLifetime: 0,
    upgrade,
    open: opened,
    message,
    pong,
    close: closed,
  };
  app.ws<SocketData>('/carrier/:provider/:token', behavior).ws<SocketData>('/carrier/:provider', behavior);
  app.ws<SocketData>('/stream/:token', { ...behavior, upgrade: upgradeClient });

  return {
    get streams() {
      return open.size;
    },
    async streamsStarted() {
      await Promise.all([...open].map((ws) => ws.getUserData().started.promise));
    },
    async close() {
      pingTimer?.cancel();
      if (open.size === 0) return;
      for (const ws of [...open]) {
        const data = ws.getUserData();
        if (data.leg) data.leg.hangUp('error: engine stopped');
        else closeBeforeStart(data, 'engine stopped');
      }
      await pause(clock, CLOSE_GRACE_MS);
    },
  };
}

/** A carrier whose address is fixed in its own settings (Asterisk) can only add a query. */
function tokenOf(request: HttpRequest): string {
  return request.getParameter(1) || request.getQuery('token') || '';
}
