import type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_socket_context_t,
  WebSocket,
  WebSocketBehavior,
} from 'uWebSockets.js';
import type { Clock, Timer } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import { type MediaToken, readMediaToken } from '../shared/media-token.ts';
import type { AudioFormat } from './audio/format.ts';
import { CarrierLeg, type LegSocket, MAX_INVALID_MESSAGES } from './leg/carrier-leg.ts';
import type { CarrierProtocol } from './leg/carrier-protocol.ts';
import { CARRIER_PROTOCOLS } from './leg/carrier-protocols.ts';
import type { LegEnd } from './leg/leg.ts';
import { createEarlyLegCapture } from './leg/leg-capture.ts';
import type { StreamRelay } from './stream-relay.ts';
import type { TokenReplayGuard } from './token-replay-guard.ts';
import { admitUpgrade, type UpgradeRejection, type UpgradeRejections } from './websocket-upgrade.ts';

/** A carrier's stream whose `start` has come. */
export interface CarrierStream {
  token: MediaToken;
  /** Keeps up to 2 s of sound until somebody listens, and ends when nobody does within 10 s. */
  leg: CarrierLeg;
  /** `twilio`, `plivo`. */
  carrier: string;
  /** The carrier's own id of the call (CallSid, CallUUID). */
  providerCallId: string;
  format: AudioFormat;
  /** What the answer document gave the stream. */
  parameters: Record<string, string>;
}

export interface CarrierGatewayOptions {
  tokenSecret: string;
  clock: Clock;
  log: Logger;
  /** Called once per stream. Whoever takes it listens to the leg; `leg.hangUp()` refuses it. */
  onStream(stream: CarrierStream): void;
  /** The call is here, its socket broke, and the next one is waited for: its pass opens it once more. */
  awaitsStream(callId: string): boolean;
  /** False while this engine takes no further call: draining, full, or without a bus. */
  ready(): boolean;
  /** A quick no to a second use of a pass. */
  replayGuard: TokenReplayGuard;
  rejections: UpgradeRejections;
  /** Some calls are taped: what carriers send is kept until it is known which. */
  captures?: boolean;
  /** Where other engines share the port. */
  relay?: StreamRelay;
}

export interface CarrierGateway {
  /** Sockets that are open. */
  readonly behavior: number;
  /** Says goodbye on every socket; resolves when whoever reads has left. */
  close(): Promise<void>;
}

/** A stream's first `start` must come within this time of the upgrade … */
const START_DEADLINE_MS = 5_000;
/** … and somebody must listen within this time of it. */
const LISTEN_DEADLINE_MS = 10_000;
/** The longest message taken; a carrier's frame has 300 bytes. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** More than this waiting to be sent, over four seconds of sound, is a socket that does not drain. */
const CONGESTED_BYTES = 64 * 1024;
/** What control messages may still add to it. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** A socket without any sign of life, pongs included, is cut after this. */
const IDLE_TIMEOUT_SECONDS = 30;
/** Plivo asks its customers for pings; every carrier answers them. */
const PING_INTERVAL_MS = 15_000;
/** A peer that does not take our goodbye is cut off. */
const CLOSE_GRACE_MS = 200;

type UpgradeDecision = { wire: CarrierProtocol; token: MediaToken } | UpgradeRejection;

interface SocketData {
  token: MediaToken;
  protocol: CarrierProtocol;
  socket: LegSocket | null;
  leg: CarrierLeg | null;
  closed: boolean;
  invalidMessages: number;
  /** Why this side closed the socket, where no leg could say it. */
  closeReason: string;
  deadline: Timer | null;
}

/**
 * Carriers come in at `/carrier/<provider>/<token>`: refused with 404 (unknown carrier), 401 (no token of ours), 403 (one too
 * old or used before) or 503 (not ready).
 */
export function openCarrierGateway(app: TemplatedApp, options: CarrierGatewayOptions): CarrierGateway {
  const { clock, log, replayGuard: usedTokens } = options;
  const open = new Set<WebSocket<SocketData>>();
  let pingTimer: Timer | null = null;

  function upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void {
    const admission = admit(request.getParameter(0) ?? '', tokenOf(request));
    if ('status' in admission) {
      options.rejections.reject(response, admission, 'a carrier stream was refused');
      return;
    }
    const { wire, token } = admission;
    usedTokens.markUsed(token);
    admitUpgrade<SocketData>(response, request, context, {
      token,
      protocol: wire,
      socket: null,
      leg: null,
      closed: false,
      invalidMessages: 0,
      closeReason: '',
      deadline: null,
    });
  }

  function admit(provider: string, tokenText: string): UpgradeDecision {
    const wire = Object.hasOwn(CARRIER_PROTOCOLS, provider) ? CARRIER_PROTOCOLS[provider] : undefined;
    if (!wire) return { status: '404 Not Found', reason: 'unknown carrier' };
    const { carrier } = wire;
    // A stream that broke minutes after its pass ran out comes back with the same one.
    const known = readMediaToken(options.tokenSecret, tokenText, 0);
    if (typeof known !== 'string' && options.awaitsStream(known.call_id)) return { wire, token: known };
    const token = readMediaToken(options.tokenSecret, tokenText, clock.wall());
    if (token === 'expired') return { status: '403 Forbidden', reason: 'expired token', carrier };
    if (typeof token === 'string') return { status: '401 Unauthorized', reason: `${token} token`, carrier };
    const { call_id } = token;
    if (usedTokens.isUsed(token)) return { status: '403 Forbidden', reason: 'used token', carrier, call_id };
    // The token stays unused, so that a carrier's second try can come when this engine is ready again.
    if (!options.ready()) return { status: '503 Service Unavailable', reason: 'not ready', carrier, call_id };
    return { wire, token };
  }

  function opened(ws: WebSocket<SocketData>): void {
    open.add(ws);
    pingTimer ??= clock.after(PING_INTERVAL_MS, ping);
    const data = ws.getUserData();
    data.socket = legSocket(ws, data);
    data.deadline = clock.after(START_DEADLINE_MS, () => reject(data, 'no start within 5 s'));
  }

  function ping(): void {
    for (const ws of open) ws.ping();
    pingTimer = open.size > 0 ? clock.after(PING_INTERVAL_MS, ping) : null;
  }

  /** Closes a socket that has no leg yet. */
  function reject(data: SocketData, why: string): void {
    if (data.closeReason !== '') return;
    data.closeReason = why;
    data.socket?.close(1008);
  }

  function message(ws: WebSocket<SocketData>, bytes: ArrayBuffer, isBinary: boolean): void {
    const nowMs = clock.now();
    const data = ws.getUserData();
    if (data.closed || data.closeReason !== '') return;
    const { leg } = data;
    try {
      if (isBinary) {
        if (leg) leg.receiveBinary(new Uint8Array(bytes), nowMs);
        else countInvalidMessage(data, 'a binary message before start');
        return;
      }
      // The bytes are only lent; the text is a copy.
      const text = Buffer.from(bytes).toString();
      if (leg) leg.receive(text, nowMs);
      else beforeStart(data, text);
    } catch (error) {
      failCall(data, error);
    }
  }

  /** One of ours in one call ends that call and no other: an error must not reach the web server's own code. */
  function failCall(data: SocketData, error: unknown): void {
    log.error({ err: error, call_id: data.token.call_id }, 'a fault while a carrier message was handled');
    data.leg?.abandon('a fault in the engine');
  }

  function beforeStart(data: SocketData, text: string): void {
    const { protocol: wire, socket } = data;
    const start = wire.decode(text);
    if (start.type === 'ignored') return;
    if (start.type === 'stop') {
      reject(data, 'stop before start');
      return;
    }
    if (start.type !== 'start') {
      countInvalidMessage(data, start.type === 'invalid' ? start.reason : `${start.type} before start`);
      return;
    }
    const leg = new CarrierLeg({
      protocol: wire,
      start,
      socket: socket!,
      clock,
      capture: options.captures ? createEarlyLegCapture() : null,
    });
    data.leg = leg;
    data.deadline?.cancel();
    data.deadline = clock.after(LISTEN_DEADLINE_MS, () => {
      if (!leg.listening) leg.abandon('nobody took the call within 10 s');
    });
    log.info({ call_id: data.token.call_id, carrier: wire.carrier }, 'a carrier stream started');
    options.onStream({
      token: data.token,
      leg,
      carrier: wire.carrier,
      providerCallId: start.providerCallId,
      format: start.format,
      parameters: start.parameters,
    });
  }

  function countInvalidMessage(data: SocketData, why: string): void {
    if (++data.invalidMessages > MAX_INVALID_MESSAGES) reject(data, `unreadable before start: ${why}`);
  }

  function closed(ws: WebSocket<SocketData>, code: number, reason: ArrayBuffer): void {
    open.delete(ws);
    const data = ws.getUserData();
    data.closed = true;
    data.deadline?.cancel();
    const { leg, token, protocol: wire } = data;
    const broken = serverCloseCause(code, Buffer.from(reason).toString());
    try {
      leg?.closed(code, broken);
    } catch (error) {
      failCall(data, error);
    }
    const cause = leg?.end?.cause ?? 'refused';
    const facts = {
      call_id: token.call_id,
      carrier: wire.carrier,
      cause,
      detail: leg?.end?.detail ?? (data.closeReason || broken?.detail || `closed before start (${code})`),
      code,
      ...(leg ? { frames: leg.stats.frames, concealed: leg.stats.concealed, late: leg.stats.late } : {}),
    };
    const expected = cause === 'hung up' || cause === 'hung up by us';
    if (expected) log.info(facts, 'a carrier stream ended');
    else log.warn(facts, 'a carrier stream ended');
  }

  const behavior: WebSocketBehavior<SocketData> = {
    maxPayloadLength: MAX_MESSAGE_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    sendPingsAutomatically: true,
    maxBackpressure: MAX_BUFFERED_BYTES,
    closeOnBackpressureLimit: false,
    maxLifetime: 0,
    upgrade,
    open: opened,
    message,
    close: closed,
  };

  const sockets = options.relay?.wrap(behavior, tokenOf) ?? behavior;
  app.ws<SocketData>('/carrier/:provider/:token', sockets).ws<SocketData>('/carrier/:provider', sockets);

  return {
    get behavior() {
      return open.size;
    },
    async close() {
      pingTimer?.cancel();
      if (open.size === 0) return;
      for (const ws of [...open]) {
        const data = ws.getUserData();
        if (data.leg) data.leg.hangUp();
        else reject(data, 'the engine stops');
      }
      // Whatever has not left by then does not read.
      await new Promise<void>((resolve) => clock.after(CLOSE_GRACE_MS, resolve));
    },
  };
}

/** A carrier whose address is fixed in its own settings can only add to the query. */
function tokenOf(request: HttpRequest): string {
  return request.getParameter(1) || request.getQuery('pass') || '';
}

function legSocket(ws: WebSocket<SocketData>, data: SocketData): LegSocket {
  return {
    send(message, kind) {
      if (data.closed) return 'closed';
      if (kind === 'audio' && ws.getBufferedAmount() + message.length > CONGESTED_BYTES) return 'congested';
      let outcome = 0;
      ws.cork(() => {
        outcome = ws.send(message, typeof message !== 'string');
      });
      return outcome === 2 ? 'congested' : 'sent';
    },
    close(code) {
      if (data.closed) return;
      // A goodbye behind seconds of unread sound would never arrive.
      if (ws.getBufferedAmount() > CONGESTED_BYTES / 2) ws.close();
      else ws.end(code);
    },
  };
}

/** What uWebSockets.js means when it closes by itself: code 1006 and one of its own sentences. */
function serverCloseCause(code: number, reason: string): { cause: LegEnd; detail: string } | undefined {
  if (code !== 1006 || reason === '') return undefined;
  if (/too big/i.test(reason)) return { cause: 'protocol error', detail: 'a message larger than 64 KiB' };
  if (/timed out|inactiv/i.test(reason)) return { cause: 'lost', detail: 'no sign of life from the socket' };
  return undefined;
}
