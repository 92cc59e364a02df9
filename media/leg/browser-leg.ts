import type { Clock } from '../../shared/clock.ts';
import {
  type AdaptiveJitterBuffer,
  type AdaptiveJitterBufferStats,
  createAdaptiveJitterBuffer,
} from '../audio/adaptive-jitter-buffer.ts';
import { type AudioFormat, FRAME_MS, PCM_16K } from '../audio/format.ts';
import { createFramer, type Framer } from '../audio/framer.ts';
import { isDtx, MAX_PACKET_BYTES, OPUS_CLOCK_RATE, type OpusCodec } from '../audio/opus.ts';
import { newRtpPacket, type RtpHeader, readRtp, writeRtp } from '../audio/rtp.ts';
import { frameBytes } from '../audio/silence.ts';
import { createEarlyMediaBuffer } from './early-media-buffer.ts';
import type { Leg, LegEnd, LegListener, LiveTranscriptLine, PlaybackConfirmation } from './leg.ts';
import type { EarlyLegCapture } from './leg-capture.ts';

/** What a browser's leg needs of the call's door (`browser-call.ts`). */
export interface BrowserTransport {
  /** One RTP packet of the agent's; the bytes are not kept. */
  sendRtp(packet: Uint8Array): void;
  transcript(transcript: LiveTranscriptLine): void;
  /** The call is over: says so to the browser and closes everything. */
  close(reason: string): void;
}

export interface BrowserLegOptions {
  transport: BrowserTransport;
  codec: OpusCodec;
  agentStream: { payloadType: number; ssrc: number };
  clock: Clock;
  /** Hears all that comes; none where no call is ever taped. */
  capture?: EarlyLegCapture | null;
}

/** What a browser's own buffer adds before the agent is heard, beside half of the round trip. */
const BROWSER_BUFFER_MS = 60;
/** Frames of the agent that may wait for their moment; playout gives at most its lead. */
const MAX_QUEUED_FRAMES = 16;
/** Packets leave at most so long before the moment that their timestamps stand for; of which up to a frame is usual. */
const MAX_AHEAD_MS = 2 * FRAME_MS;
/** Behind the last frame of a speech so much silence is encoded: the encoder falls asleep in it (DTX). */
const HANGOVER_FRAMES = 12;
/** While the agent is silent, one packet in so long says that it still is. */
const COMFORT_NOISE_INTERVAL_MS = 400;
/** Nothing came from the browser for so long: its line is broken for now, and the agent waits. */
const STALLED_AFTER_MS = 2_000;
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
  readonly playback: PlaybackConfirmation = { marks: false, marksReturnedOnClear: false, clearAcknowledged: false };
  /** How the leg ended, and null before. */
  end: { cause: LegEnd | 'hung up by us'; detail: string } | null = null;
  readonly capture: EarlyLegCapture | null;
  /** As the browser's reports tell it. */
  roundTripMs = 0;

  readonly #transport: BrowserTransport;
  readonly #codec: OpusCodec;
  readonly #clock: Clock;
  readonly #jitter: AdaptiveJitterBuffer;
  readonly #framer: Framer;
  readonly #packet = newRtpPacket();
  #listener: LegListener | null = null;
  readonly #early = createEarlyMediaBuffer();
  #receivedMs = 0;
  /** The browser numbers its packets; the stream is the first one's. */
  #ssrc: number | null = null;
  #lastPacketMs: number;
  #stalled = false;
  #closed = false;
  #muted = false;

  /** A ring of frames that wait to be sent. */
  readonly #queue: Uint8Array[] = Array.from({ length: MAX_QUEUED_FRAMES }, () => new Uint8Array(frameBytes(PCM_16K)));
  #head = 0;
  #queued = 0;
  readonly #silence = new Uint8Array(frameBytes(PCM_16K));
  readonly #header: RtpHeader;
  readonly #out: Buffer = Buffer.alloc(HEADER_BYTES + MAX_PACKET_BYTES);
  readonly #originMs: number;
  readonly #firstTimestamp: number;
  /** The moment the next packet's timestamp stands for; in the past while the agent is silent. */
  #nextMs = Number.NEGATIVE_INFINITY;
  /** The next packet is the first after a pause. */
  #paused = true;
  /** All of the speech is here, or it was cleared: nothing is on its way that could be waited for. */
  #speechComplete = true;
  /** In the middle of a speech a beat found nothing to send. */
  #starved = false;
  #hangover = 0;
  #lastTickMs = Number.NEGATIVE_INFINITY;
  #lastSentMs = Number.NEGATIVE_INFINITY;

  constructor({ transport: line, codec, agentStream, clock, capture = null }: BrowserLegOptions) {
    this.capture = capture;
    this.#transport = line;
    this.#codec = codec;
    this.#clock = clock;
    this.#lastPacketMs = clock.now();
    this.#originMs = clock.now();
    // Begins anywhere, as RFC 3550 has it; the packets are encrypted by a key of their own anyway.
    this.#firstTimestamp = agentStream.ssrc >>> 0;
    this.#header = { ...agentStream, marker: false, sequence: agentStream.ssrc & 0xffff, timestamp: 0 };
    this.#framer = createFramer(PCM_16K, (frame) => this.#frame(frame));
    this.#jitter = createAdaptiveJitterBuffer(OPUS_CLOCK_RATE, {
      isPause: isDtx,
      play: (payload, atMs) => this.#pushDecoded(codec.decode(payload), atMs),
      conceal: (atMs) => this.#pushDecoded(codec.conceal(), atMs),
      silence: (ms, atMs) => {
        this.#receivedMs = atMs;
        this.#framer.push(this.#silence.subarray(0, 2 * Math.round((ms * PCM_16K.sample_rate) / 1_000)));
      },
    });
  }

  get stats(): Readonly<AdaptiveJitterBufferStats> {
    return this.#jitter.stats;
  }

  get listening(): boolean {
    return this.#listener !== null;
  }

  /** When the browser's last packet came. */
  get lastPacketMs(): number {
    return this.#lastPacketMs;
  }

  /** The microphone is off: nothing of what still comes is heard. */
  get muted(): boolean {
    return this.#muted;
  }

  set muted(muted: boolean) {
    if (!this.end) this.capture?.muted(muted, this.#clock.now());
    this.#muted = muted;
  }

  get playoutDelayMs(): number {
    return BROWSER_BUFFER_MS + this.roundTripMs / 2;
  }

  listen(listener: LegListener): void {
    if (this.#listener) throw new Error('a leg has one listener');
    this.#listener = listener;
    this.#early.flushTo(listener, () => this.#hungUp());
    if (this.end && this.end.cause !== 'hung up by us') listener.ended(this.end.cause, this.end.detail);
  }

  /** One packet of the browser's. What cannot be read is nothing. */
  receive(bytes: Uint8Array, nowMs: number): void {
    if (this.end) return;
    const packet = readRtp(bytes, this.#packet);
    if (!packet || packet.payload.length === 0 || packet.payload.length > MAX_PACKET_BYTES) return;
    this.#ssrc ??= packet.ssrc;
    if (packet.ssrc !== this.#ssrc) return;
    this.capture?.packet(packet, nowMs);
    this.#lastPacketMs = nowMs;
    this.#stalled = false;
    this.#jitter.push(packet.sequence, packet.timestamp, packet.payload, nowMs);
  }

  press(digit: string): void {
    if (this.end) return;
    this.capture?.message({ type: 'digit', digit }, this.#clock.now());
    if (this.#listener) this.#listener.digit(digit);
    else this.#early.digit(digit);
  }

  /** What the browser's reports say of the way to it. */
  updateQuality({ roundTripMs, lossPercent }: { roundTripMs: number; lossPercent: number }): void {
    this.roundTripMs = Math.min(2_000, Math.max(0, roundTripMs));
    if (!this.end) this.capture?.roundTrip(this.roundTripMs, this.#clock.now());
    this.#codec.expectLoss(lossPercent);
  }

  /** The browser's side is over, or cannot be reached any more. */
  finish(cause: LegEnd, detail: string): void {
    if (this.end) return;
    this.capture?.finished(cause, detail, this.#clock.now());
    this.end = { cause, detail };
    this.#listener?.ended(cause, detail);
  }

  tick(nowMs: number): void {
    if (this.end) return;
    this.#jitter.tick(nowMs);
    if (!this.#stalled && nowMs - this.#lastPacketMs > STALLED_AFTER_MS && !this.muted) {
      this.#stalled = true;
      this.clear();
      this.#listener?.stalled?.();
    }
    if (!this.#stalled) this.#sendOnTick(nowMs);
  }

  play(frame: Uint8Array): boolean {
    if (this.end || this.#stalled || this.#queued === MAX_QUEUED_FRAMES) return false;
    this.#queue[(this.#head + this.#queued) % MAX_QUEUED_FRAMES]!.set(frame);
    this.#queued++;
    this.#speechComplete = false;
    // The first one is not kept for a beat, nor one that a beat has missed.
    if (this.#paused || this.#starved) this.#sendNext(this.#clock.now());
    return true;
  }

  flush(): void {
    this.#speechComplete = true;
  }

  /** Nothing tells when a packet was heard: the clock does. */
  mark(): void {}

  clear(): void {
    this.#queued = 0;
    this.#speechComplete = true;
  }

  transcript(transcript: LiveTranscriptLine): void {
    if (!this.end) this.#transport.transcript(transcript);
  }

  hangUp(reason = 'the call could not be taken'): void {
    if (this.#closed) return;
    this.#closed = true;
    this.end ??= { cause: 'hung up by us', detail: reason };
    this.#early.clear();
    this.#transport.close(reason);
  }

  #hungUp(): boolean {
    return this.end?.cause === 'hung up by us';
  }

  #pushDecoded(sound: Uint8Array | null, atMs: number): number {
    if (!sound) return 0;
    this.#receivedMs = atMs;
    this.#framer.push(sound);
    return (sound.length * 1_000) / (2 * PCM_16K.sample_rate);
  }

  #frame(frame: Uint8Array): void {
    if (this.#hungUp()) return;
    const heard = this.muted ? this.#silence : frame;
    if (this.#listener) this.#listener.audio(heard, this.#receivedMs);
    else this.#early.audio(heard, this.#receivedMs);
  }

  /**
   * While the agent speaks, a packet on every beat, and more after beats that were missed. Going by the moments of the
   * timestamps instead would leave 40 ms between two packets whenever such a moment lies just behind a beat.
   */
  #sendOnTick(nowMs: number): void {
    // A beat right behind a late one would only run further ahead.
    if (nowMs - this.#lastTickMs < FRAME_MS / 2 && this.#nextMs > nowMs) return;
    this.#lastTickMs = nowMs;
    const missed = this.#paused ? 0 : Math.max(0, Math.floor((nowMs - this.#nextMs) / FRAME_MS));
    for (let packets = 1 + missed; packets > 0 && this.#sendNext(nowMs); ) packets--;
  }

  /** A frame of the agent, the silence behind its speech, or now and then a sign of it. False when nothing is due any more. */
  #sendNext(nowMs: number): boolean {
    if (!this.#paused && this.#nextMs - nowMs > MAX_AHEAD_MS) return false;
    if (this.#queued > 0) {
      // After a pause the timestamps go on from now.
      if (this.#paused) this.#nextMs = Math.max(nowMs, this.#nextMs);
      this.#send(this.#codec.encode(this.#queue[this.#head]!), this.#paused);
      this.#head = (this.#head + 1) % MAX_QUEUED_FRAMES;
      this.#queued--;
      this.#hangover = HANGOVER_FRAMES;
      this.#paused = false;
      this.#starved = false;
      this.#nextMs += FRAME_MS;
      return true;
    }
    if (this.#hangover > 0) {
      // A frame is on its way still: half of the next one's time is given to it.
      if (!this.#speechComplete && this.#hangover === HANGOVER_FRAMES && nowMs < this.#nextMs + FRAME_MS / 2) {
        this.#starved = true;
        return false;
      }
      this.#hangover--;
      this.#send(this.#codec.encode(this.#silence), false);
      this.#nextMs += FRAME_MS;
      this.#paused = this.#hangover === 0;
      return true;
    }
    if (nowMs - this.#lastSentMs < COMFORT_NOISE_INTERVAL_MS) return false;
    this.#nextMs = nowMs;
    this.#send(this.#codec.encode(this.#silence), false, true);
    this.#nextMs += FRAME_MS;
    this.#paused = true;
    return false;
  }

  #send(payload: Uint8Array, marker: boolean, always = false): void {
    // What the encoder calls silence need not be sent.
    if (isDtx(payload) && !always) return;
    const header = this.#header;
    header.marker = marker;
    header.timestamp =
      (this.#firstTimestamp + Math.round((this.#nextMs - this.#originMs) * TIMESTAMPS_PER_MS)) % 0x1_0000_0000;
    this.#transport.sendRtp(this.#out.subarray(0, writeRtp(header, payload, this.#out)));
    header.sequence = (header.sequence + 1) & 0xffff;
    this.#lastSentMs = this.#nextMs;
  }
}
