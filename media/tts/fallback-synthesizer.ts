import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { ConcurrencyPermit, ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import { createDeadline, type Deadline } from '../provider/deadline.ts';
import { asProviderError, ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { createResumableText, type ResumableText } from './resumable-text.ts';
import type { Synthesizer, SynthesizerEvent, SynthesizerListener } from './synthesizer.ts';

/**
 * One voice made of several: the agent's own and those that stand in for it. When one fails, the next takes over for the
 * rest of the call, in the middle of a sentence where it must be: it goes on with the first word that was not said to its
 * end, so nothing is said twice. To the call it is one voice in the line's format, and its contexts never break.
 *
 * A connection that lasted and broke is first made anew: idle ones are closed by the best of providers. Every reply takes a
 * place of its voice's account; where there is none, another voice speaks that one reply.
 */

export interface VoiceName {
  provider: string;
  model: string;
  voice_id: string;
  voice_name: string;
  language: string;
}

export interface SynthesizerChoice {
  name: VoiceName;
  /** The account whose places it uses; empty where there is nothing to count. */
  account: string;
  /** Throws ProviderError where this engine cannot have it. */
  create(listener: SynthesizerListener): Synthesizer;
}

export interface FallbackSynthesizerOptions {
  /** The agent's own voice first; at least one. */
  choices: readonly SynthesizerChoice[];
  line: AudioFormat;
  permits: Pick<ConcurrencyPermits, 'tryAcquire' | 'acquire' | 'reportRefusal'>;
  clock: Clock;
  log: Logger;
  listener: SynthesizerListener;
  /** Another voice speaks from now on. */
  onFallback(change: { kind: ProviderFailure; reason: string; from: VoiceName; to: VoiceName }): void;
  /** An account was at its limit: another voice spoke that reply, or (`to` null) its own did anyway. */
  onCapacity(change: { from: VoiceName; to: VoiceName | null }): void;
}

export interface FallbackSynthesizer extends Synthesizer {
  /** Who speaks now, for the bill. */
  readonly serving: VoiceName;
}

/** From a text to its first sound, with a voice that has spoken before; a stand-in that has not gets longer. */
export const FIRST_AUDIO_MS = 1_100;
export const COLD_FIRST_AUDIO_MS = 3_500;
/** Between two sounds of a text that is not said to its end. */
export const NEXT_AUDIO_MS = 1_500;
/** Without a stand-in, patience is all there is. */
const LAST_RESORT_MS = 5_000;
/** A second connection is tried only when the first one lasted. */
const RECONNECT_AFTER_MS = 10_000;

/** A reply waits so long for a place at its provider. */
export const PERMIT_WAIT_MS = 1_500;

interface Context {
  id: string;
  /** Which voice speaks it. */
  choice: number;
  /** Its name at the provider; a new one for every attempt. */
  attemptId: string;
  text: ResumableText;
  ended: boolean;
  deadline: Deadline;
  retried: boolean;
  permit: ConcurrencyPermit | null;
  /** A place is waited for. */
  waitsForPermit: boolean;
}

/** A choice that was made: its voice and what is known of it. */
interface Instance {
  synthesizer: Synthesizer;
  openedAtMs: number;
  /** It has given sound. */
  warm: boolean;
}

export function createFallbackSynthesizer(options: FallbackSynthesizerOptions): FallbackSynthesizer {
  const { choices, line, permits: places, clock, log, listener } = options;
  const contexts = new Map<string, Context>();
  const seats = new Map<number, Instance>();
  /** Who speaks what is begun now. */
  let at = 0;
  let attempts = 0;
  let closed = false;
  let lost = false;

  /** Makes the voice of a choice. Throws ProviderError. */
  function begin(choice: number): Instance {
    const made = choices[choice]!.create((event) => {
      if (seats.get(choice)?.synthesizer === made && !closed) take(choice, event);
    });
    const seat: Instance = { synthesizer: made, openedAtMs: clock.now(), warm: false };
    seats.set(choice, seat);
    made.open().catch((error: unknown) => {
      if (seats.get(choice) === seat && !closed) failed(choice, asProviderError(error, made.provider), null);
    });
    return seat;
  }

  function take(choice: number, event: SynthesizerEvent): void {
    if (event.type === 'failed') {
      const context = event.contextId === null ? null : contextOf(event.contextId);
      if (event.contextId === null || context) failed(choice, event.error, context);
      return;
    }
    const context = contextOf(event.contextId);
    if (!context) return;
    const { text } = context;
    switch (event.type) {
      case 'audio':
        seats.get(choice)!.warm = true;
        text.audio(event.bytes);
        // Hearing it, the call may have cancelled the context.
        if (contexts.get(context.id) === context) expectMore(context);
        return;
      case 'timing':
        text.timing(event.text, event.startMs);
        return;
      case 'done':
        if (text.finish()) done(context);
        else {
          const { provider } = choices[choice]!.name;
          failed(choice, new ProviderError(provider, 'unavailable', 'no audio for a text'), context);
        }
    }
  }

  function expectMore(context: Context): void {
    const { choice, text } = context;
    // A voice that has said all it was given waits for us, not we for it.
    if (text.audioMs > 0 && !context.ended && text.isSpoken()) {
      context.deadline.stop();
      return;
    }
    const warm = choice === 0 || seats.get(choice)?.warm;
    const ms = text.audioMs > 0 ? NEXT_AUDIO_MS : warm ? FIRST_AUDIO_MS : COLD_FIRST_AUDIO_MS;
    context.deadline.start(choice + 1 < choices.length ? ms : LAST_RESORT_MS);
  }

  function failed(choice: number, error: ProviderError, context: Context | null): void {
    if (closed || lost) return;
    const { name, account } = choices[choice]!;
    if (error.kind === 'capacity') {
      places.reportRefusal(account);
      if (context && standIn(context)) return;
    }
    const again = error.kind === 'unavailable';
    if (context && again && !context.retried) {
      context.retried = true;
      seats.get(choice)?.synthesizer.cancel(context.attemptId);
      speakRest(context);
      return;
    }
    const lasted = clock.now() - (seats.get(choice)?.openedAtMs ?? 0) >= RECONNECT_AFTER_MS;
    if (!context && again && lasted && replace(choice, choice)) {
      log.warn({ provider: name.provider, error: error.message }, 'a voice is connected anew');
      return;
    }
    for (let next = choice + 1; next < choices.length; next++) {
      if (!replace(choice, next)) continue;
      if (choice !== at) return;
      at = next;
      options.onFallback({
        kind: error.kind,
        reason: `${error.kind}: ${error.message}`,
        from: name,
        to: choices[next]!.name,
      });
      return;
    }
    lost = true;
    for (const each of contexts.values()) forget(each);
    listener({ type: 'failed', contextId: null, error });
  }

  /** What the voice of `choice` had to say is said by that of `next`, perhaps a new one of the same; false where it cannot be had. */
  function replace(choice: number, next: number): boolean {
    const before = seats.get(choice)?.synthesizer;
    seats.delete(choice);
    void before?.close();
    if (!seats.has(next)) {
      try {
        begin(next);
      } catch (error) {
        log.warn({ provider: choices[next]!.name.provider, error: errorText(error) }, 'a voice cannot be had');
        return false;
      }
    }
    for (const context of contexts.values()) if (context.choice === choice) move(context, next);
    return true;
  }

  function move(context: Context, choice: number): void {
    if (choice !== context.choice) {
      context.permit?.release();
      context.permit = null;
    }
    context.choice = choice;
    if (!context.waitsForPermit) speakRest(context);
  }

  /** The account is at its limit: another voice with room speaks this reply, and only this one. */
  function standIn(context: Context): boolean {
    for (let next = context.choice + 1; next < choices.length; next++) {
      const place = places.tryAcquire(choices[next]!.account);
      if (!place) continue;
      try {
        if (!seats.has(next)) begin(next);
      } catch {
        place.release();
        continue;
      }
      const from = choices[context.choice]!.name;
      seats.get(context.choice)?.synthesizer.cancel(context.attemptId);
      move(context, next);
      context.permit = place;
      options.onCapacity({ from, to: choices[next]!.name });
      return true;
    }
    return false;
  }

  async function waitForPlace(context: Context): Promise<void> {
    const { choice } = context;
    const { account, name } = choices[choice]!;
    context.waitsForPermit = true;
    const place = await places.acquire(account, PERMIT_WAIT_MS);
    context.waitsForPermit = false;
    const gone = closed || lost || contexts.get(context.id) !== context;
    // Meanwhile its voice may have failed, and another one, of another account, be there for it.
    if (gone || context.choice !== choice) place?.release();
    else context.permit = place;
    if (gone) return;
    if (!place && context.choice === choice) {
      if (standIn(context)) return;
      options.onCapacity({ from: name, to: null });
    }
    speakRest(context);
  }

  function speakRest(context: Context): void {
    const seat = seats.get(context.choice);
    if (!seat) return;
    context.attemptId = `${context.id}~${++attempts}`;
    const rest = context.text.resumeWith(seat.synthesizer.output);
    if (rest === null) {
      if (context.ended) done(context);
      return;
    }
    seat.synthesizer.speak(context.attemptId, rest);
    if (context.ended) seat.synthesizer.end(context.attemptId);
    expectMore(context);
  }

  function contextOf(attemptId: string): Context | null {
    for (const context of contexts.values()) if (context.attemptId === attemptId) return context;
    return null;
  }

  function done(context: Context): void {
    forget(context);
    listener({ type: 'done', contextId: context.id });
  }

  function forget(context: Context): void {
    context.deadline.stop();
    context.permit?.release();
    context.permit = null;
    contexts.delete(context.id);
  }

  function newContext(id: string): Context {
    const context: Context = {
      id,
      choice: at,
      attemptId: id,
      text: createResumableText(id, line, listener),
      ended: false,
      deadline: createDeadline(clock, FIRST_AUDIO_MS, () => {
        const what = context.text.audioMs > 0 ? 'fell silent in the middle of a text' : 'gave no first sound';
        failed(context.choice, new ProviderError(choices[context.choice]!.name.provider, 'timeout', what), context);
      }),
      retried: false,
      permit: places.tryAcquire(choices[at]!.account),
      waitsForPermit: false,
    };
    contexts.set(id, context);
    if (!context.permit) void waitForPlace(context);
    return context;
  }

  return {
    get provider() {
      return choices[at]!.name.provider;
    },
    get model() {
      return choices[at]!.name.model;
    },
    get serving() {
      return choices[at]!.name;
    },
    output: line,

    async open() {
      for (;;) {
        const { name } = choices[at]!;
        try {
          begin(at);
          return;
        } catch (error) {
          const known = asProviderError(error, name.provider);
          if (at + 1 >= choices.length) throw known;
          at++;
          options.onFallback({
            kind: known.kind,
            reason: `${known.kind}: ${known.message}`,
            from: name,
            to: choices[at]!.name,
          });
        }
      }
    },

    speak(contextId, text) {
      if (closed || lost) return;
      const context = contexts.get(contextId) ?? newContext(contextId);
      context.text.add(text);
      const seat = seats.get(context.choice);
      if (context.waitsForPermit || !seat) return;
      context.text.sent(text, seat.synthesizer.output);
      seat.synthesizer.speak(context.attemptId, text);
      if (!context.deadline.running) expectMore(context);
    },

    end(contextId) {
      const context = contexts.get(contextId);
      if (!context || context.ended) return;
      context.ended = true;
      if (context.waitsForPermit) return;
      seats.get(context.choice)?.synthesizer.end(context.attemptId);
      if (!context.deadline.running) expectMore(context);
    },

    cancel(contextId) {
      const context = contexts.get(contextId);
      if (!context) return;
      forget(context);
      seats.get(context.choice)?.synthesizer.cancel(context.attemptId);
    },

    async close() {
      closed = true;
      for (const context of contexts.values()) forget(context);
      await Promise.all([...seats.values()].map(({ synthesizer: voice }) => voice.close()));
    },
  };
}
