import type { Clock } from '../../shared/clock.ts';
import { bytesPerSample, FRAME_MS } from '../audio/format.ts';
import { createGain, type Gain } from '../audio/gain.ts';
import { frameBytes, silenceByte } from '../audio/silence.ts';
import type { Leg } from '../leg/leg.ts';
import type { Ambient } from './ambient.ts';

/**
 * What the caller is hearing. One speech at a time is paced out to the carrier frame by frame, so that never more than
 * `LEAD_MS`, or two packets of the carrier, lie there. Three cursors per speech, in bytes of the leg: generated, sent, heard.
 *
 * A speech goes out in runs: a run is an unbroken stretch of frames at the carrier. An underrun or a hold ends it. Marks
 * carry the run's number, and a mark of a run that was cleared proves nothing, whatever the carrier returns.
 */

/** So much sound lies at the carrier while speaking: enough for its jitter and ours, little enough to fall silent fast. */
export const PLAYOUT_AHEAD_MS = 120;
/**
 * A beat sends its frame while the lead is not full. Between beats, and beyond a beat's own frame, it is filled only so far
 * that the next beat has room for its own, though it come some milliseconds early, or the one before late: a beat left
 * out is a gap of 40 ms on the wire.
 */
const TICK_HEADROOM_MS = FRAME_MS + 10;
/** With a background sound, so much of it lies ahead between speeches: enough that the line never runs dry. */
const BACKGROUND_AHEAD_MS = 40;
/** A mark is asked for after every so many frames, and after the last. */
const MARK_EVERY_FRAMES = 10;
/** When the last mark does not come back, the speech counts as heard this long after its sound ended by the clock. */
const MARK_GRACE_MS = 1_500;
/** How loud the agent goes on while the caller's voice is heard, about 10 dB down, and how fast it gets there and back. */
const DUCKED_GAIN = 0.3;
const DUCK_RAMP_MS = 40;
const UNDUCK_RAMP_MS = 200;

/** The speech's audio while it is kept: it can be rewound to what was heard. */
interface Speech {
  id: string;
  bytes: Uint8Array;
  generated: number;
  sent: number;
  playedOut: number;
  /** All audio was given. */
  complete: boolean;
  /** Nothing is sent while held. */
  paused: boolean;
  run: Run | null;
  finishedByMs: number | null;
}

interface Run {
  number: number;
  startMs: number;
  /** Position in the speech where the run begins, bytes. */
  from: number;
  framesSinceMark: number;
  /** Position the last mark stands for. */
  onMark: number;
}

/** A sound that goes on under and between speeches: `playout/ambient.ts`. */
export type Background = Pick<Ambient, 'mixInto' | 'rewind'>;

export interface PlayoutListener {
  /** The first frame of the speech went to the carrier. */
  started(speechId: string, atMs: number): void;
  /** Everything was heard, or must have been. */
  finished(speechId: string): void;
  /**
   * 20 ms went out that the caller hears from `hearMs` on, right after the frame before unless `afterGap`. The bytes are
   * only valid during the call. For the recording.
   */
  sent(frame: Uint8Array, hearMs: number, afterGap: boolean): void;
  /** What was to be heard from `fromMs` on was dropped. */
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
  #speech: Speech | null = null;
  #runs = 0;
  readonly #frameBytes: number;
  readonly #sampleBytes: number;
  readonly #bytesPerMs: number;
  readonly #leadMs: number;
  readonly #backgroundLeadMs: number;
  readonly #padded: Uint8Array;
  readonly #silence: number;
  readonly #gain: Gain;
  readonly #background: Background | null;
  readonly #stillness: Uint8Array;
  /** What was sent is heard until then. */
  #lineEndMs = Number.NEGATIVE_INFINITY;
  /** What was sent before was cleared. */
  #gap = true;

  constructor(leg: Leg, clock: Clock, listener: PlayoutListener, background: Background | null = null) {
    this.#leg = leg;
    this.#clock = clock;
    this.#listener = listener;
    this.#background = background;
    this.#frameBytes = frameBytes(leg.format);
    this.#sampleBytes = bytesPerSample(leg.format);
    this.#bytesPerMs = this.#frameBytes / FRAME_MS;
    this.#leadMs = Math.max(PLAYOUT_AHEAD_MS, leg.packetMs * 2);
    this.#backgroundLeadMs = Math.max(BACKGROUND_AHEAD_MS, leg.packetMs * 2);
    this.#gain = createGain(leg.format.sample_rate);
    this.#silence = silenceByte(leg.format.encoding);
    this.#padded = new Uint8Array(this.#frameBytes);
    this.#stillness = new Uint8Array(this.#frameBytes).fill(this.#silence);
  }

  /** Makes this the speech; what another one had left is dropped. */
  begin(id: string, held: boolean): void {
    if (this.#speech) this.drop();
    this.#gain.set(1, 0);
    this.#speech = {
      id,
      bytes: new Uint8Array(32_000),
      generated: 0,
      sent: 0,
      playedOut: 0,
      complete: false,
      paused: held,
      run: null,
      finishedByMs: null,
    };
  }

  /** More audio of the speech, whole samples in the leg's format; ignored for any speech but the present one. */
  push(id: string, bytes: Uint8Array): void {
    const speech = this.#speech;
    if (!speech || speech.id !== id || speech.complete) return;
    if (speech.generated + bytes.length > speech.bytes.length) {
      const larger = new Uint8Array(Math.max(speech.bytes.length * 2, speech.generated + bytes.length));
      larger.set(speech.bytes.subarray(0, speech.generated));
      speech.bytes = larger;
    }
    speech.bytes.set(bytes, speech.generated);
    speech.generated += bytes.length;
    this.#tick(this.#clock.now(), false);
  }

  /** The speech has all its audio. */
  complete(id: string): void {
    const speech = this.#speech;
    if (!speech || speech.id !== id) return;
    speech.complete = true;
    this.#tick(this.#clock.now(), false);
  }

  /** Falls silent at once, here and at the carrier, and keeps the unheard rest. */
  pause(): void {
    const speech = this.#speech;
    if (!speech || speech.paused) return;
    this.#silenceCarrier(speech);
    speech.paused = true;
  }

  /** Goes on from the last word that was heard. */
  resume(): void {
    const speech = this.#speech;
    if (!speech?.paused) return;
    speech.paused = false;
    this.#tick(this.#clock.now(), false);
  }

  /** What lay at the carrier is lost with its socket: the speech goes on, when it can, from the last sample heard. */
  onStreamLost(): void {
    if (this.#speech) this.#silenceCarrier(this.#speech);
    else this.#gap = true;
  }

  /** Speaks more softly from the next frame on, or aloud again. */
  setDucked(softly: boolean): void {
    this.#gain.set(softly ? DUCKED_GAIN : 1, softly ? DUCK_RAMP_MS : UNDUCK_RAMP_MS);
  }

  /** Falls silent at once and forgets the rest. */
  drop(): void {
    const speech = this.#speech;
    if (!speech) return;
    this.#silenceCarrier(speech);
    this.#speech = null;
  }

  /** The present speech's cursors, or null when there is none of this id. */
  cursors(id: string): Cursors | null {
    const speech = this.#speech;
    if (!speech || speech.id !== id) return null;
    return {
      generatedMs: speech.generated / this.#bytesPerMs,
      sentMs: speech.sent / this.#bytesPerMs,
      playedOutMs: this.#heardNow(speech, this.#delayMs()) / this.#bytesPerMs,
      complete: speech.complete,
    };
  }

  /** The carrier says that what came before the mark was played. */
  onMark(name: string): void {
    const speech = this.#speech;
    const [id, run, position] = name.split(' ');
    if (!speech?.run || speech.id !== id || speech.run.number !== Number(run)) return;
    const bytes = Math.min(Number(position), speech.sent);
    if (!(bytes > speech.playedOut)) return;
    speech.playedOut = bytes;
    if (speech.complete && bytes >= speech.generated) this.#finish(speech);
  }

  /** A beat of the metronome: sends what is due. */
  tick(nowMs: number): void {
    this.#tick(nowMs, true);
  }

  #tick(nowMs: number, onBeat: boolean): void {
    const speech = this.#speech;
    if (speech && !speech.paused) this.#sendSpeech(speech, nowMs, onBeat);
    if (this.#background) this.#fillBackground(nowMs);
  }

  #sendSpeech(speech: Speech, nowMs: number, onBeat: boolean): void {
    let leadMs = this.#leadMs - (onBeat ? 0 : TICK_HEADROOM_MS);
    while (this.#frameDue(speech, nowMs, leadMs)) {
      if (!this.#sendFrame(speech, nowMs)) return;
      leadMs = this.#leadMs - TICK_HEADROOM_MS;
    }
    if (!speech.complete || speech.sent < speech.generated) return;
    if (speech.finishedByMs === null) {
      if (!this.#background) this.#leg.flush();
      if (speech.run && speech.run.onMark < speech.sent) this.#mark(speech, speech.run);
      // A speech without any sound has no run, and is over at once.
      const graceMs = this.#leg.playback.marks ? MARK_GRACE_MS : 0;
      speech.finishedByMs = this.#endOfRunMs(speech.run, speech) + graceMs + this.#delayMs();
    }
    if (nowMs >= speech.finishedByMs) this.#finish(speech);
  }

  #frameDue(speech: Speech, nowMs: number, leadMs: number): boolean {
    const left = speech.generated - speech.sent;
    if (left <= 0 || (left < this.#frameBytes && !speech.complete)) return false;
    return this.#lineEndMs - nowMs < leadMs;
  }

  #sendFrame(speech: Speech, nowMs: number): boolean {
    const first = speech.sent === 0;
    const left = speech.generated - speech.sent;
    let frame = speech.bytes.subarray(speech.sent, speech.sent + this.#frameBytes);
    if (left < this.#frameBytes) {
      this.#padded.fill(this.#silence);
      this.#padded.set(speech.bytes.subarray(speech.sent, speech.generated));
      frame = this.#padded;
    }
    const hearMs = this.#send(this.#gain.apply(frame, this.#leg.format.encoding), nowMs);
    if (hearMs === null) return false;
    let run = speech.run;
    if (run === null || hearMs - this.#endOfRunMs(run, speech) >= 1) {
      // The carrier ran dry, or had other sound to play: this is heard from now on, not from where the run would be.
      run = { number: ++this.#runs, startMs: hearMs, from: speech.sent, framesSinceMark: 0, onMark: speech.sent };
      if (speech.run) speech.playedOut = speech.sent;
      speech.run = run;
    }
    speech.sent = Math.min(speech.sent + this.#frameBytes, speech.generated);
    run.framesSinceMark++;
    if (run.framesSinceMark >= MARK_EVERY_FRAMES) this.#mark(speech, run);
    if (first) this.#listener.started(speech.id, nowMs);
    return this.#speech === speech && !speech.paused;
  }

  /** Puts a frame on the line, over the background; from when on it is heard, or null when the line takes nothing. */
  #send(frame: Uint8Array, nowMs: number): number | null {
    const mixed = this.#background ? this.#background.mixInto(frame, this.#leg.format.encoding) : frame;
    if (!this.#leg.play(mixed)) {
      this.#background?.rewind(this.#frameBytes / this.#sampleBytes);
      return null;
    }
    const dry = this.#gap || this.#lineEndMs < nowMs;
    const hearMs = dry ? nowMs : this.#lineEndMs;
    this.#gap = false;
    this.#lineEndMs = hearMs + FRAME_MS;
    this.#listener.sent(mixed, hearMs, dry);
    return hearMs;
  }

  #mark(speech: Speech, run: Run): void {
    run.framesSinceMark = 0;
    run.onMark = speech.sent;
    this.#leg.mark(`${speech.id} ${run.number} ${speech.sent}`);
  }

  #endOfRunMs(run: Run | null, speech: Speech): number {
    return run === null ? Number.NEGATIVE_INFINITY : run.startMs + (speech.sent - run.from) / this.#bytesPerMs;
  }

  #delayMs(): number {
    return this.#leg.playoutDelayMs ?? 0;
  }

  /**
   * By marks where they came, by the clock beyond the last one. What is on its way to the caller for `delayMs` is not heard
   * yet; but it cannot be called back either, so that a speech that is silenced ends behind it.
   */
  #heardNow(speech: Speech, delayMs = 0): number {
    const run = speech.run;
    if (!run) return speech.playedOut;
    const byClock = run.from + Math.max(0, this.#clock.now() - delayMs - run.startMs) * this.#bytesPerMs;
    const whole = Math.floor(byClock / this.#sampleBytes) * this.#sampleBytes;
    return Math.max(speech.playedOut, Math.min(speech.sent, whole));
  }

  #silenceCarrier(speech: Speech): void {
    const run = speech.run;
    if (!run || speech.paused) return;
    const heard = this.#heardNow(speech);
    const nowMs = this.#clock.now();
    if (heard < speech.sent) {
      this.#leg.clear();
      const lineBytes = Math.max(0, (this.#lineEndMs - nowMs) * this.#bytesPerMs);
      this.#background?.rewind(Math.round(lineBytes / this.#sampleBytes));
      this.#lineEndMs = nowMs;
      this.#gap = true;
    }
    this.#listener.dropped(run.startMs + (heard - run.from) / this.#bytesPerMs);
    speech.playedOut = heard;
    speech.sent = heard;
    speech.run = null;
    speech.finishedByMs = null;
    // No hole in the background.
    if (this.#background) this.#fillBackground(nowMs);
  }

  #fillBackground(nowMs: number): void {
    while (this.#lineEndMs - nowMs < this.#backgroundLeadMs) if (this.#send(this.#stillness, nowMs) === null) return;
  }

  #finish(speech: Speech): void {
    speech.playedOut = speech.generated;
    speech.sent = speech.generated;
    this.#speech = null;
    this.#listener.finished(speech.id);
  }
}
