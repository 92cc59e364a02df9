import type { Clock } from '../../shared/clock.ts';
import {
  type AdaptiveJitterBuffer,
  type AdaptiveJitterBufferStats,
  createAdaptiveJitterBuffer,
  type JitterSink,
} from '../audio/adaptive-jitter-buffer.ts';
import { type AudioFormat, FRAME_MS, frameBytes, PCM_16K } from '../audio/format.ts';
import { createFramer, type Framer } from '../audio/framer.ts';
import { isDtx, MAX_PACKET_BYTES, OPUS_CLOCK_RATE, type OpusCodec } from '../audio/opus.ts';
import { newRtpPacket, type RtpHeader, readRtp, writeRtp } from '../audio/rtp.ts';
import { createEarlyMediaBuffer } from './early-media-buffer.ts';
import type { Leg, LegEnd, LegListener, LiveTranscriptLine, PageToolCall, PageToolResult } from './leg.ts';
import type { EarlyLegCapture } from './leg-capture.ts';

/** The way to the browser, as far as its leg needs it; implemented by `browser-call.ts`. */
export interface BrowserTransport {
  /** Sends one RTP packet of the agent; the bytes are not kept. */
  sendRtp(packet: Uint8Array): void;
  transcript(line: LiveTranscriptLine): void;
  callTool?(call: PageToolCall): void;
  /** Tells the browser that the call is over, and closes everything. */
  close(reason: string): void;
}

export interface BrowserLegOptions {
  transport: BrowserTransport;
  codec: OpusCodec;
  agentStream: { payloadType: number; ssrc: number };
  clock: Clock;
  /** Records all packets; null where no call is captured. */
  capture?: EarlyLegCapture | null;
}

/** Delay of a browser's own jitter buffer, on top of half of the round trip. */
const BROWSER_BUFFER_MS = 60;
/** More than playout ever sends ahead. */
const MAX_QUEUED_FRAMES = 16;
/** How far a packet may be sent ahead of the moment of its timestamp; up to one frame is usual. */
const MAX_AHEAD_MS = 2 * FRAME_MS;
/** Silent frames encoded after the end of speech, in which the encoder enters DTX. */
const HANGOVER_FRAMES = 12;
/** Interval of packets while the agent is silent. */
const COMFORT_NOISE_INTERVAL_MS = 400;
/** Without packets from the browser for this long the leg is stalled: no audio is sent until they come back. */
const STALLED_AFTER_MS = 2_000;
const TIMESTAMPS_PER_MS = OPUS_CLOCK_RATE / 1_000;
const HEADER_BYTES = 12;

/**
 * A browser as a leg: PCM at 16 kHz on this side, Opus in RTP on the other. Incoming frames come from the adaptive jitter buffer,
 * in order and without gaps. Outgoing frames are queued and sent one packet every 20 ms, so that `clear` drops everything not
 * sent yet.
 */
export class BrowserLeg implements Leg {
  readonly carrier = 'browser';
  readonly format: AudioFormat = PCM_16K;
  readonly callerFormat: AudioFormat = PCM_16K;
  readonly sendsDigits = true;
  readonly packetMs = FRAME_MS;
  readonly returnsMarks = false;
  /** How the leg ended; null before. */
  end: { cause: LegEnd | 'hung up by us'; detail: string } | null = null;
  readonly capture: EarlyLegCapture | null;
  /** From the browser's RTCP reports. */
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
  /** Of the browser's first packet; other streams are ignored. */
  #ssrc: number | null = null;
  #lastPacketMs: number;
  #stalled = false;
  #closed = false;
  #muted = false;

  /** Ring of frames to be sent. */
  readonly #queue: Uint8Array[] = Array.from({ length: MAX_QUEUED_FRAMES }, () => new Uint8Array(frameBytes(PCM_16K)));
  #head = 0;
  #queued = 0;
  readonly #silence = new Uint8Array(frameBytes(PCM_16K));
  readonly #header: RtpHeader;
  readonly #out: Buffer = Buffer.alloc(HEADER_BYTES + MAX_PACKET_BYTES);
  readonly #originMs: number;
  readonly #firstTimestamp: number;
  /** The moment of the next packet's timestamp; in the past while the agent is silent. */
  #nextMs = Number.NEGATIVE_INFINITY;
  /** The next packet is the first after a pause. */
  #paused = true;
  /** The speech has been flushed or cleared: no further frame is to be waited for. */
  #speechComplete = true;
  /** A tick found nothing to send in the middle of speech. */
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
    // RFC 3550 wants random start values; the ssrc is random.
    this.#firstTimestamp = agentStream.ssrc >>> 0;
    this.#header = { ...agentStream, marker: false, sequence: agentStream.ssrc & 0xffff, timestamp: 0 };
    this.#framer = createFramer(PCM_16K, (frame) => this.#frame(frame));
    const sink: JitterSink = {
      isPause: isDtx,
      play: (payload, atMs) => this.#pushDecoded(codec.decode(payload), atMs),
      conceal: (atMs) => this.#pushDecoded(codec.conceal(), atMs),
      silence: (ms, atMs) => {
        this.#receivedMs = atMs;
        this.#framer.push(this.#silence.subarray(0, 2 * Math.round((ms * PCM_16K.sample_rate) / 1_000)));
      },
    };
    this.#jitter = createAdaptiveJitterBuffer(OPUS_CLOCK_RATE, sink, (ms) => this.#listener?.networkStall?.(ms));
  }

  get stats(): Readonly<AdaptiveJitterBufferStats> {
    return this.#jitter.stats;
  }

  get listening(): boolean {
    return this.#listener !== null;
  }

  /** Arrival of the browser's last packet. */
  get lastPacketMs(): number {
    return this.#lastPacketMs;
  }

  /** The microphone is muted: incoming audio is replaced with silence. */
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

  /** Handles one packet of the browser. Invalid ones are ignored. */
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

  /** Handles the browser's RTCP reports. */
  updateQuality({ roundTripMs, lossPercent }: { roundTripMs: number; lossPercent: number }): void {
    this.roundTripMs = Math.min(2_000, Math.max(0, roundTripMs));
    if (!this.end) this.capture?.roundTrip(this.roundTripMs, this.#clock.now());
    this.#codec.expectLoss(lossPercent);
  }

  /** Ends the leg: the browser ended the call, or cannot be reached any more. */
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
    // The first frame does not wait for a tick, nor does one that a tick has missed.
    if (this.#paused || this.#starved) this.#sendNext(this.#clock.now());
    return true;
  }

  flush(): void {
    this.#speechComplete = true;
  }

  /** Browsers do not confirm playback; the playout position comes from the clock. */
  mark(): void {}

  clear(): void {
    this.#queued = 0;
    this.#speechComplete = true;
  }

  takeBack(atMost: number): number {
    const frames = Math.min(atMost, this.#queued);
    this.#queued -= frames;
    return frames;
  }

  transcript(transcript: LiveTranscriptLine): void {
    if (!this.end) this.#transport.transcript(transcript);
  }

  callTool(call: PageToolCall): void {
    if (!this.end) this.#transport.callTool?.(call);
  }

  /** The page has run a tool. */
  toolResult(result: PageToolResult): void {
    if (!this.end) this.#listener?.toolResult?.(result);
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

  #pushDecoded(audio: Uint8Array | null, atMs: number): number {
    if (!audio) return 0;
    this.#receivedMs = atMs;
    this.#framer.push(audio);
    return (audio.length * 1_000) / (2 * PCM_16K.sample_rate);
  }

  #frame(frame: Uint8Array): void {
    if (this.#hungUp()) return;
    const audible = this.muted ? this.#silence : frame;
    if (this.#listener) this.#listener.audio(audible, this.#receivedMs);
    else this.#early.audio(audible, this.#receivedMs);
  }

  /**
   * Sends a packet on every tick while the agent speaks, and more after missed ticks. Sending by the moments of the timestamps
   * instead would leave 40 ms between two packets whenever such a moment lies just after a tick.
   */
  #sendOnTick(nowMs: number): void {
    // A tick right after a late one would only run further ahead.
    if (nowMs - this.#lastTickMs < FRAME_MS / 2 && this.#nextMs > nowMs) return;
    this.#lastTickMs = nowMs;
    const missed = this.#paused ? 0 : Math.max(0, Math.floor((nowMs - this.#nextMs) / FRAME_MS));
    for (let packets = 1 + missed; packets > 0 && this.#sendNext(nowMs); ) packets--;
  }

  /** Sends a frame of the agent, silence after its speech, or a comfort noise packet. Returns false when nothing more is due. */
  #sendNext(nowMs: number): boolean {
    if (!this.#paused && this.#nextMs - nowMs > MAX_AHEAD_MS) return false;
    if (this.#queued > 0) {
      // After a pause the timestamps continue from now.
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
      // Waits up to half a frame for the next frame of the speech.
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
    // DTX packets need not be sent.
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
