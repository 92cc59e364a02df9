import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import {
  type FromBrowser,
  fromBrowser,
  MOST_MESSAGES_PER_SECOND,
  type ToBrowser,
  type TransportDescription,
} from '../../shared/web-signalling.ts';
import type { OpusCodec } from '../audio/opus.ts';
import { BrowserLeg } from './browser.ts';
import type { EarlyTap } from './leg-tap.ts';
import type { WebConnection } from './web-connection.ts';

/** The browser's socket, as far as a call needs it. */
export interface PageSocket {
  send(text: string): void;
  /** With a code of RFC 6455; harmless when it is closed already. */
  close(code: number): void;
}

export interface BrowserCallOptions {
  callId: string;
  connection: WebConnection;
  codec: OpusCodec;
  clock: Clock;
  log: Logger;
  /** For the leg. */
  tap?: EarlyTap | null;
  /** The first sound is there, and the agent can be heard: the call begins. Once. */
  onBegin(leg: BrowserLeg): void;
  /** Everything is closed. Once. */
  onOver(): void;
}

/** So long the browser may take until its first sound … */
export const FIRST_SOUND_MS = 30_000;
/** … and so long it may be silent afterwards, unless its microphone is off. */
export const SILENT_LINE_MS = 30_000;
/** A page that is gone has so long to come back. */
export const PAGE_RETURN_MS = 15_000;
/** A second socket takes the place of one that is still open when no sound came for so long: the first is then as dead. */
const DEAD_SOCKET_MS = 2_000;
const LOOK_EVERY_MS = 1_000;
const QUALITY_EVERY_LOOKS = 5;

const CLOSE_NORMAL = 1000;
const CLOSE_POLICY = 1008;
const CLOSE_FAULT = 1011;
const CLOSE_REPLACED = 4000;

/**
 * One browser's call from the first message to the last: the exchange that `shared/web-signalling.ts` describes, over as many
 * sockets as it takes, and the moments after which something that does not happen ends it. The sound is the leg's business.
 */
export class BrowserCall {
  readonly callId: string;
  readonly leg: BrowserLeg;
  /** Why it is over, and empty before. */
  over = '';
  readonly #options: BrowserCallOptions;
  readonly #startedMs: number;
  #socket: PageSocket | null = null;
  #sockets = 0;
  #goneMs = 0;
  #began = false;
  #playing = false;
  #sounded = false;
  #looking: Timer | null = null;
  #looks = 0;
  #secondMs = Number.NEGATIVE_INFINITY;
  #messagesInSecond = 0;
  #send: TransportDescription;
  #receive: TransportDescription;

  constructor(options: BrowserCallOptions) {
    const { connection, codec, clock, tap = null } = options;
    this.#options = options;
    this.callId = options.callId;
    this.#startedMs = clock.now();
    this.#send = connection.send;
    this.#receive = connection.receive;
    this.leg = new BrowserLeg({
      codec,
      clock,
      tap,
      agentStream: connection.agentStream,
      line: {
        sendRtp: (packet) => connection.sendRtp(packet),
        words: (words) => this.#tell({ type: 'words', ...words }),
        close: (reason) => this.#close(reason, CLOSE_NORMAL),
      },
    });
    connection.listen({
      rtp: (packet) => this.#heard(packet),
      died: () => this.#fail('media failed', 'error: browser media'),
    });
    this.#look();
  }

  /** A second socket with the same pass may go on with this call. */
  get awaitsPage(): boolean {
    if (this.over !== '' || this.leg.end) return false;
    return this.#socket === null || this.#options.clock.now() - this.leg.lastPacketMs >= DEAD_SOCKET_MS;
  }

  /** The browser's socket is open: the first one, or the next. */
  attach(socket: PageSocket): void {
    const before = this.#socket;
    this.#socket = socket;
    before?.close(CLOSE_REPLACED);
    const resumed = this.#sockets++ > 0;
    this.#tell({
      type: 'ready',
      call_id: this.callId,
      resumed,
      rtp_capabilities: this.#options.connection.rtpCapabilities,
      send: this.#send,
      receive: this.#receive,
    });
  }

  /** This socket is closed. */
  detach(socket: PageSocket): void {
    if (socket !== this.#socket) return;
    this.#socket = null;
    this.#goneMs = this.#options.clock.now();
  }

  /** A message of this socket's. */
  message(socket: PageSocket, text: string): void {
    if (this.over !== '' || socket !== this.#socket) return;
    if (this.#tooMany()) {
      this.#fail('protocol error', 'too many messages');
      return;
    }
    const message = read(text);
    if (message.type === 'unreadable') {
      this.#tell({ type: 'refused', id: message.id, message: message.why });
      return;
    }
    this.#carryOut(message).then(
      (data) => this.#tell({ type: 'answer', id: message.id, data }),
      (error: unknown) => this.#tell({ type: 'refused', id: message.id, message: errorText(error).slice(0, 200) }),
    );
  }

  /** This side cannot go on. */
  abandon(detail: string): void {
    this.#fail('lost', detail);
  }

  async #carryOut(message: FromBrowser): Promise<Record<string, unknown>> {
    const { connection } = this.#options;
    switch (message.type) {
      case 'connect':
        await connection.connect(message.direction, message.dtls_parameters);
        return {};
      case 'send':
        return connection.startSending(message.rtp_parameters);
      case 'receive':
        return connection.startReceiving(message.rtp_capabilities);
      case 'play':
        await connection.play();
        this.#playing = true;
        this.#beginOnce();
        return {};
      case 'restart_ice': {
        const iceParameters = await connection.restartIce(message.direction);
        // A page that comes back later is told what holds now.
        if (message.direction === 'send') this.#send = { ...this.#send, ice_parameters: iceParameters };
        else this.#receive = { ...this.#receive, ice_parameters: iceParameters };
        return { ice_parameters: iceParameters };
      }
      case 'mute':
        this.leg.muted = message.muted;
        return {};
      case 'digit':
        this.leg.press(message.digit);
        return {};
      case 'hang_up':
        // The answer goes out before the end.
        this.#options.clock.after(0, () => this.#fail('hung up', 'caller hung up'));
        return {};
    }
  }

  #heard(packet: Uint8Array): void {
    if (this.over !== '') return;
    this.leg.receive(packet, this.#options.clock.now());
    if (this.#began) return;
    this.#sounded = true;
    this.#beginOnce();
  }

  #beginOnce(): void {
    if (this.#began || !this.#sounded || !this.#playing || this.over !== '') return;
    this.#began = true;
    this.#options.onBegin(this.leg);
  }

  /** Every second: who is silent or gone for too long? */
  #look(): void {
    const { clock } = this.#options;
    this.#looking = clock.after(LOOK_EVERY_MS, () => this.#look());
    const overdue = this.#overdue(clock.now());
    if (overdue !== '') {
      this.#fail('hung up', overdue);
      return;
    }
    if (this.#began && ++this.#looks % QUALITY_EVERY_LOOKS === 0) {
      this.#options.connection.quality().then(
        (quality) => quality && this.leg.reported(quality),
        () => {},
      );
    }
  }

  /** What did not happen in its time; empty when all is well. */
  #overdue(nowMs: number): string {
    if (!this.#began && nowMs - this.#startedMs >= FIRST_SOUND_MS) return 'canceled';
    const heardMs = nowMs - this.leg.lastPacketMs;
    if (this.#began && !this.leg.muted && heardMs >= SILENT_LINE_MS) return 'no sound from the browser';
    const goneMs = this.#socket === null && this.#sockets > 0 ? nowMs - this.#goneMs : 0;
    return goneMs >= PAGE_RETURN_MS ? 'the page did not come back' : '';
  }

  #tooMany(): boolean {
    const nowMs = this.#options.clock.now();
    if (nowMs - this.#secondMs >= 1_000) {
      this.#secondMs = nowMs;
      this.#messagesInSecond = 0;
    }
    return ++this.#messagesInSecond > MOST_MESSAGES_PER_SECOND;
  }

  /** The line ends by itself. A call that has begun is ended by the engine, which then hangs up here with its reason. */
  #fail(cause: 'hung up' | 'lost' | 'protocol error' | 'media failed', detail: string): void {
    if (this.over !== '') return;
    const handedOver = this.#began;
    this.leg.finish(cause, detail);
    if (!handedOver) this.#close(detail, cause === 'hung up' ? CLOSE_NORMAL : CLOSE_POLICY);
    else if (cause === 'media failed' && !this.leg.listening) this.#close(detail, CLOSE_FAULT);
  }

  #close(reason: string, code: number): void {
    if (this.over !== '') return;
    this.#looking?.cancel();
    this.#tell({ type: 'ended', reason });
    this.over = reason;
    const { connection, log, onOver } = this.#options;
    connection.close();
    this.#socket?.close(code);
    this.#socket = null;
    const { packets, concealed, late, largestWaitMs, jitterMs } = this.leg.stats;
    log.info(
      {
        call_id: this.callId,
        reason,
        detail: this.leg.end?.detail ?? '',
        began: this.#began,
        packets,
        concealed,
        late,
        largest_wait_ms: Math.round(largestWaitMs),
        jitter_ms: Math.round(jitterMs * 10) / 10,
        round_trip_ms: Math.round(this.leg.roundTripMs),
      },
      'a browser stream ended',
    );
    onOver();
  }

  #tell(message: ToBrowser): void {
    if (this.over === '') this.#socket?.send(JSON.stringify(message));
  }
}

/** What the browser said, or what is wrong with it; `id` where it can be made out. */
function read(text: string): FromBrowser | { type: 'unreadable'; id: number | null; why: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { type: 'unreadable', id: null, why: 'this is no JSON' };
  }
  const result = fromBrowser.safeParse(value);
  if (result.success) return result.data;
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : null;
  const issue = result.error.issues[0];
  const why = `${issue?.path.join('.') || 'the message'}: ${issue?.message ?? 'cannot be read'}`.slice(0, 200);
  return { type: 'unreadable', id: Number.isSafeInteger(id) ? (id as number) : null, why };
}
