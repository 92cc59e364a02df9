import type { Clock } from '../../shared/clock.ts';
import type { Converter } from '../audio/converter.ts';
import { FRAME_MS, frameBytes } from '../audio/format.ts';
import type { Playout } from '../playout/playout.ts';
import { createSpokenText, type SpokenText, type TextSegment } from '../playout/spoken-text.ts';
import { ProviderError } from '../provider/provider-error.ts';
import type { TurnTimings } from '../report/turn-timings.ts';
import { countAlphanumerics } from '../tts/character-alignment.ts';
import type { Synthesizer, SynthesizerEvent } from '../tts/synthesizer.ts';

export interface ReplySpeechDependencies {
  clock: Clock;
  playout: Playout;
  /** The synthesizer of the language that the agent speaks now; a reply keeps the one that it began with. */
  synthesizer(): Synthesizer;
  /** Converts the synthesizer's audio into the leg's format; stateful, so each attempt needs its own. */
  newConverter(): Converter;
}

export interface ReplySpeechListener {
  /** The first audio is about to be handed to playout: should it wait because the caller is speaking? */
  shouldWaitForCaller(): boolean;
  /** `fatal`: nothing was heard, and there is no further attempt. */
  onFailure(error: ProviderError, fatal: boolean): void;
  /** Synthesis failed after the first audio: the speech ends before its text does. */
  onTruncated(): void;
}

/** Without audio for so long after the last of it, and after the last text, all text so far has been spoken. */
const ALL_SPOKEN_AFTER_MS = 500;
/** No voice speaks faster: with less audio than this for its text, the synthesizer has stopped in the middle. */
const FASTEST_MS_PER_CHARACTER = 40;

/** What is kept of a preemptive reply until the caller's words are confirmed. */
interface Buffered {
  audio: Uint8Array[];
  failures: ProviderError[];
  done: boolean;
}

/**
 * Speaks the segments of one reply: gives them to the synthesizer and its audio to playout. A synthesizer that fails before
 * its first audio gets a second attempt. Events of other contexts are ignored.
 */
export class ReplySpeech {
  readonly spokenText: SpokenText = createSpokenText();
  /** Audio ends before the text does. */
  truncated = false;
  audioMs = 0;

  readonly #id: string;
  readonly #timings: TurnTimings;
  readonly #dependencies: ReplySpeechDependencies;
  readonly #listener: ReplySpeechListener;
  readonly #synthesizer: Synthesizer;
  #contextId: string;
  #attempt = 1;
  #converter: Converter;
  #segments: TextSegment[] = [];
  #began = false;
  #textComplete = false;
  #cancelled = false;
  /** Monotonic time of the last text or audio. */
  #changedMs = 0;
  #buffered: Buffered | null = null;

  constructor(id: string, timings: TurnTimings, dependencies: ReplySpeechDependencies, listener: ReplySpeechListener) {
    this.#id = id;
    this.#timings = timings;
    this.#dependencies = dependencies;
    this.#listener = listener;
    this.#contextId = id;
    this.#synthesizer = dependencies.synthesizer();
    this.#converter = dependencies.newConverter();
  }

  /** Segments so far. */
  get length(): number {
    return this.#segments.length;
  }

  /** The audio of all text so far exists, as when the reply waits for a tool: a synthesizer reports the end of the last text only. */
  get allSpoken(): boolean {
    if (!this.#began || this.#dependencies.clock.now() - this.#changedMs < ALL_SPOKEN_AFTER_MS) return false;
    const characters = this.#segments.reduce((sum, { spoken }) => sum + spoken.length, 0);
    return this.audioMs >= characters * FASTEST_MS_PER_CHARACTER;
  }

  /** Whether a segment from this index on makes a sound. */
  isSpeakable(from = 0): boolean {
    return this.#segments.some((segment, index) => index >= from && isSpeakable(segment));
  }

  add(segment: TextSegment): void {
    if (this.#cancelled) return;
    this.#changedMs = this.#dependencies.clock.now();
    this.#timings.firstSegmentMs ??= this.#changedMs;
    this.#segments.push(segment);
    this.spokenText.add(segment);
    const isVoiced = segment.voiced === true && this.#attempt === 1;
    if (isSpeakable(segment) && !isVoiced) this.#synthesizer.speak(this.#contextId, segment.spoken);
  }

  /** Sets off what follows with a space: the model did not write it in one with the text so far. */
  separate(): void {
    const last = this.#segments.at(-1);
    if (this.#cancelled || !last || /\s$/u.test(last.original)) return;
    const space = { original: ' ', spoken: '' };
    this.#segments.push(space);
    this.spokenText.add(space);
  }

  /** Removes the segments from this index on, unless one makes a sound, and returns their original text. */
  removeUnspeakable(index: number): string {
    if (this.isSpeakable(index)) return '';
    this.spokenText.removeFrom(index);
    return this.#segments
      .splice(index)
      .map((segment) => segment.original)
      .join('');
  }

  /** Plays audio in the leg's format, all of it, instead of speech. */
  playAudio(bytes: Uint8Array): void {
    const { playout } = this.#dependencies;
    this.#began = true;
    playout.begin(this.#id, false);
    playout.push(this.#id, bytes);
    playout.complete(this.#id);
  }

  /** No more segments follow. */
  end(): void {
    this.#textComplete = true;
    this.#synthesizer.end(this.#contextId);
  }

  /** Stops the synthesizer; what playout already has is not touched. */
  cancel(): void {
    this.#cancelled = true;
    this.#synthesizer.cancel(this.#contextId);
  }

  /** So much was played out, and no more will be. */
  settle(playedOutMs: number): void {
    this.#synthesizer.playedOut?.(this.#contextId, playedOutMs);
  }

  /** Keeps audio and failures from now on until `release`. */
  buffer(): void {
    this.#buffered = { audio: [], failures: [], done: false };
  }

  /** Hands over what was buffered, as if it came now. */
  release(): void {
    const buffered = this.#buffered;
    this.#buffered = null;
    if (!buffered) return;
    for (const bytes of buffered.audio) if (!this.#cancelled) this.#play(bytes);
    for (const error of buffered.failures) if (!this.#cancelled) this.#onFailed(error);
    if (buffered.done && !this.#cancelled) this.#onDone();
  }

  onSynthesizerEvent(event: SynthesizerEvent): void {
    if (this.#cancelled) return;
    if (event.type === 'failed') {
      if (event.contextId === null || event.contextId === this.#contextId) this.#onFailed(event.error);
      return;
    }
    if (event.contextId !== this.#contextId) return;
    switch (event.type) {
      case 'audio':
        this.#play(this.#converter.convert(event.bytes));
        break;
      case 'timing':
        this.spokenText.addTimings(event.text, event.startMs);
        break;
      case 'done':
        this.#play(this.#converter.flush());
        if (this.#buffered) this.#buffered.done = true;
        else this.#onDone();
        break;
    }
  }

  #play(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const { playout, clock } = this.#dependencies;
    this.#changedMs = clock.now();
    this.#timings.firstAudioMs ??= this.#changedMs;
    if (this.#buffered) {
      // The converter reuses its buffer.
      this.#buffered.audio.push(bytes.slice());
      return;
    }
    if (!this.#began) {
      this.#began = true;
      playout.begin(this.#id, this.#listener.shouldWaitForCaller());
    }
    this.audioMs += (bytes.length / frameBytes(this.#converter.to)) * FRAME_MS;
    playout.push(this.#id, bytes);
  }

  #onDone(): void {
    const { playout } = this.#dependencies;
    if (this.#began) playout.complete(this.#id);
    else this.#onFailed(new ProviderError(this.#synthesizer.provider, 'unavailable', 'no audio for a text'));
  }

  #onFailed(error: ProviderError): void {
    if (this.#buffered) {
      this.#buffered.failures.push(error);
      return;
    }
    const retry = !this.#began && this.#attempt === 1;
    this.#listener.onFailure(error, !retry && !this.#began);
    if (this.#cancelled) return;
    if (retry) this.#speakAgain();
    else {
      this.truncated = true;
      if (this.#began) this.#dependencies.playout.complete(this.#id);
      this.#listener.onTruncated();
    }
  }

  #speakAgain(): void {
    this.#attempt++;
    this.#contextId = `${this.#id}.${this.#attempt}`;
    this.#converter = this.#dependencies.newConverter();
    for (const segment of this.#segments) {
      if (isSpeakable(segment)) this.#synthesizer.speak(this.#contextId, segment.spoken);
    }
    if (this.#textComplete) this.#synthesizer.end(this.#contextId);
  }
}

/** Markup or punctuation alone belongs to the transcript, but no synthesizer makes a sound of it. */
function isSpeakable(segment: TextSegment): boolean {
  return countAlphanumerics(segment.spoken) > 0;
}
