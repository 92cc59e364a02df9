import type { Clock } from '../../shared/clock.ts';
import { type AudioFormat, FRAME_MS, frameBytes, silenceByte } from '../audio/format.ts';
import { createJitterBuffer, type JitterBuffer, type JitterStats } from '../audio/jitter-buffer.ts';
import type { CarrierMessage, CarrierProtocol } from './carrier-protocol.ts';
import { createEarlyMediaBuffer } from './early-media-buffer.ts';
import { createInboundRateLimit, type InboundRateLimit } from './inbound-rate-limit.ts';
import type { Leg, LegEnd, LegListener } from './leg.ts';
import type { EarlyLegCapture } from './leg-capture.ts';
import type { StreamLeg } from './resumable-leg.ts';

/** The carrier's socket as far as a leg needs it. */
export interface LegSocket {
  /**
   * Sends a message, text or binary; bytes are not kept. Audio is `congested`, and not sent, while the send buffer is full;
   * control messages are sent as long as the socket is open.
   */
  send(message: string | Uint8Array, kind: 'audio' | 'control'): 'sent' | 'congested' | 'closed';
  /** Sends a ping behind everything sent so far. Absent where nobody answers one. */
  ping?(payload: string): void;
  /** Closes the socket with a code of RFC 6455 and a reason for people, cut to 123 bytes. Idempotent. */
  close(code: number, reason?: string): void;
}

export interface CarrierLegOptions {
  protocol: CarrierProtocol;
  start: Extract<CarrierMessage, { type: 'start' }>;
  socket: LegSocket;
  clock: Clock;
  /** Records all messages; null where no call is captured. */
  capture?: EarlyLegCapture | null;
}

/** A stream without audio for this long is lost: carriers send a frame every 20 ms, silence included. */
export const SILENCE_TIMEOUT_MS = 10_000;
/** A socket that takes no audio for this long ends the leg as congested. */
export const CONGESTION_TIMEOUT_MS = 3_000;
/** So does one whose other end reads nothing for this long; what the network holds back is taken, and not read. */
export const PING_TIMEOUT_MS = 5_000;
/** Frames not sent further apart than this belong to different congestions. */
const CONGESTION_GAP_MS = 1_000;
/** More invalid messages than this end the leg as a protocol error. */
export const MAX_INVALID_MESSAGES = 20;
/** Errors of the carrier that are kept until the leg has a listener. */
const MAX_EARLY_ERRORS = 5;

const CLOSE_NORMAL = 1000;
const CLOSE_GOING_AWAY = 1001;
const CLOSE_PROTOCOL_ERROR = 1002;
/** The socket closed without a close frame (RFC 6455, 7.1.5). */
const CLOSE_ABNORMAL = 1006;
const CLOSE_REJECTED = 1008;
const CLOSE_TRY_LATER = 1013;

/**
 * One carrier stream as a leg: the protocol decodes messages, the jitter buffer puts audio in order, and every failure of the
 * socket becomes an end with one cause.
 *
 * A leg that ends by itself calls `ended` once and closes the socket. After `hangUp` its listener is not called any more.
 */
export class CarrierLeg implements StreamLeg {
  readonly carrier: string;
  readonly format: AudioFormat;
  readonly callerFormat: AudioFormat;
  readonly sendsDigits: boolean;
  readonly packetMs: number;
  readonly returnsMarks: boolean;
  readonly transcript?: NonNullable<Leg['transcript']>;
  readonly callTool?: NonNullable<Leg['callTool']>;
  readonly capture: EarlyLegCapture | null;
  /** How the leg ended; null before. */
  end: { cause: LegEnd | 'hung up by us' | 'rejected'; detail: string } | null = null;
  /** Messages that named another stream and were dropped, and errors that the carrier reported. */
  readonly counts = { foreign: 0, errors: 0 };

  readonly #protocol: CarrierProtocol;
  readonly #socket: LegSocket;
  readonly #clock: Clock;
  readonly #streamId: string;
  readonly #jitter: JitterBuffer;
  readonly #rateLimit: InboundRateLimit;
  readonly #callerBytesPerMs: number;

  /** The connection broke: the carrier did not end the stream. */
  #resumable = false;
  #listener: LegListener | null = null;
  readonly #early = createEarlyMediaBuffer();
  #earlyErrors: string[] = [];
  /** Audio of an incomplete packet, and the marks behind it. */
  readonly #packet: Uint8Array;
  #packetFill = 0;
  #packetMarks: string[] = [];
  #packets = 0;
  /** Counts the payloads of a carrier that does not number them. */
  #lastSequence = 0;
  /** The carrier asked to stop sending audio for now. */
  #remoteQueueFull = false;
  #invalidMessages = 0;
  #lastAudioMs: number;
  #congestedSinceMs = 0;
  #pings = 0;
  /** When the ping was sent that is not answered; null without one. */
  #pingedMs: number | null = null;
  /** The other end has answered a ping or returned a mark. */
  #answers = false;
  #writable = true;
  #lastNotSentMs = Number.NEGATIVE_INFINITY;

  constructor({ protocol, start, socket, clock, capture = null }: CarrierLegOptions) {
    this.capture = capture;
    this.carrier = protocol.carrier;
    this.format = start.agentFormat ?? start.format;
    this.callerFormat = start.format;
    this.sendsDigits = protocol.sendsDigits;
    this.packetMs = protocol.packetFrames * FRAME_MS;
    this.returnsMarks = start.returnsMarks ?? protocol.returnsMarks;
    if (start.transcripts && protocol.transcript) {
      this.transcript = (line) => {
        if (!this.end) this.#socket.send(protocol.transcript!(line), 'control');
      };
    }
    if (start.tools && protocol.toolCall) {
      this.callTool = (call) => {
        if (!this.end) this.#socket.send(protocol.toolCall!(call), 'control');
      };
    }
    this.#packet = new Uint8Array(frameBytes(this.format) * protocol.packetFrames);
    this.#protocol = protocol;
    this.#socket = socket;
    this.#clock = clock;
    this.#streamId = start.streamId;
    this.#lastAudioMs = clock.now();
    this.#rateLimit = createInboundRateLimit(this.#lastAudioMs);
    this.#callerBytesPerMs = frameBytes(start.format) / FRAME_MS;
    this.#jitter = createJitterBuffer(
      start.format,
      (frame, atMs) => this.#frame(frame, atMs),
      (stallMs) => this.#listener?.networkStall?.(stallMs),
    );
  }

  get listening(): boolean {
    return this.#listener !== null;
  }

  /** Carriers reopen a stream whose socket broke, not one that ended properly. */
  get resumable(): boolean {
    return this.#resumable;
  }

  get stats(): Readonly<JitterStats> {
    return this.#jitter.stats;
  }

  listen(listener: LegListener): void {
    if (this.#listener) throw new Error('a leg has one listener');
    this.#listener = listener;
    if (!this.end && this.#protocol.started) this.#socket.send(this.#protocol.started(), 'control');
    for (const reason of this.#earlyErrors.splice(0)) listener.carrierError?.(reason);
    this.#early.flushTo(listener, () => this.#hungUp());
    if (!this.end) return;
    const { cause, detail } = this.end;
    if (cause !== 'hung up by us' && cause !== 'rejected') listener.ended(cause, detail);
  }

  /** Handles a text message of the carrier. */
  receive(text: string, nowMs: number): void {
    if (!this.end) this.handle(this.#protocol.decode(text, this.#streamId), nowMs);
  }

  /** Handles a binary message of the carrier; the bytes are valid during the call. */
  receiveBinary(bytes: Uint8Array, nowMs: number): void {
    if (this.end) return;
    if (this.#protocol.decodeBinary) this.handle(this.#protocol.decodeBinary(bytes, this.callerFormat), nowMs);
    else this.invalid('a binary message');
  }

  /** Handles the answer to a ping. */
  pong(payload: string, nowMs: number): void {
    if (this.#pingedMs !== null && payload === String(this.#pings)) this.handle({ type: 'pong' }, nowMs);
  }

  /** Handles a decoded message. */
  handle(message: CarrierMessage, nowMs: number): void {
    if (this.end) return;
    this.capture?.message(message, nowMs);
    const audioMs = message.type === 'audio' ? message.payload.length / this.#callerBytesPerMs : 0;
    if (!this.#rateLimit.allow(audioMs, nowMs)) {
      this.failProtocol('more audio or messages than a call can have');
      return;
    }
    switch (message.type) {
      case 'audio':
        this.#lastAudioMs = nowMs;
        this.#jitter.push(message.sequence ?? ++this.#lastSequence, message.payload, nowMs);
        return;
      case 'mark':
        this.#answered();
        this.#listener?.mark(message.name);
        return;
      case 'pong':
        this.#answered();
        this.#listener?.pong?.();
        return;
      case 'digit':
        if (this.#listener) this.#listener.digit(message.digit);
        else this.#early.digit(message.digit);
        return;
      case 'tool_result':
        this.#listener?.toolResult?.(message.result);
        return;
      case 'hold':
        this.#remoteQueueFull = message.full;
        return;
      case 'stop':
        this.#finish('hung up', 'the carrier ended the stream', CLOSE_NORMAL);
        return;
      case 'foreign':
        this.counts.foreign++;
        return;
      case 'error':
        this.#carrierError(message.reason);
        return;
      case 'start':
      case 'unsupported':
        this.invalid('a second start');
        return;
      case 'invalid':
        this.invalid(message.reason);
    }
  }

  /** Counts an invalid message; too many end the leg. */
  invalid(why: string): void {
    if (this.end) return;
    if (this.#protocol.error) this.#socket.send(this.#protocol.error(why), 'control');
    if (++this.#invalidMessages <= MAX_INVALID_MESSAGES) return;
    const detail = `${this.#invalidMessages} invalid messages, the last: ${why}`;
    this.failProtocol(detail);
  }

  /** Ends the leg because of what the carrier sent. */
  failProtocol(detail: string, closeCode = CLOSE_PROTOCOL_ERROR): void {
    this.#finish('protocol error', detail, closeCode);
  }

  /** Handles the end of the socket. `broken` is given where this server closed it. */
  closed(code: number, broken?: { cause: LegEnd; detail: string }): void {
    this.capture?.closed(code, broken ?? null, this.#clock.now());
    this.#resumable =
      !this.end && (broken ? broken.cause === 'lost' : code === CLOSE_ABNORMAL || !this.#protocol.closeMeansHangUp);
    if (broken) this.#finish(broken.cause, broken.detail, null);
    else if (this.#protocol.closeMeansHangUp) this.#finish('hung up', `the carrier closed the stream (${code})`, null);
    else this.#finish('lost', `the socket closed without a stop (${code})`, null);
  }

  /** Ends the leg because of a failure on this side; audio in the jitter buffer is dropped. */
  abandon(detail: string): void {
    this.#conclude('lost', detail, CLOSE_GOING_AWAY);
  }

  tick(nowMs: number): void {
    if (this.end) return;
    this.#jitter.expire(nowMs);
    if (this.#pingedMs !== null && nowMs - this.#pingedMs > PING_TIMEOUT_MS) this.#pingUnanswered(this.#pingedMs);
    if (nowMs - this.#lastAudioMs > SILENCE_TIMEOUT_MS) {
      this.#resumable = true;
      this.#finish('lost', `no audio for ${SILENCE_TIMEOUT_MS / 1000} s`, CLOSE_GOING_AWAY);
    }
  }

  play(frame: Uint8Array): boolean {
    if (this.end) return false;
    if (this.#protocol.packetFrames === 1) return this.#sendPacket(frame);
    this.#packet.set(frame, this.#packetFill);
    this.#packetFill += frame.length;
    if (this.#packetFill < this.#packet.length) return true;
    if (this.#sendPacket(this.#packet)) {
      this.#packetSent();
      return true;
    }
    // The frames before stay in the packet; the caller will play this one again.
    this.#packetFill -= frame.length;
    return false;
  }

  flush(): void {
    if (this.end || this.#packetFill === 0) return;
    this.#packet.fill(silenceByte(this.format.encoding), this.#packetFill);
    if (this.#sendPacket(this.#packet)) this.#packetSent();
  }

  mark(name: string): void {
    if (this.end) return;
    if (this.#packetFill > 0) this.#packetMarks.push(name);
    else this.#sendMark(name);
  }

  ping(): void {
    if (this.end || this.#pingedMs !== null) return;
    if (!this.#socket.ping) {
      this.#listener?.pong?.();
      return;
    }
    this.#pingedMs = this.#clock.now();
    this.#socket.ping(String(++this.#pings));
  }

  clear(): void {
    this.#packetFill = 0;
    this.#packetMarks = [];
    if (!this.end) this.#socket.send(this.#protocol.clear(this.#streamId), 'control');
  }

  pressKeys(digits: string): boolean {
    if (this.end || !this.#protocol.pressKeys) return false;
    return this.#socket.send(this.#protocol.pressKeys(this.#streamId, digits), 'control') === 'sent';
  }

  #sendPacket(packet: Uint8Array): boolean {
    if (this.#remoteQueueFull) {
      this.#notSent(this.#clock.now());
      return false;
    }
    const outcome = this.#socket.send(
      this.#protocol.audio(this.#streamId, packet, this.format, this.#packets + 1),
      'audio',
    );
    if (this.capture && (outcome === 'sent') !== this.#writable) {
      this.#writable = !this.#writable;
      this.capture.writable(this.#writable);
    }
    if (outcome === 'congested') this.#notSent(this.#clock.now());
    else this.#lastNotSentMs = Number.NEGATIVE_INFINITY;
    if (outcome !== 'sent') return false;
    this.#packets++;
    return true;
  }

  #packetSent(): void {
    this.#packetFill = 0;
    if (this.#packetMarks.length === 0) return;
    const marks = this.#packetMarks;
    this.#packetMarks = [];
    for (const name of marks) this.#sendMark(name);
  }

  #sendMark(name: string): void {
    this.#socket.send(this.#protocol.mark(this.#streamId, name), 'control');
  }

  /**
   * Closes the socket. With Twilio the call then continues after `</Connect>`, with Plivo after `<Stream>`; where nothing
   * follows, the call ends.
   */
  hangUp(reason = ''): void {
    this.#hangUp('hung up by us', reason, CLOSE_NORMAL);
  }

  /** Ends a stream that is not taken, and tells the carrier why. Its listener is not called. */
  reject(reason: string, closeCode = CLOSE_REJECTED): void {
    this.#hangUp('rejected', reason, closeCode);
  }

  #hangUp(cause: 'hung up by us' | 'rejected', detail: string, closeCode: number): void {
    if (this.end) return;
    this.end = { cause, detail };
    this.#early.clear();
    if (this.#protocol.hangUp) this.#socket.send(this.#protocol.hangUp(this.#streamId), 'control');
    this.#sayEnded(detail);
    // A carrier has no use for the reason of an end that is no failure.
    this.#socket.close(closeCode, cause === 'rejected' ? detail : '');
  }

  #hungUp(): boolean {
    return this.end?.cause === 'hung up by us' || this.end?.cause === 'rejected';
  }

  #carrierError(reason: string): void {
    this.counts.errors++;
    if (this.#listener) this.#listener.carrierError?.(reason);
    else if (this.#earlyErrors.length < MAX_EARLY_ERRORS) this.#earlyErrors.push(reason);
  }

  #answered(): void {
    this.#answers = true;
    this.#pingedMs = null;
  }

  /** One that never gave any sign gives none of what it reads either; while it sends no audio, it may as well have read nothing. */
  #pingUnanswered(pingedMs: number): void {
    if (!this.#answers && this.#lastAudioMs <= pingedMs) return;
    this.#pingedMs = null;
    if (!this.#answers) this.#listener?.pong?.();
    else this.#finish('congested', `the carrier read nothing for ${PING_TIMEOUT_MS / 1000} s`, CLOSE_TRY_LATER);
  }

  #notSent(nowMs: number): void {
    if (nowMs - this.#lastNotSentMs > CONGESTION_GAP_MS) this.#congestedSinceMs = nowMs;
    this.#lastNotSentMs = nowMs;
    if (nowMs - this.#congestedSinceMs <= CONGESTION_TIMEOUT_MS) return;
    this.#finish('congested', `the carrier took no audio for ${CONGESTION_TIMEOUT_MS / 1000} s`, CLOSE_TRY_LATER);
  }

  #frame(frame: Uint8Array, atMs: number): void {
    if (this.#hungUp()) return;
    if (this.#listener) this.#listener.audio(frame, atMs);
    else this.#early.audio(frame, atMs);
  }

  #finish(cause: LegEnd, detail: string, closeCode: number | null): void {
    if (this.end) return;
    // The jitter buffer holds the caller's last audio.
    this.#jitter.flush();
    this.#conclude(cause, detail, closeCode);
  }

  #conclude(cause: LegEnd, detail: string, closeCode: number | null): void {
    if (this.end) return;
    this.end = { cause, detail };
    if (closeCode !== null) {
      this.#sayEnded(cause === 'hung up' ? 'caller hung up' : detail);
      this.#socket.close(closeCode, detail);
    }
    this.#listener?.ended(cause, detail);
  }

  #sayEnded(reason: string): void {
    if (this.#protocol.ended) this.#socket.send(this.#protocol.ended(reason), 'control');
  }
}
