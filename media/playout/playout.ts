import type { Clock } from '../../shared/clock.ts';
import { bytesPerSample, FRAME_MS, frameBytes, silenceByte } from '../audio/format.ts';
import { createGain, type Gain } from '../audio/gain.ts';
import type { Leg } from '../leg/leg.ts';
import { type Background, createLegOutput, type LegOutput } from './leg-output.ts';
import { appendAudio, createSpeech, type Run, type Speech } from './speech.ts';

/**
 * Plays the agent's speech to the caller, one speech at a time, frame by frame, so that at most `PLAYOUT_AHEAD_MS` or two
 * packets of the carrier are buffered there. Keeps three cursors per speech, in bytes of the leg: generated, sent, played out.
 *
 * A speech is sent in runs: a run is an unbroken sequence of frames at the carrier, ended by an underrun or a pause. Marks
 * carry the run's number, so a mark of a run that was cleared confirms nothing, whatever the carrier returns.
 */

/** Speech buffered at the carrier: enough for its jitter and this engine's, short enough to fall silent quickly. */
export const PLAYOUT_AHEAD_MS = 120;
/**
 * A tick sends its frame while less than the limit is buffered. Between ticks, and beyond a tick's own frame, this much room
 * is left so that the next tick can send its frame even if it comes early, or the last one came late: a skipped tick would be
 * a gap of 40 ms on the network.
 */
const TICK_HEADROOM_MS = FRAME_MS + 10;
/** A mark is requested after this many frames, and after the last one. */
const MARK_EVERY_FRAMES = 10;
/** Without its last mark, a speech counts as played out this long after its audio ended by the clock. */
const MARK_GRACE_MS = 1_500;
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
  readonly #hasBackground: boolean;
  readonly #output: LegOutput;
  readonly #gain: Gain;
  readonly #frameBytes: number;
  readonly #sampleBytes: number;
  readonly #bytesPerMs: number;
  readonly #aheadMs: number;
  readonly #silenceByte: number;
  readonly #paddedFrame: Uint8Array;
  #speech: Speech | null = null;
  #runs = 0;

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
    this.#hasBackground = background !== null;
    this.#output = createLegOutput(leg, background, (frame, playAtMs, afterGap) =>
      listener.sent(frame, playAtMs, afterGap),
    );
    this.#gain = createGain(leg.format.sample_rate);
    this.#frameBytes = frameBytes(leg.format);
    this.#sampleBytes = bytesPerSample(leg.format);
    this.#bytesPerMs = this.#frameBytes / FRAME_MS;
    this.#aheadMs = Math.max(aheadMs, leg.packetMs * 2);
    this.#silenceByte = silenceByte(leg.format.encoding);
    this.#paddedFrame = new Uint8Array(this.#frameBytes);
  }

  /** Begins a speech and drops the rest of the one before. */
  begin(id: string, paused: boolean): void {
    if (this.#speech) this.drop();
    this.#gain.set(1, 0);
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
    else this.#output.markGap();
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

  /** The carrier confirms that everything before the mark was played. */
  onMark(name: string): void {
    const speech = this.#speech;
    const [id, run, position] = name.split(' ');
    if (!speech?.run || speech.id !== id || speech.run.number !== Number(run)) return;
    const bytes = Math.min(Number(position), speech.sent);
    if (!(bytes > speech.playedOut)) return;
    speech.playedOut = bytes;
    if (speech.complete && bytes >= speech.generated) this.#finish(speech);
  }

  /** Sends what is due on a tick of the media clock. */
  tick(nowMs: number): void {
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
    if (!speech.complete || speech.sent < speech.generated) return;
    if (speech.finishedByMs === null) {
      if (!this.#hasBackground) this.#leg.flush();
      if (speech.run && speech.run.marked < speech.sent) this.#requestMark(speech, speech.run);
      // A speech without audio has no run and is finished at once.
      const graceMs = this.#leg.playback.marks ? MARK_GRACE_MS : 0;
      speech.finishedByMs = this.#endOfRunMs(speech.run, speech) + graceMs + this.#delayMs();
    }
    if (nowMs >= speech.finishedByMs) this.#finish(speech);
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
    const playAtMs = this.#output.send(frame, nowMs);
    if (playAtMs === null) return false;
    let run = speech.run;
    if (run === null || playAtMs - this.#endOfRunMs(run, speech) >= 1) {
      // The carrier ran dry or played the background meanwhile, so the positions of the old run no longer follow the clock.
      run = { number: ++this.#runs, startMs: playAtMs, from: speech.sent, framesSinceMark: 0, marked: speech.sent };
      if (speech.run) speech.playedOut = speech.sent;
      speech.run = run;
    }
    speech.sent = Math.min(speech.sent + this.#frameBytes, speech.generated);
    if (frame !== original) speech.softUntil = speech.sent;
    run.framesSinceMark++;
    if (run.framesSinceMark >= MARK_EVERY_FRAMES) this.#requestMark(speech, run);
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

  #requestMark(speech: Speech, run: Run): void {
    run.framesSinceMark = 0;
    run.marked = speech.sent;
    this.#leg.mark(`${speech.id} ${run.number} ${speech.sent}`);
  }

  #endOfRunMs(run: Run | null, speech: Speech): number {
    return run === null ? Number.NEGATIVE_INFINITY : run.startMs + (speech.sent - run.from) / this.#bytesPerMs;
  }

  #delayMs(): number {
    return this.#leg.playoutDelayMs ?? 0;
  }

  /**
   * Returns the playout position in bytes: by marks where they came, by the clock beyond the last one. Audio on its way to the
   * caller for `delayMs` is not played out yet, but it cannot be recalled either, so a speech is cut behind it.
   */
  #playedOut(speech: Speech, delayMs = 0): number {
    const run = speech.run;
    if (!run) return speech.playedOut;
    const byClock = run.from + Math.max(0, this.#clock.now() - delayMs - run.startMs) * this.#bytesPerMs;
    const wholeSamples = Math.floor(byClock / this.#sampleBytes) * this.#sampleBytes;
    return Math.max(speech.playedOut, Math.min(speech.sent, wholeSamples));
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
    speech.finishedByMs = null;
    // Marks behind this position say nothing any more.
    run.number = ++this.#runs;
    run.framesSinceMark = 0;
    run.marked = Math.min(run.marked, speech.sent);
    return true;
  }

  #silenceCarrier(speech: Speech): void {
    const run = speech.run;
    if (!run || speech.paused) return;
    const playedOut = this.#playedOut(speech);
    const nowMs = this.#clock.now();
    if (playedOut < speech.sent) this.#output.clear(nowMs);
    this.#listener.dropped(run.startMs + (playedOut - run.from) / this.#bytesPerMs);
    speech.playedOut = playedOut;
    speech.sent = playedOut;
    speech.run = null;
    speech.finishedByMs = null;
    this.#output.fillBackground(nowMs);
  }

  #finish(speech: Speech): void {
    speech.playedOut = speech.generated;
    speech.sent = speech.generated;
    this.#speech = null;
    this.#listener.finished(speech.id);
  }
}
