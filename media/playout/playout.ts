import type { Clock } from '../../shared/clock.ts';
import { bytesPerSample, FRAME_MS, frameBytes, silenceByte } from '../audio/format.ts';
import { createGain, type Gain } from '../audio/gain.ts';
import type { Leg } from '../leg/leg.ts';
import { type Background, createLegOutput, type LegOutput, packetsAheadMs } from './leg-output.ts';
import { appendAudio, createSpeech, type Run, type Speech } from './speech.ts';

/**
 * Plays the agent's speech to the caller, one speech at a time, frame by frame, so that at most `PLAYOUT_AHEAD_MS`, or a packet of
 * the carrier and 100 ms, are buffered there. Keeps three cursors per speech, in bytes of the leg: generated, sent, played out.
 *
 * A speech is sent in runs: a run is an unbroken sequence of frames at the carrier, ended by an underrun or a pause. The clock
 * says how far a run was played, as far as the carrier's marks bear it out (`playback-confirmation.ts`).
 */

/** Speech buffered at the carrier: enough for its jitter and this engine's, short enough to fall silent quickly. */
export const PLAYOUT_AHEAD_MS = 120;
/**
 * A tick sends its frame while less than the limit is buffered. Between ticks, and beyond a tick's own frame, this much room
 * is left so that the next tick can send its frame even if it comes early, or the last one came late: a skipped tick would be
 * a gap of 40 ms on the network.
 */
const TICK_HEADROOM_MS = FRAME_MS + 10;
/** Gain of the agent while the caller may be speaking, about −10 dB, and the ramps down and up. */
const DUCKED_GAIN = 0.3;
const DUCK_RAMP_MS = 40;
const UNDUCK_RAMP_MS = 200;

export interface PlayoutListener {
  /** The first frame of the speech went to the carrier. */
  started(speechId: string, atMs: number): void;
  /** Everything was played out, or must have been. */
  finished(speechId: string): void;
  /**
   * 20 ms were sent that the caller hears from `playAtMs` on, directly after the frame before unless `afterGap`, which is also set
   * after `dropped`. The bytes are valid during the call only.
   */
  sent(frame: Uint8Array, playAtMs: number, afterGap: boolean): void;
  /** What was not played out from `fromMs` on was dropped. */
  dropped(fromMs: number): void;
}

export interface Cursors {
  generatedMs: number;
  sentMs: number;
  playedOutMs: number;
  complete: boolean;
}

export class Playout {
  readonly #leg: Leg;
  readonly #clock: Clock;
  readonly #listener: PlayoutListener;
  readonly #output: LegOutput;
  readonly #gain: Gain;
  readonly #frameBytes: number;
  readonly #sampleBytes: number;
  readonly #bytesPerMs: number;
  readonly #aheadMs: number;
  readonly #silenceByte: number;
  readonly #paddedFrame: Uint8Array;
  #speech: Speech | null = null;

  constructor(
    leg: Leg,
    clock: Clock,
    listener: PlayoutListener,
    background: Background | null = null,
    aheadMs: number = PLAYOUT_AHEAD_MS,
  ) {
    this.#leg = leg;
    this.#clock = clock;
    this.#listener = listener;
    this.#gain = createGain(leg.format.sample_rate);
    this.#frameBytes = frameBytes(leg.format);
    this.#sampleBytes = bytesPerSample(leg.format);
    this.#bytesPerMs = this.#frameBytes / FRAME_MS;
    this.#aheadMs = Math.max(aheadMs, packetsAheadMs(leg.packetMs));
    this.#output = createLegOutput(leg, background, this.#aheadMs, (frame, playAtMs, afterGap) =>
      listener.sent(frame, playAtMs, afterGap),
    );
    this.#silenceByte = silenceByte(leg.format.encoding);
    this.#paddedFrame = new Uint8Array(this.#frameBytes);
  }

  /** Another background from the next frame on; null: none. */
  setBackground(background: Background | null): void {
    this.#output.setBackground(background);
  }

  /** Begins a speech and drops the rest of the one before. */
  begin(id: string, paused: boolean): void {
    if (this.#speech) this.drop();
    this.#gain.set(1, 0);
    this.#output.begin();
    this.#speech = createSpeech(id, paused);
  }

  /** Appends audio, whole samples in the leg's format; ignored for any speech but the current one. */
  push(id: string, bytes: Uint8Array): void {
    const speech = this.#speech;
    if (!speech || speech.id !== id || speech.complete) return;
    appendAudio(speech, bytes);
    this.#send(this.#clock.now(), false);
  }

  /** The speech has all its audio. */
  complete(id: string): void {
    const speech = this.#speech;
    if (!speech || speech.id !== id) return;
    speech.complete = true;
    this.#send(this.#clock.now(), false);
  }

  /** Falls silent at once, here and at the carrier, and keeps what was not played out. */
  pause(): void {
    const speech = this.#speech;
    if (!speech || speech.paused) return;
    this.#silenceCarrier(speech);
    speech.paused = true;
  }

  /** Continues from the playout position. */
  resume(): void {
    const speech = this.#speech;
    if (!speech?.paused) return;
    speech.paused = false;
    this.#send(this.#clock.now(), false);
  }

  /** The carrier's socket is gone, with the audio buffered there: the speech will continue from the playout position. */
  onStreamLost(): void {
    if (this.#speech) this.#silenceCarrier(this.#speech);
    this.#output.onStreamLost();
  }

  /**
   * Ducks the speech, or brings it back to full volume, from the next frame on. Where the leg can take frames back, ducking begins
   * with the first one that is not played yet.
   */
  setDucked(ducked: boolean): void {
    const tookBack = ducked && this.#takeBack();
    this.#gain.set(ducked ? DUCKED_GAIN : 1, ducked ? DUCK_RAMP_MS : UNDUCK_RAMP_MS);
    if (tookBack) this.#send(this.#clock.now(), false);
  }

  /** Falls silent at once and forgets the rest. */
  drop(): void {
    const speech = this.#speech;
    if (!speech) return;
    this.#silenceCarrier(speech);
    this.#speech = null;
  }

  /** Returns the cursors of the current speech, or null when it has another id. */
  cursors(id: string): Cursors | null {
    const speech = this.#speech;
    if (!speech || speech.id !== id) return null;
    return {
      generatedMs: speech.generated / this.#bytesPerMs,
      sentMs: speech.sent / this.#bytesPerMs,
      playedOutMs: this.#playedOut(speech, this.#delayMs()) / this.#bytesPerMs,
      complete: speech.complete,
    };
  }

  /** The carrier returned a mark: everything before it was played, unless it was cleared. */
  onMark(name: string): void {
    if (!this.#output.onMark(name, this.#clock.now())) return;
    const speech = this.#speech;
    if (speech?.run && isSent(speech) && this.#isPlayed(speech, this.#clock.now())) this.#finish(speech);
  }

  /** The other end has read everything that was sent before the leg's ping. */
  onPong(): void {
    this.#output.onPong(this.#clock.now());
  }

  /** Sends what is due on a tick of the media clock. */
  tick(nowMs: number): void {
    this.#output.tick(nowMs);
    this.#send(nowMs, true);
  }

  #send(nowMs: number, onTick: boolean): void {
    const speech = this.#speech;
    if (speech && !speech.paused) this.#sendSpeech(speech, nowMs, onTick);
    this.#output.fillBackground(nowMs);
  }

  #sendSpeech(speech: Speech, nowMs: number, onTick: boolean): void {
    let aheadMs = this.#aheadMs - (onTick ? 0 : TICK_HEADROOM_MS);
    while (this.#isFrameDue(speech, nowMs, aheadMs)) {
      if (!this.#sendFrame(speech, nowMs)) return;
      aheadMs = this.#aheadMs - TICK_HEADROOM_MS;
    }
    if (!isSent(speech)) return;
    if (!speech.ended) this.#output.end();
    speech.ended = true;
    if (this.#isPlayed(speech, nowMs)) this.#finish(speech);
  }

  /** Whether a speech that was sent was played: by its last mark, or by the clock where none is to come. One without audio has no run. */
  #isPlayed(speech: Speech, nowMs: number): boolean {
    if (!speech.run) return true;
    if (this.#output.expectsMarks) return this.#output.confirmed >= speech.generated;
    return nowMs >= this.#endOfRunMs(speech.run, speech) + this.#delayMs();
  }

  #isFrameDue(speech: Speech, nowMs: number, aheadMs: number): boolean {
    const left = speech.generated - speech.sent;
    if (left <= 0 || (left < this.#frameBytes && !speech.complete)) return false;
    return this.#output.bufferedUntilMs - nowMs < aheadMs;
  }

  /** Returns whether the speech may go on sending. */
  #sendFrame(speech: Speech, nowMs: number): boolean {
    const first = speech.sent === 0;
    const original = this.#nextFrame(speech);
    const frame = this.#gain.apply(original, this.#leg.format.encoding);
    const sent = Math.min(speech.sent + this.#frameBytes, speech.generated);
    const playAtMs = this.#output.send(frame, sent, nowMs);
    if (playAtMs === null) return false;
    if (speech.run === null || playAtMs - this.#endOfRunMs(speech.run, speech) >= 1) {
      // The carrier ran dry or played the background meanwhile, so the positions of the old run no longer follow the clock.
      speech.run = { startMs: playAtMs, from: speech.sent };
    }
    speech.sent = sent;
    if (frame !== original) speech.softUntil = sent;
    if (first) this.#listener.started(speech.id, nowMs);
    return this.#speech === speech && !speech.paused;
  }

  #nextFrame(speech: Speech): Uint8Array {
    const end = Math.min(speech.sent + this.#frameBytes, speech.generated);
    const frame = speech.bytes.subarray(speech.sent, end);
    if (frame.length === this.#frameBytes) return frame;
    this.#paddedFrame.fill(this.#silenceByte);
    this.#paddedFrame.set(frame);
    return this.#paddedFrame;
  }

  #endOfRunMs(run: Run | null, speech: Speech): number {
    return run === null ? Number.NEGATIVE_INFINITY : run.startMs + (speech.sent - run.from) / this.#bytesPerMs;
  }

  #delayMs(): number {
    return this.#leg.playoutDelayMs ?? 0;
  }

  /**
   * Returns the playout position in bytes: by the clock, and no further than marks bear it out. Audio on its way to the caller for
   * `delayMs` is not played out yet, but it cannot be recalled either, so a speech is cut behind it.
   */
  #playedOut(speech: Speech, delayMs = 0): number {
    const run = speech.run;
    if (!run) return speech.playedOut;
    const nowMs = this.#clock.now();
    const byClock = run.from + Math.max(0, nowMs - delayMs - run.startMs) * this.#bytesPerMs;
    const bytes = Math.min(speech.sent, byClock, this.#output.limit(nowMs));
    return Math.max(speech.playedOut, Math.floor(bytes / this.#sampleBytes) * this.#sampleBytes);
  }

  /** Takes back the frames at full volume that the leg has not played, except the run's first; returns whether there were any. */
  #takeBack(): boolean {
    const speech = this.#speech;
    const run = speech?.run;
    // Frames of a ramp that are still to play are soft, and the gain cannot go back to their level.
    if (!speech || !run || speech.softUntil > this.#playedOut(speech)) return false;
    const sentFrames = Math.ceil((speech.sent - run.from) / this.#frameBytes);
    const frames = this.#output.takeBack(sentFrames - 1);
    if (frames === 0) return false;
    this.#listener.dropped(this.#output.bufferedUntilMs);
    speech.sent = run.from + (sentFrames - frames) * this.#frameBytes;
    speech.ended = false;
    return true;
  }

  #silenceCarrier(speech: Speech): void {
    const run = speech.run;
    if (!run || speech.paused) return;
    const playedOut = this.#playedOut(speech);
    const nowMs = this.#clock.now();
    if (playedOut < speech.sent) this.#output.clear(playedOut, nowMs);
    this.#listener.dropped(run.startMs + (playedOut - run.from) / this.#bytesPerMs);
    speech.playedOut = playedOut;
    speech.sent = playedOut;
    speech.run = null;
    speech.ended = false;
    this.#output.fillBackground(nowMs);
  }

  #finish(speech: Speech): void {
    speech.playedOut = speech.generated;
    speech.sent = speech.generated;
    this.#speech = null;
    this.#listener.finished(speech.id);
  }
}

/** All audio of the speech is there, and was sent. */
function isSent(speech: Speech): boolean {
  return speech.complete && speech.sent === speech.generated;
}
