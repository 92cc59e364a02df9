import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import {
  type FromBrowser,
  fromBrowser,
  MAX_MESSAGES_PER_SECOND,
  type ToBrowser,
  type TransportDescription,
} from '../../shared/web-signalling.ts';
import type { OpusCodec } from '../audio/opus.ts';
import type { BrowserConnection } from './browser-connection.ts';
import { BrowserLeg } from './browser-leg.ts';
import type { EarlyLegCapture } from './leg-capture.ts';
import { createPageToolCalls, type PageToolCalls } from './page-tool-calls.ts';

/** The page's WebSocket, as far as a call needs it. */
export interface PageSocket {
  send(text: string): void;
  /** Closes with a code of RFC 6455. Idempotent. */
  close(code: number): void;
}

export interface BrowserCallOptions {
  callId: string;
  connection: BrowserConnection;
  codec: OpusCodec;
  clock: Clock;
  log: Logger;
  /** Passed to the leg. */
  capture?: EarlyLegCapture | null;
  /** The page only listens: it needs no microphone, and what it sends is not taken. */
  listensOnly?: boolean;
  /** Called once, when the first audio has come and the page can play the agent's. */
  onStart(leg: BrowserLeg): void;
  /** Called once, when everything is closed. */
  onClosed(): void;
}

/** From the first socket to the first audio. */
export const FIRST_AUDIO_TIMEOUT_MS = 30_000;
/** A started call without packets for this long ends, unless the microphone is muted. */
export const SILENCE_TIMEOUT_MS = 30_000;
/** From the end of a socket to the next one. */
export const RECONNECT_WINDOW_MS = 15_000;
/** Another socket replaces an open one after this long without audio, since the first one is dead then. */
const DEAD_SOCKET_MS = 2_000;
const CHECK_INTERVAL_MS = 1_000;
const CHECKS_PER_QUALITY_REPORT = 5;

const CLOSE_NORMAL = 1000;
const CLOSE_POLICY = 1008;
const CLOSE_INTERNAL_ERROR = 1011;
const CLOSE_REPLACED = 4000;

/**
 * One browser's call: the signalling of `shared/web-signalling.ts` over one socket after another, and the timeouts of the call.
 * Audio is handled by the leg.
 */
export class BrowserCall {
  readonly callId: string;
  readonly leg: BrowserLeg;
  /** Why the call ended; empty before. */
  closedReason = '';
  readonly #options: BrowserCallOptions;
  readonly #startedMs: number;
  readonly #listensOnly: boolean;
  #socket: PageSocket | null = null;
  #sockets = 0;
  #detachedMs = 0;
  #started = false;
  #playing = false;
  #audioReceived = false;
  #checkTimer: Timer | null = null;
  #checks = 0;
  readonly #toolCalls: PageToolCalls;
  #secondMs = Number.NEGATIVE_INFINITY;
  #messagesInSecond = 0;
  #send: TransportDescription;
  #receive: TransportDescription;

  constructor(options: BrowserCallOptions) {
    const { connection, codec, clock, capture = null } = options;
    this.#options = options;
    this.callId = options.callId;
    this.#startedMs = clock.now();
    this.#listensOnly = options.listensOnly ?? false;
    this.#send = connection.send;
    this.#receive = connection.receive;
    this.#toolCalls = createPageToolCalls(clock, ({ id, name, arguments: args, timeoutMs }) => {
      const timeout_ms = Math.round(timeoutMs);
      this.#sendMessage({ type: 'tool_call', tool_call_id: id, name, arguments: args, timeout_ms });
    });
    this.leg = new BrowserLeg({
      codec,
      clock,
      capture,
      agentStream: connection.agentStream,
      transport: {
        sendRtp: (packet) => connection.sendRtp(packet),
        transcript: (line) => this.#sendMessage({ type: 'transcript', ...line }),
        callTool: (call) => this.#toolCalls.ask(call),
        close: (reason) => this.#close(reason, CLOSE_NORMAL),
      },
    });
    // Nothing is missing where nothing is to come.
    this.leg.muted = this.#listensOnly;
    connection.listen({
      rtp: (packet) => this.#onRtp(packet),
      died: () => this.#fail('media failed', 'error: browser media'),
    });
    this.#check();
  }

  /** Another socket with the same token may resume this call. */
  get awaitsReconnect(): boolean {
    if (this.closedReason !== '' || this.leg.end) return false;
    return this.#socket === null || this.#options.clock.now() - this.leg.lastPacketMs >= DEAD_SOCKET_MS;
  }

  /** Uses this socket from now on, the first one or a later one. */
  attach(socket: PageSocket): void {
    const before = this.#socket;
    this.#socket = socket;
    before?.close(CLOSE_REPLACED);
    const resumed = this.#sockets++ > 0;
    this.#sendMessage({
      type: 'ready',
      call_id: this.callId,
      resumed,
      rtp_capabilities: this.#options.connection.rtpCapabilities,
      send: this.#send,
      receive: this.#receive,
    });
    this.#toolCalls.askAgain();
  }

  /** Handles the end of a socket. */
  detach(socket: PageSocket): void {
    if (socket !== this.#socket) return;
    this.#socket = null;
    this.#detachedMs = this.#options.clock.now();
  }

  /** Handles a message from this socket. */
  message(socket: PageSocket, text: string): void {
    if (this.closedReason !== '' || socket !== this.#socket) return;
    if (this.#tooMany()) {
      this.#fail('protocol error', 'too many messages');
      return;
    }
    const message = parseMessage(text);
    if (message.type === 'unreadable') {
      this.#sendMessage({ type: 'error', id: message.id, message: message.why });
      return;
    }
    this.#handle(message).then(
      (data) => this.#sendMessage({ type: 'response', id: message.id, data }),
      (error: unknown) => this.#sendMessage({ type: 'error', id: message.id, message: errorText(error).slice(0, 200) }),
    );
  }

  /** Ends the call because of a failure on this side. */
  abandon(detail: string): void {
    this.#fail('lost', detail);
  }

  async #handle(message: FromBrowser): Promise<Record<string, unknown>> {
    const { connection } = this.#options;
    switch (message.type) {
      case 'connect':
        await connection.connect(message.direction, message.dtls_parameters);
        return {};
      case 'send':
        if (this.#listensOnly) throw new Error('this stream only listens');
        return connection.startSending(message.rtp_parameters);
      case 'receive':
        return connection.startReceiving(message.rtp_capabilities);
      case 'play':
        await connection.play();
        this.#playing = true;
        this.#startOnce();
        return {};
      case 'restart_ice': {
        const iceParameters = await connection.restartIce(message.direction);
        // A page that reconnects later receives the present parameters.
        if (message.direction === 'send') this.#send = { ...this.#send, ice_parameters: iceParameters };
        else this.#receive = { ...this.#receive, ice_parameters: iceParameters };
        return { ice_parameters: iceParameters };
      }
      case 'mute':
        if (!this.#listensOnly) this.leg.muted = message.muted;
        return {};
      case 'digit':
        this.leg.press(message.digit);
        return {};
      case 'tool_result': {
        const { tool_call_id, result, failed } = message;
        if (this.#toolCalls.answered(tool_call_id)) this.leg.toolResult({ id: tool_call_id, result, failed });
        return {};
      }
      case 'ping':
        return {};
      case 'hang_up':
        // The response is sent before the end.
        this.#options.clock.after(0, () => this.#fail('hung up', 'caller hung up'));
        return {};
    }
  }

  #onRtp(packet: Uint8Array): void {
    if (this.closedReason !== '') return;
    this.leg.receive(packet, this.#options.clock.now());
    if (this.#started) return;
    this.#audioReceived = true;
    this.#startOnce();
  }

  #startOnce(): void {
    if (this.#started || !this.#playing || this.closedReason !== '') return;
    if (!this.#audioReceived && !this.#listensOnly) return;
    this.#started = true;
    this.#options.onStart(this.leg);
  }

  /** Runs every second: ends a call whose timeouts have passed. */
  #check(): void {
    const { clock } = this.#options;
    this.#checkTimer = clock.after(CHECK_INTERVAL_MS, () => this.#check());
    const overdue = this.#overdue(clock.now());
    if (overdue !== '') {
      this.#fail('hung up', overdue);
      return;
    }
    if (this.#started && ++this.#checks % CHECKS_PER_QUALITY_REPORT === 0) {
      this.#options.connection.quality().then(
        (quality) => quality && this.leg.updateQuality(quality),
        () => {},
      );
    }
  }

  /** Returns the reason of a timeout that has passed, or an empty string. */
  #overdue(nowMs: number): string {
    if (!this.#started && nowMs - this.#startedMs >= FIRST_AUDIO_TIMEOUT_MS) return 'canceled';
    const silentMs = nowMs - this.leg.lastPacketMs;
    if (this.#started && !this.leg.muted && silentMs >= SILENCE_TIMEOUT_MS) return 'no sound from the browser';
    const goneMs = this.#socket === null && this.#sockets > 0 ? nowMs - this.#detachedMs : 0;
    return goneMs >= RECONNECT_WINDOW_MS ? 'the page did not come back' : '';
  }

  #tooMany(): boolean {
    const nowMs = this.#options.clock.now();
    if (nowMs - this.#secondMs >= 1_000) {
      this.#secondMs = nowMs;
      this.#messagesInSecond = 0;
    }
    return ++this.#messagesInSecond > MAX_MESSAGES_PER_SECOND;
  }

  /** Ends the leg. A call that has started is then hung up by the engine, with its own reason. */
  #fail(cause: 'hung up' | 'lost' | 'protocol error' | 'media failed', detail: string): void {
    if (this.closedReason !== '') return;
    const started = this.#started;
    this.leg.finish(cause, detail);
    if (!started) this.#close(detail, cause === 'hung up' ? CLOSE_NORMAL : CLOSE_POLICY);
    else if (cause === 'media failed' && !this.leg.listening) this.#close(detail, CLOSE_INTERNAL_ERROR);
  }

  #close(reason: string, code: number): void {
    if (this.closedReason !== '') return;
    this.#checkTimer?.cancel();
    this.#sendMessage({ type: 'ended', reason });
    this.closedReason = reason;
    const { connection, log, onClosed: onOver } = this.#options;
    connection.close();
    this.#socket?.close(code);
    this.#socket = null;
    const { packets, concealed, late, maxWaitMs: largestWaitMs, jitterMs } = this.leg.stats;
    log.info(
      {
        call_id: this.callId,
        reason,
        detail: this.leg.end?.detail ?? '',
        began: this.#started,
        packets,
        concealed,
        late,
        largest_wait_ms: Math.round(largestWaitMs),
        jitter_ms: Math.round(jitterMs * 10) / 10,
        round_trip_ms: Math.round(this.leg.roundTripMs),
      },
      'browser stream ended',
    );
    onOver();
  }

  #sendMessage(message: ToBrowser): void {
    if (this.closedReason === '') this.#socket?.send(JSON.stringify(message));
  }
}

/** Parses a message of the page. An invalid one keeps its `id` where it can be read. */
function parseMessage(text: string): FromBrowser | { type: 'unreadable'; id: number | null; why: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { type: 'unreadable', id: null, why: 'not JSON' };
  }
  const result = fromBrowser.safeParse(value);
  if (result.success) return result.data;
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : null;
  const issue = result.error.issues[0];
  const why = `${issue?.path.join('.') || 'the message'}: ${issue?.message ?? 'invalid'}`.slice(0, 200);
  return { type: 'unreadable', id: Number.isSafeInteger(id) ? (id as number) : null, why };
}
