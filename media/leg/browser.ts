import type { Clock } from '../../shared/clock.ts';
import { type AdaptiveJitter, type AdaptiveJitterStats, createAdaptiveJitter } from '../audio/adaptive-jitter.ts';
import { type AudioFormat, FRAME_MS, PCM_16K } from '../audio/format.ts';
import { createFramer, type Framer } from '../audio/framer.ts';
import { isDtx, MOST_PACKET_BYTES, OPUS_CLOCK_RATE, type OpusCodec } from '../audio/opus.ts';
import { newRtpPacket, type RtpHeader, readRtp, writeRtp } from '../audio/rtp.ts';
import { frameBytes } from '../audio/silence.ts';
import type { Leg, LegEnd, LegListener, LiveWords, PlaybackProof } from './leg.ts';

/** What a browser's leg needs of the call's door (`browser-call.ts`). */
export interface BrowserLine {
  /** One RTP packet of the agent's; the bytes are not kept. */
  sendRtp(packet: Uint8Array): void;
  words(words: LiveWords): void;
  /** The call is over: says so to the browser and closes everything. */
  close(reason: string): void;
}

export interface BrowserLegOptions {
  line: BrowserLine;
  codec: OpusCodec;
  agentStream: { payloadType: number; ssrc: number };
  clock: Clock;
}

/** What a browser's own buffer adds before the agent is heard, beside half of the round trip. */
const BROWSER_BUFFER_MS = 60;
/** What the caller says before somebody listens is kept, the latest of it. */
const EARLY_FRAMES = 2_000 / FRAME_MS;
const EARLY_DIGITS = 32;
/** Frames of the agent that may wait for their moment; playout gives at most its lead. */
const MOST_QUEUED = 16;
/** A packet goes out this much before its moment, because beats come a millisecond early or late. */
const BEAT_SLACK_MS = 2;
/** Behind the last frame of a speech so much silence is encoded: the encoder falls asleep in it (DTX). */
const HANGOVER_FRAMES = 12;
/** While the agent is silent, one packet in so long says that it still is. */
const COMFORT_EVERY_MS = 400;
/** Nothing came from the browser for so long: its line is broken for now, and the agent waits. */
const BROKEN_AFTER_MS = 2_000;
const TIMESTAMPS_PER_MS = OPUS_CLOCK_RATE / 1_000;
const HEADER_BYTES = 12;

/**
 * A browser as a leg: 16 kHz both ways, Opus in RTP on the other side. Frames in come from the adaptive jitter buffer, in order
 * and without gaps. Frames out wait here for their moment, one packet in 20 ms, so that `clear` drops all that was not
 * sent. Knows nothing of transports and sockets; those are the line's.
 */
export class BrowserLeg implements Leg {
  readonly carrier = 'browser';
  readonly format: AudioFormat = PCM_16K;
  readonly callerFormat: AudioFormat = PCM_16K;
  readonly sendsDigits = true;
  readonly packetMs = FRAME_MS;
  readonly playback: PlaybackProof = { marks: false, marksReturnedOnClear: false, clearAcknowledged: false };
  /** How the leg ended, and null before. */
  end: { cause: LegEnd | 'hung up by us'; detail: string } | null = null;
  /** The microphone is off: nothing of what still comes is heard. */
  muted = false;
  /** As the browser's reports tell it. */
  roundTripMs = 0;

  readonly #line: BrowserLine;
  readonly #codec: OpusCodec;
  readonly #clock: Clock;
  readonly #jitter: AdaptiveJitter;
  readonly #framer: Framer;
  readonly #packet = newRtpPacket();
  #listener: LegListener | null = null;
  #earlyFrames: { frame: Uint8Array; atMs: number }[] = [];
  #earlyDigits: string[] = [];
  #heardMs = 0;
  /** The browser numbers its packets; the stream is the first one's. */
  #ssrc: number | null = null;
  #lastPacketMs: number;
  #broken = false;
  #closed = false;

  /** A ring of frames that wait to be sent. */
  readonly #queue: Uint8Array[] = Array.from({ length: MOST_QUEUED }, () => new Uint8Array(frameBytes(PCM_16K)));
  #head = 0;
  #queued = 0;
  readonly #silence = new Uint8Array(frameBytes(PCM_16K));
  readonly #header: RtpHeader;
  readonly #out: Buffer = Buffer.alloc(HEADER_BYTES + MOST_PACKET_BYTES);
  readonly #originMs: number;
  readonly #firstTimestamp: number;
  /** The next packet's moment; in the past while the agent is silent. */
  #nextMs = Number.NEGATIVE_INFINITY;
  /** The next packet is the first after a pause. */
  #pause = true;
  #hangover = 0;
  #lastSentMs = Number.NEGATIVE_INFINITY;

  constructor({ line, codec, agentStream, clock }: BrowserLegOptions) {
    this.#line = line;
    this.#codec = codec;
    this.#clock = clock;
    this.#lastPacketMs = clock.now();
    this.#originMs = clock.now();
    // Begins anywhere, as RFC 3550 has it; the packets are encrypted by a key of their own anyway.
    this.#firstTimestamp = agentStream.ssrc >>> 0;
    this.#header = { ...agentStream, marker: false, sequence: agentStream.ssrc & 0xffff, timestamp: 0 };
    this.#framer = createFramer(PCM_16K, (frame) => this.#frame(frame));
    this.#jitter = createAdaptiveJitter(OPUS_CLOCK_RATE, {
      isPause: isDtx,
      play: (payload, atMs) => this.#take(codec.decode(payload), atMs),
      conceal: (atMs) => this.#take(codec.conceal(), atMs),
      silence: (ms, atMs) => {
        this.#heardMs = atMs;
        this.#framer.push(this.#silence.subarray(0, 2 * Math.round((ms * PCM_16K.sample_rate) / 1_000)));
      },
    });
  }

  get stats(): Readonly<AdaptiveJitterStats> {
    return this.#jitter.stats;
  }

  get listening(): boolean {
    return this.#listener !== null;
  }

  /** When the browser's last packet came. */
  get lastPacketMs(): number {
    return this.#lastPacketMs;
  }

  get playoutDelayMs(): number {
    return BROWSER_BUFFER_MS + this.roundTripMs / 2;
  }

  listen(listener: LegListener): void {
    if (this.#listener) throw new Error('a leg has one listener');
    this.#listener = listener;
    const frames = this.#earlyFrames;
    const digits = this.#earlyDigits;
    this.#earlyFrames = [];
    this.#earlyDigits = [];
    for (const { frame, atMs } of frames) if (!this.#hungUp()) listener.audio(frame, atMs);
    for (const digit of digits) if (!this.#hungUp()) listener.digit(digit);
    if (this.end && this.end.cause !== 'hung up by us') listener.ended(this.end.cause, this.end.detail);
  }

  /** One packet of the browser's. What cannot be read is nothing. */
  receive(bytes: Uint8Array, nowMs: number): void {
    if (this.end) return;
    const packet = readRtp(bytes, this.#packet);
    if (!packet || packet.payload.length === 0 || packet.payload.length > MOST_PACKET_BYTES) return;
    this.#ssrc ??= packet.ssrc;
    if (packet.ssrc !== this.#ssrc) return;
    this.#lastPacketMs = nowMs;
    this.#broken = false;
    this.#jitter.push(packet.sequence, packet.timestamp, packet.payload, nowMs);
  }

  press(digit: string): void {
    if (this.end) return;
    if (this.#listener) this.#listener.digit(digit);
    else if (this.#earlyDigits.length < EARLY_DIGITS) this.#earlyDigits.push(digit);
  }

  /** What the browser's reports say of the way to it. */
  reported({ roundTripMs, lossPercent }: { roundTripMs: number; lossPercent: number }): void {
    this.roundTripMs = Math.min(2_000, Math.max(0, roundTripMs));
    this.#codec.expectLoss(lossPercent);
  }

  /** The browser's side is over, or cannot be reached any more. */
  finish(cause: LegEnd, detail: string): void {
    if (this.end) return;
    this.end = { cause, detail };
    this.#listener?.ended(cause, detail);
  }

  tick(nowMs: number): void {
    if (this.end) return;
    this.#jitter.tick(nowMs);
    if (!this.#broken && nowMs - this.#lastPacketMs > BROKEN_AFTER_MS && !this.muted) {
      this.#broken = true;
      this.clear();
      this.#listener?.stalled?.();
    }
    if (!this.#broken) this.#sendDue(nowMs);
  }

  play(frame: Uint8Array): boolean {
    if (this.end || this.#broken || this.#queued === MOST_QUEUED) return false;
    this.#queue[(this.#head + this.#queued) % MOST_QUEUED]!.set(frame);
    this.#queued++;
    this.#sendDue(this.#clock.now());
    return true;
  }

  flush(): void {}

  /** Nothing tells when a packet was heard: the clock does. */
  mark(): void {}

  clear(): void {
    this.#queued = 0;
  }

  words(words: LiveWords): void {
    if (!this.end) this.#line.words(words);
  }

  hangUp(reason = 'the call could not be taken'): void {
    if (this.#closed) return;
    this.#closed = true;
    this.end ??= { cause: 'hung up by us', detail: reason };
    this.#earlyFrames = [];
    this.#earlyDigits = [];
    this.#line.close(reason);
  }

  #hungUp(): boolean {
    return this.end?.cause === 'hung up by us';
  }

  #take(sound: Uint8Array | null, atMs: number): number {
    if (!sound) return 0;
    this.#heardMs = atMs;
    this.#framer.push(sound);
    return (sound.length * 1_000) / (2 * PCM_16K.sample_rate);
  }

  #frame(frame: Uint8Array): void {
    if (this.#hungUp()) return;
    const heard = this.muted ? this.#silence : frame;
    if (this.#listener) {
      this.#listener.audio(heard, this.#heardMs);
      return;
    }
    if (this.#earlyFrames.length === EARLY_FRAMES) this.#earlyFrames.shift();
    this.#earlyFrames.push({ frame: heard.slice(), atMs: this.#heardMs });
  }

  /** Everything whose moment has come: frames of the agent, the silence behind them, and now and then a sign of it. */
  #sendDue(nowMs: number): void {
    while (nowMs >= this.#nextMs - BEAT_SLACK_MS) {
      if (this.#queued > 0) {
        // After a pause the raster begins anew with this frame.
        if (this.#pause) this.#nextMs = Math.max(nowMs, this.#nextMs);
        this.#send(this.#codec.encode(this.#queue[this.#head]!), this.#pause);
        this.#head = (this.#head + 1) % MOST_QUEUED;
        this.#queued--;
        this.#hangover = HANGOVER_FRAMES;
        this.#pause = false;
        this.#nextMs += FRAME_MS;
      } else if (this.#hangover > 0) {
        // A frame may be on its way still: its beat is given to it.
        if (nowMs < this.#nextMs + FRAME_MS / 2) return;
        this.#hangover--;
        this.#send(this.#codec.encode(this.#silence), false);
        this.#nextMs += FRAME_MS;
        this.#pause = this.#hangover === 0;
      } else {
        if (nowMs - this.#lastSentMs < COMFORT_EVERY_MS) return;
        this.#nextMs = nowMs;
        this.#send(this.#codec.encode(this.#silence), false, true);
        this.#nextMs += FRAME_MS;
        this.#pause = true;
        return;
      }
    }
  }

  #send(payload: Uint8Array, marker: boolean, always = false): void {
    // What the encoder calls silence need not be sent.
    if (isDtx(payload) && !always) return;
    const header = this.#header;
    header.marker = marker;
    header.timestamp =
      (this.#firstTimestamp + Math.round((this.#nextMs - this.#originMs) * TIMESTAMPS_PER_MS)) % 0x1_0000_0000;
    this.#line.sendRtp(this.#out.subarray(0, writeRtp(header, payload, this.#out)));
    header.sequence = (header.sequence + 1) & 0xffff;
    this.#lastSentMs = this.#nextMs;
  }
}
