import type { Clock } from '../../shared/clock.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { ConcurrencyPermit } from '../provider/concurrency-permits.ts';
import { createDeadline } from '../provider/deadline.ts';
import { createResumableText } from './resumable-text.ts';
import type { Synthesizer, SynthesizerEvent, SynthesizerListener } from './synthesizer.ts';

/** First audio of a text, from a synthesizer that has spoken before and from a fallback that has not. */
export const FIRST_AUDIO_MS = 1_100;
export const COLD_FIRST_AUDIO_MS = 3_500;
/** Between two audio events of a text that is not spoken to its end. */
export const NEXT_AUDIO_MS = 1_500;
/** Instead of all three when there is no further fallback. */
const LAST_CHOICE_AUDIO_MS = 5_000;

/** One reply: its text, the choice that speaks it, and how long that may be silent. */
export interface FallbackContext {
  readonly id: string;
  /** Which synthesizer speaks it. */
  readonly choice: number;
  /** Its id at that synthesizer; a new one for every attempt. */
  readonly attemptId: string;
  permit: ConcurrencyPermit | null;
  /** Until then text is kept and not sent. */
  waitsForPermit: boolean;
  retried: boolean;
  speak(text: string): void;
  end(): void;
  /** Gives the context to another choice, without its permit, and resumes there. */
  moveTo(choice: number): void;
  /** Its choice has no connection now: text is kept until `resume`. */
  wait(): void;
  /** Sends the rest of the text as a new attempt, once there is a connection and no permit is waited for. */
  resume(): void;
  cancelAttempt(): void;
  /** An event of the present attempt. */
  handle(event: Extract<SynthesizerEvent, { type: 'audio' | 'timing' | 'done' }>): void;
  /** Stops the deadline and releases the permit. Nothing is emitted any more. */
  close(): void;
}

/** A choice that is in use. */
export interface SynthesizerInstance {
  synthesizer: Synthesizer;
  /** Null until it is connected. */
  openedAtMs: number | null;
  /** It has sent audio. */
  warm: boolean;
}

export interface FallbackContextOptions {
  id: string;
  choice: number;
  lastChoice: number;
  outputFormat: AudioFormat;
  clock: Clock;
  listener: SynthesizerListener;
  instanceOf(choice: number): SynthesizerInstance | undefined;
  /** All of its text has been spoken. */
  onDone(context: FallbackContext): void;
  /** The present attempt has its first audio. */
  onFirstAudio(context: FallbackContext): void;
  /** Its synthesizer was silent for `silentMs`, or done without any audio. */
  onSilent(context: FallbackContext, kind: 'timeout' | 'unavailable', reason: string, silentMs: number): void;
}

export function createFallbackContext(options: FallbackContextOptions): FallbackContext {
  const { id, lastChoice, clock, instanceOf, onDone, onFirstAudio, onSilent } = options;
  const text = createResumableText(id, options.outputFormat, options.listener);
  const deadline = createDeadline(clock, FIRST_AUDIO_MS, () => {
    const reason = text.audioMs > 0 ? 'audio stopped in the middle of a text' : 'no first audio';
    onSilent(context, 'timeout', reason, allowedMs());
  });
  let { choice } = options;
  let attemptId = id;
  let attempts = 0;
  let ended = false;
  let closed = false;

  function armDeadline(): void {
    // A synthesizer that has spoken all of its text waits for more.
    if (text.audioMs > 0 && !ended && text.isSpoken()) {
      deadline.stop();
      return;
    }
    deadline.start(allowedMs());
  }

  function allowedMs(): number {
    if (choice >= lastChoice) return LAST_CHOICE_AUDIO_MS;
    if (text.audioMs > 0) return NEXT_AUDIO_MS;
    return choice === 0 || instanceOf(choice)?.warm ? FIRST_AUDIO_MS : COLD_FIRST_AUDIO_MS;
  }

  const context: FallbackContext = {
    id,
    get choice() {
      return choice;
    },
    get attemptId() {
      return attemptId;
    },
    permit: null,
    waitsForPermit: false,
    retried: false,
    speak(more) {
      text.add(more);
      const synthesizer = instanceOf(choice)?.synthesizer;
      if (context.waitsForPermit || !synthesizer) return;
      text.sent(more, synthesizer.output);
      synthesizer.speak(attemptId, more);
      if (!deadline.running) armDeadline();
    },
    end() {
      if (ended) return;
      ended = true;
      const synthesizer = instanceOf(choice)?.synthesizer;
      if (context.waitsForPermit || !synthesizer) return;
      synthesizer.end(attemptId);
      if (!deadline.running) armDeadline();
    },
    moveTo(next) {
      if (next !== choice) {
        context.permit?.release();
        context.permit = null;
      }
      choice = next;
      context.resume();
    },
    wait: () => deadline.stop(),
    resume() {
      const synthesizer = instanceOf(choice)?.synthesizer;
      if (context.waitsForPermit || !synthesizer) return;
      attemptId = `${id}~${++attempts}`;
      const rest = text.resumeWith(synthesizer.output);
      if (rest === null) {
        if (ended) onDone(context);
        return;
      }
      synthesizer.speak(attemptId, rest);
      if (ended) synthesizer.end(attemptId);
      armDeadline();
    },
    cancelAttempt: () => instanceOf(choice)?.synthesizer.cancel(attemptId),
    handle(event) {
      switch (event.type) {
        case 'audio':
          if (text.audioMs === 0) onFirstAudio(context);
          text.audio(event.bytes);
          // The listener may have cancelled the context.
          if (!closed) armDeadline();
          return;
        case 'timing':
          text.timing(event.text, event.startMs);
          return;
        case 'done':
          if (text.finish()) onDone(context);
          else onSilent(context, 'unavailable', 'no audio for a text', 0);
      }
    },
    close() {
      closed = true;
      deadline.stop();
      context.permit?.release();
      context.permit = null;
    },
  };
  return context;
}
