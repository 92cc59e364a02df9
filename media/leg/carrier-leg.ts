import type { Clock } from '../../shared/clock.ts';
import { type AudioFormat, FRAME_MS, LINE_RATE } from '../audio/format.ts';
import { createJitterBuffer, type JitterBuffer, type JitterStats } from '../audio/jitter-buffer.ts';
import { frameBytes, silenceByte } from '../audio/silence.ts';
import { createEarlyCaller } from './early-caller.ts';
import type { LegEnd, LegListener, PlaybackProof } from './leg.ts';
import type { EarlyTap } from './leg-tap.ts';
import { createPace, type Pace } from './pace.ts';
import type { BrokenLeg } from './returning-leg.ts';
import type { Wire, WireMessage } from './wire.ts';

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
  wire: Wire;
  start: Extract<WireMessage, { type: 'start' }>;
  socket: LegSocket;
  clock: Clock;
  /** Hears all that comes; none where no call is ever taped. */
  tap?: EarlyTap | null;
}

/** No audio for this long, though a carrier sends a frame every 20 ms, silence included. */
export const SILENT_SOCKET_MS = 10_000;
/** Audio refused by a full socket for this long. */
export const CONGESTED_MS = 3_000;
/** Refusals further apart than this are not one congestion. */
const REFUSALS_APART_MS = 1_000;
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
export class CarrierLeg implements BrokenLeg {
  readonly carrier: string;
  readonly format: AudioFormat;
  readonly callerFormat: AudioFormat;
  readonly sendsDigits: boolean;
  readonly packetMs: number;
  readonly playback: PlaybackProof;
  readonly tap: EarlyTap | null;
  /** How the leg ended, and null before. `hangUp` is an end without a cause of the carrier's. */
  end: { cause: LegEnd | 'hung up by us'; detail: string } | null = null;

  readonly #wire: Wire;
  readonly #socket: LegSocket;
  readonly #clock: Clock;
  readonly #streamId: string;
  readonly #jitter: JitterBuffer;
  readonly #pace: Pace;
  readonly #callerBytesPerMs: number;

  /** The connection broke: no goodbye of the carrier's, whatever a mere closing means for it. */
  #broken = false;
  #listener: LegListener | null = null;
  readonly #early = createEarlyCaller();
  /** Sound that waits for a whole packet, and the marks behind it. */
  readonly #packet: Uint8Array;
  #packetFill = 0;
  #packetMarks: string[] = [];
  #packets = 0;
  /** Payloads of a carrier that does not number them. */
  #arrived = 0;
  /** The carrier takes no sound for now. */
  #held = false;
  #invalidMessages = 0;
  #lastAudioMs: number;
  #refusedSinceMs = 0;
  #taking = true;
  #lastRefusedMs = Number.NEGATIVE_INFINITY;

  constructor({ wire, start, socket, clock, tap = null }: CarrierLegOptions) {
    this.tap = tap;
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
    this.#wire = wire;
    this.#socket = socket;
    this.#clock = clock;
    this.#streamId = start.streamId;
    this.#lastAudioMs = clock.now();
    this.#pace = createPace(this.#lastAudioMs);
    this.#callerBytesPerMs = frameBytes(start.format) / FRAME_MS;
    this.#jitter = createJitterBuffer(start.format, (frame, atMs) => this.#frame(frame, atMs));
  }

  get listening(): boolean {
    return this.#listener !== null;
  }

  /** A carrier opens its stream anew after a socket that broke, not after one that said goodbye. */
  get mayReturn(): boolean {
    return this.#broken;
  }

  /** Frames in, concealed, late, doubled, so far. */
  get stats(): Readonly<JitterStats> {
    return this.#jitter.stats;
  }

  listen(listener: LegListener): void {
    if (this.#listener) throw new Error('a leg has one listener');
    this.#listener = listener;
    this.#early.tell(listener, () => this.#hungUp());
    if (this.end && this.end.cause !== 'hung up by us') listener.ended(this.end.cause, this.end.detail);
  }

  /** A text message of the carrier. */
  receive(text: string, nowMs: number): void {
    if (!this.end) this.take(this.#wire.decode(text), nowMs);
  }

  /** A binary message of the carrier; the bytes are only lent. */
  receiveBinary(bytes: Uint8Array, nowMs: number): void {
    if (this.end) return;
    if (this.#wire.decodeBinary) this.take(this.#wire.decodeBinary(bytes), nowMs);
    else this.invalid('a binary message');
  }

  /** The same for a message already decoded. */
  take(message: WireMessage, nowMs: number): void {
    if (this.end) return;
    this.tap?.message(message, nowMs);
    const soundMs = message.type === 'audio' ? message.payload.length / this.#callerBytesPerMs : 0;
    if (!this.#pace.take(soundMs, nowMs)) {
      this.#finish('protocol error', 'more sound or messages than a telephone makes', CLOSE_PROTOCOL_ERROR);
      return;
    }
    switch (message.type) {
      case 'audio':
        this.#lastAudioMs = nowMs;
        this.#jitter.push(message.order ?? ++this.#arrived, message.payload, nowMs);
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
        this.#held = message.held;
        return;
      case 'stop':
        this.#finish('hung up', 'the carrier ended the stream', CLOSE_NORMAL);
        return;
      case 'start':
        this.invalid('a second start');
        return;
      case 'invalid':
        this.invalid(message.why);
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
    this.tap?.closed(code, broken ?? null, this.#clock.now());
    this.#broken =
      !this.end && (broken ? broken.cause === 'lost' : code === CLOSE_ABNORMAL || !this.#wire.closeMeansHangUp);
    if (broken) this.#finish(broken.cause, broken.detail, null);
    else if (this.#wire.closeMeansHangUp) this.#finish('hung up', `the carrier closed the stream (${code})`, null);
    else this.#finish('lost', `the socket closed without a stop (${code})`, null);
  }

  /** Ends the leg because this side cannot go on with it; what is held back of the sound is dropped. */
  abandon(detail: string): void {
    this.#conclude('lost', detail, CLOSE_GOING_AWAY);
  }

  tick(nowMs: number): void {
    if (this.end) return;
    this.#jitter.expire(nowMs);
    if (nowMs - this.#lastAudioMs > SILENT_SOCKET_MS) {
      this.#broken = true;
      this.#finish('lost', `no audio for ${SILENT_SOCKET_MS / 1000} s`, CLOSE_GOING_AWAY);
    }
  }

  play(frame: Uint8Array): boolean {
    if (this.end) return false;
    if (this.#wire.packetFrames === 1) return this.#sendPacket(frame);
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
    if (!this.end) this.#socket.send(this.#wire.clear(this.#streamId), 'control');
  }

  #sendPacket(packet: Uint8Array): boolean {
    if (this.#held) {
      this.#refused(this.#clock.now());
      return false;
    }
    const outcome = this.#socket.send(
      this.#wire.audio(this.#streamId, packet, this.format, this.#packets + 1),
      'audio',
    );
    if (this.tap && (outcome === 'sent') !== this.#taking) {
      this.#taking = !this.#taking;
      this.tap.takes(this.#taking);
    }
    if (outcome === 'congested') this.#refused(this.#clock.now());
    else this.#lastRefusedMs = Number.NEGATIVE_INFINITY;
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
    this.#socket.send(this.#wire.mark(this.#streamId, name), 'control');
  }

  /**
   * Closes the socket. With Twilio the call then goes on behind `</Connect>`, with Plivo behind a `<Stream>` kept alive:
   * where nothing stands there, the call ends.
   */
  hangUp(): void {
    if (this.end) return;
    this.end = { cause: 'hung up by us', detail: '' };
    this.#early.forget();
    if (this.#wire.hangUp) this.#socket.send(this.#wire.hangUp(this.#streamId), 'control');
    this.#socket.close(CLOSE_NORMAL);
  }

  #hungUp(): boolean {
    return this.end?.cause === 'hung up by us';
  }

  #refused(nowMs: number): void {
    if (nowMs - this.#lastRefusedMs > REFUSALS_APART_MS) this.#refusedSinceMs = nowMs;
    this.#lastRefusedMs = nowMs;
    if (nowMs - this.#refusedSinceMs <= CONGESTED_MS) return;
    this.#finish('congested', `the carrier took no audio for ${CONGESTED_MS / 1000} s`, CLOSE_TRY_LATER);
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
