import type { Clock } from '../../shared/clock.ts';
import { type AudioFormat, FRAME_MS, LINE_RATE } from '../audio/format.ts';
import { createJitterBuffer, type JitterBuffer, type JitterStats } from '../audio/jitter-buffer.ts';
import { frameBytes, silenceByte } from '../audio/silence.ts';
import type { CarrierMessage, CarrierProtocol } from './carrier-protocol.ts';
import { createEarlyMediaBuffer } from './early-media-buffer.ts';
import { createInboundRateLimit, type InboundRateLimit } from './inbound-rate-limit.ts';
import type { LegEnd, LegListener, PlaybackConfirmation } from './leg.ts';
import type { EarlyLegCapture } from './leg-capture.ts';
import type { StreamLeg } from './resumable-leg.ts';

/** The carrier's socket as far as a leg needs it. */
export interface LegSocket {
  /**
   * Sends a message, text or binary; bytes are not kept. Audio is `congested`, and not sent, while too much waits in the socket; control messages are
   * sent as long as the socket is open.
   */
  send(message: string | Uint8Array, kind: 'audio' | 'control'): 'sent' | 'congested' | 'closed';
  /** Says goodbye with a code of RFC 6455 and closes; harmless when it is closed already. */
  close(code: number): void;
}

export interface CarrierLegOptions {
  protocol: CarrierProtocol;
  start: Extract<CarrierMessage, { type: 'start' }>;
  socket: LegSocket;
  clock: Clock;
  /** Hears all that comes; none where no call is ever taped. */
  capture?: EarlyLegCapture | null;
}

/** No audio for this long, though a carrier sends a frame every 20 ms, silence included. */
export const SILENCE_TIMEOUT_MS = 10_000;
/** Audio refused by a full socket for this long. */
export const CONGESTION_TIMEOUT_MS = 3_000;
/** Refusals further apart than this are not one congestion. */
const CONGESTION_GAP_MS = 1_000;
/** A carrier that sends more messages than this that cannot be read is none. */
export const MAX_INVALID_MESSAGES = 20;

const CLOSE_NORMAL = 1000;
const CLOSE_GOING_AWAY = 1001;
const CLOSE_PROTOCOL_ERROR = 1002;
/** No closing frame came (RFC 6455, 7.1.5). */
const CLOSE_ABNORMAL = 1006;
const CLOSE_TRY_LATER = 1013;

/**
 * One carrier stream as a leg: the wire format turns messages into meaning, the jitter buffer turns audio into
 * ordered frames, and everything that may go wrong with a socket becomes one end with one cause.
 *
 * A leg that ends by itself tells its listener once and closes the socket. After `hangUp` nothing more is told.
 */
export class CarrierLeg implements StreamLeg {
  readonly carrier: string;
  readonly format: AudioFormat;
  readonly callerFormat: AudioFormat;
  readonly sendsDigits: boolean;
  readonly packetMs: number;
  readonly playback: PlaybackConfirmation;
  readonly capture: EarlyLegCapture | null;
  /** How the leg ended, and null before. `hangUp` is an end without a cause of the carrier's. */
  end: { cause: LegEnd | 'hung up by us'; detail: string } | null = null;

  readonly #protocol: CarrierProtocol;
  readonly #socket: LegSocket;
  readonly #clock: Clock;
  readonly #streamId: string;
  readonly #jitter: JitterBuffer;
  readonly #rateLimit: InboundRateLimit;
  readonly #callerBytesPerMs: number;

  /** The connection broke: no goodbye of the carrier's, whatever a mere closing means for it. */
  #resumable = false;
  #listener: LegListener | null = null;
  readonly #early = createEarlyMediaBuffer();
  /** Sound that waits for a whole packet, and the marks behind it. */
  readonly #packet: Uint8Array;
  #packetFill = 0;
  #packetMarks: string[] = [];
  #packets = 0;
  /** Payloads of a carrier that does not number them. */
  #lastSequence = 0;
  /** The carrier takes no sound for now. */
  #remoteQueueFull = false;
  #invalidMessages = 0;
  #lastAudioMs: number;
  #congestedSinceMs = 0;
  #writable = true;
  #lastNotSentMs = Number.NEGATIVE_INFINITY;

  constructor({ protocol: wire, start, socket, clock, capture = null }: CarrierLegOptions) {
    this.capture = capture;
    this.carrier = wire.carrier;
    this.format = start.agentFormat ?? start.format;
    this.callerFormat = start.format;
    this.sendsDigits = wire.sendsDigits;
    this.packetMs = wire.packetFrames * FRAME_MS;
    this.playback = wire.playback;
    for (const { sample_rate } of [this.format, this.callerFormat]) {
      if (sample_rate !== LINE_RATE) throw new RangeError(`a telephone line at ${sample_rate} Hz`);
    }
    this.#packet = new Uint8Array(frameBytes(this.format) * wire.packetFrames);
    this.#protocol = wire;
    this.#socket = socket;
    this.#clock = clock;
    this.#streamId = start.streamId;
    this.#lastAudioMs = clock.now();
    this.#rateLimit = createInboundRateLimit(this.#lastAudioMs);
    this.#callerBytesPerMs = frameBytes(start.format) / FRAME_MS;
    this.#jitter = createJitterBuffer(start.format, (frame, atMs) => this.#frame(frame, atMs));
  }

  get listening(): boolean {
    return this.#listener !== null;
  }

  /** A carrier opens its stream anew after a socket that broke, not after one that said goodbye. */
  get resumable(): boolean {
    return this.#resumable;
  }

  /** Frames in, concealed, late, doubled, so far. */
  get stats(): Readonly<JitterStats> {
    return this.#jitter.stats;
  }

  listen(listener: LegListener): void {
    if (this.#listener) throw new Error('a leg has one listener');
    this.#listener = listener;
    this.#early.flushTo(listener, () => this.#hungUp());
    if (this.end && this.end.cause !== 'hung up by us') listener.ended(this.end.cause, this.end.detail);
  }

  /** A text message of the carrier. */
  receive(text: string, nowMs: number): void {
    if (!this.end) this.handle(this.#protocol.decode(text), nowMs);
  }

  /** A binary message of the carrier; the bytes are only lent. */
  receiveBinary(bytes: Uint8Array, nowMs: number): void {
    if (this.end) return;
    if (this.#protocol.decodeBinary) this.handle(this.#protocol.decodeBinary(bytes), nowMs);
    else this.invalid('a binary message');
  }

  /** The same for a message already decoded. */
  handle(message: CarrierMessage, nowMs: number): void {
    if (this.end) return;
    this.capture?.message(message, nowMs);
    const soundMs = message.type === 'audio' ? message.payload.length / this.#callerBytesPerMs : 0;
    if (!this.#rateLimit.allow(soundMs, nowMs)) {
      this.#finish('protocol error', 'more sound or messages than a telephone makes', CLOSE_PROTOCOL_ERROR);
      return;
    }
    switch (message.type) {
      case 'audio':
        this.#lastAudioMs = nowMs;
        this.#jitter.push(message.sequence ?? ++this.#lastSequence, message.payload, nowMs);
        return;
      case 'mark':
        this.#listener?.mark(message.name);
        return;
      case 'cleared':
        this.#listener?.cleared();
        return;
      case 'digit':
        if (this.#listener) this.#listener.digit(message.digit);
        else this.#early.digit(message.digit);
        return;
      case 'hold':
        this.#remoteQueueFull = message.full;
        return;
      case 'stop':
        this.#finish('hung up', 'the carrier ended the stream', CLOSE_NORMAL);
        return;
      case 'start':
        this.invalid('a second start');
        return;
      case 'invalid':
        this.invalid(message.reason);
    }
  }

  /** A message that cannot be read, binary ones included. A few are forgiven. */
  invalid(why: string): void {
    if (this.end || ++this.#invalidMessages <= MAX_INVALID_MESSAGES) return;
    const detail = `${this.#invalidMessages} messages that cannot be read, the last: ${why}`;
    this.#finish('protocol error', detail, CLOSE_PROTOCOL_ERROR);
  }

  /** The socket is closed. `broken` is set where the server itself closed it, with the reason in words. */
  closed(code: number, broken?: { cause: LegEnd; detail: string }): void {
    this.capture?.closed(code, broken ?? null, this.#clock.now());
    this.#resumable =
      !this.end && (broken ? broken.cause === 'lost' : code === CLOSE_ABNORMAL || !this.#protocol.closeMeansHangUp);
    if (broken) this.#finish(broken.cause, broken.detail, null);
    else if (this.#protocol.closeMeansHangUp) this.#finish('hung up', `the carrier closed the stream (${code})`, null);
    else this.#finish('lost', `the socket closed without a stop (${code})`, null);
  }

  /** Ends the leg because this side cannot go on with it; what is held back of the sound is dropped. */
  abandon(detail: string): void {
    this.#conclude('lost', detail, CLOSE_GOING_AWAY);
  }

  tick(nowMs: number): void {
    if (this.end) return;
    this.#jitter.expire(nowMs);
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
    // What was taken before stays taken; this frame will be given again.
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

  clear(): void {
    this.#packetFill = 0;
    this.#packetMarks = [];
    if (!this.end) this.#socket.send(this.#protocol.clear(this.#streamId), 'control');
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
   * Closes the socket. With Twilio the call then goes on behind `</Connect>`, with Plivo behind a `<Stream>` kept alive:
   * where nothing stands there, the call ends.
   */
  hangUp(): void {
    if (this.end) return;
    this.end = { cause: 'hung up by us', detail: '' };
    this.#early.clear();
    if (this.#protocol.hangUp) this.#socket.send(this.#protocol.hangUp(this.#streamId), 'control');
    this.#socket.close(CLOSE_NORMAL);
  }

  #hungUp(): boolean {
    return this.end?.cause === 'hung up by us';
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
    // The caller's last words lie in the jitter buffer.
    this.#jitter.flush();
    this.#conclude(cause, detail, closeCode);
  }

  #conclude(cause: LegEnd, detail: string, closeCode: number | null): void {
    if (this.end) return;
    this.end = { cause, detail };
    if (closeCode !== null) this.#socket.close(closeCode);
    this.#listener?.ended(cause, detail);
  }
}
