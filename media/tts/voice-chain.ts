import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { type Converter, createConverter } from '../audio/converter.ts';
import { type AudioFormat, FRAME_MS } from '../audio/format.ts';
import { frameBytes } from '../audio/silence.ts';
import { createDeadline, type Deadline } from '../provider/deadline.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { type SpokenPart, spokenBy } from './spoken-part.ts';
import type { Voice, VoiceEvent, VoiceListener } from './voice.ts';

/**
 * One voice made of several: the agent's own and those that stand in for it. When one fails, the next takes over for the
 * rest of the call, in the middle of a sentence where it must be: it goes on with the first word that was not said to its
 * end, so nothing is said twice. To the call it is one voice in the line's format, and its contexts never break.
 *
 * A voice that failed is first given a second connection, once: idle ones are closed by the best of providers.
 */

export interface VoiceName {
  provider: string;
  model: string;
  voice_id: string;
  voice_name: string;
  language: string;
}

export interface VoiceChoice {
  name: VoiceName;
  /** Throws ProviderError where this engine cannot have it. */
  create(listener: VoiceListener): Voice;
}

export interface VoiceChainOptions {
  /** The agent's own voice first; at least one. */
  choices: readonly VoiceChoice[];
  line: AudioFormat;
  clock: Clock;
  log: Logger;
  listener: VoiceListener;
  /** Another voice speaks from now on. */
  onFallback(change: { reason: string; from: VoiceName; to: VoiceName }): void;
}

export interface VoiceChain extends Voice {
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
const RECONNECT_EVERY_MS = 10_000;

interface Context {
  id: string;
  /** Its name at the provider; a new one for every attempt. */
  attemptId: string;
  text: string;
  ended: boolean;
  /** Sound given to the call, of all attempts. */
  givenMs: number;
  /** So much of `text` was said before this attempt began. */
  from: number;
  /** What this attempt has said, as far as its voice tells. */
  part: SpokenPart;
  converter: Converter | null;
  overdue: Deadline;
  retried: boolean;
}

export function createVoiceChain(options: VoiceChainOptions): VoiceChain {
  const { choices, line, clock, log, listener } = options;
  const bytesPerMs = frameBytes(line) / FRAME_MS;
  const contexts = new Map<string, Context>();
  let at = 0;
  let voice: Voice | null = null;
  /** It has given sound. */
  let warm = false;
  let openedAtMs = 0;
  let attempts = 0;
  let closed = false;
  let lost: ProviderError | null = null;

  const name = () => choices[at]!.name;

  function begin(): Promise<void> {
    openedAtMs = clock.now();
    warm = false;
    const made = choices[at]!.create((event) => {
      if (made === voice && !closed) take(event);
    });
    voice = made;
    const opening = made.open();
    opening.catch((error: unknown) => {
      if (made === voice && !closed) failed(asProviderError(error, made.provider), null);
    });
    return opening;
  }

  function take(event: VoiceEvent): void {
    if (event.type === 'failed') {
      failed(event.error, event.contextId === null ? null : contextOf(event.contextId));
      return;
    }
    const context = contextOf(event.contextId);
    if (!context) return;
    switch (event.type) {
      case 'audio':
        warm = true;
        give(context, context.converter!.convert(event.bytes));
        tellTimings(context, false);
        expectMore(context);
        return;
      case 'timing':
        context.part.timing(event.text, event.startMs);
        tellTimings(context, false);
        return;
      case 'done':
        give(context, context.converter?.flush() ?? new Uint8Array(0));
        if (context.givenMs === 0 && context.text.trim() !== '') {
          failed(new ProviderError(name().provider, 'unavailable', 'no audio for a text'), context);
          return;
        }
        tellTimings(context, true);
        forget(context);
        listener({ type: 'done', contextId: context.id });
    }
  }

  function give(context: Context, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    context.givenMs += bytes.length / bytesPerMs;
    context.part.soundMs += bytes.length / bytesPerMs;
    listener({ type: 'audio', contextId: context.id, bytes });
  }

  /** Whole words only, and only those whose sound was given: what is left out is what another voice would say. */
  function tellTimings(context: Context, all: boolean): void {
    const { part } = context;
    const told = part.takeTimings(all);
    if (!told) return;
    const offsetMs = context.givenMs - part.soundMs;
    listener({
      type: 'timing',
      contextId: context.id,
      text: told.text,
      startMs: told.startMs.map((startMs) => startMs + offsetMs),
    });
  }

  function expectMore(context: Context): void {
    const standIn = at + 1 < choices.length;
    const ms = context.part.soundMs > 0 ? NEXT_AUDIO_MS : warm || at === 0 ? FIRST_AUDIO_MS : COLD_FIRST_AUDIO_MS;
    // A voice that has said all it was given waits for us, not we for it.
    if (context.part.soundMs > 0 && !context.ended && context.part.saysAll()) context.overdue.stop();
    else context.overdue.start(standIn ? ms : LAST_RESORT_MS);
  }

  function failed(error: ProviderError, context: Context | null): void {
    if (closed || lost) return;
    const hopeless = error.kind === 'auth' || error.kind === 'bad_request' || error.kind === 'capacity';
    const lasted = clock.now() - openedAtMs >= RECONNECT_EVERY_MS;
    if (context) {
      if (!context.retried && !hopeless && error.kind !== 'timeout') {
        context.retried = true;
        voice?.cancel(context.attemptId);
        speakRest(context);
        return;
      }
    } else if (!hopeless && error.kind !== 'timeout' && lasted) {
      log.warn({ provider: name().provider, error: error.message }, 'a voice is connected anew');
      if (replace()) return;
    }
    takeOver(error);
  }

  /** The next voice there is. */
  function takeOver(error: ProviderError): void {
    while (at + 1 < choices.length) {
      const from = name();
      at++;
      if (!replace()) continue;
      options.onFallback({ reason: `${error.kind}: ${error.message}`, from, to: name() });
      return;
    }
    lost = error;
    for (const context of contexts.values()) context.overdue.stop();
    listener({ type: 'failed', contextId: null, error });
  }

  /** Another connection to the present choice, which says what is left to be said; false where it cannot be had. */
  function replace(): boolean {
    const before = voice;
    voice = null;
    void before?.close();
    try {
      void begin().catch(() => {});
    } catch (error) {
      log.warn({ provider: name().provider, error: errorText(error) }, 'a voice cannot be had');
      return false;
    }
    for (const context of contexts.values()) speakRest(context);
    return true;
  }

  function speakRest(context: Context): void {
    const { part } = context;
    context.from += part.saidCharacters(context.text.slice(context.from));
    context.attemptId = `${context.id}~${++attempts}`;
    context.part = spokenBy();
    context.converter = createConverter(voice!.output, line);
    const rest = context.text.slice(context.from);
    if (rest.trim() === '') {
      if (!context.ended) return;
      forget(context);
      listener({ type: 'done', contextId: context.id });
      return;
    }
    context.part.add(rest);
    voice!.speak(context.attemptId, rest);
    if (context.ended) voice!.end(context.attemptId);
    expectMore(context);
  }

  function contextOf(attemptId: string): Context | null {
    for (const context of contexts.values()) if (context.attemptId === attemptId) return context;
    return null;
  }

  function forget(context: Context): void {
    context.overdue.stop();
    contexts.delete(context.id);
  }

  function newContext(id: string): Context {
    const context: Context = {
      id,
      attemptId: attempts === 0 ? id : `${id}~${attempts}`,
      text: '',
      ended: false,
      givenMs: 0,
      from: 0,
      part: spokenBy(),
      converter: voice ? createConverter(voice.output, line) : null,
      overdue: createDeadline(clock, FIRST_AUDIO_MS, () => {
        const what = context.part.soundMs > 0 ? 'fell silent in the middle of a text' : 'gave no first sound';
        context.retried = true;
        failed(new ProviderError(name().provider, 'timeout', what), context);
      }),
      retried: false,
    };
    contexts.set(id, context);
    return context;
  }

  return {
    get provider() {
      return name().provider;
    },
    get model() {
      return name().model;
    },
    get serving() {
      return name();
    },
    output: line,

    async open() {
      for (;;) {
        try {
          void begin().catch(() => {});
          return;
        } catch (error) {
          const known = asProviderError(error, name().provider);
          if (at + 1 >= choices.length) throw known;
          const from = name();
          at++;
          options.onFallback({ reason: `${known.kind}: ${known.message}`, from, to: name() });
        }
      }
    },

    speak(contextId, text) {
      if (closed || lost) return;
      const context = contexts.get(contextId) ?? newContext(contextId);
      context.text += text;
      context.part.add(text);
      if (!voice) return;
      context.converter ??= createConverter(voice.output, line);
      voice.speak(context.attemptId, text);
      if (!context.overdue.running) expectMore(context);
    },

    end(contextId) {
      const context = contexts.get(contextId);
      if (!context || context.ended) return;
      context.ended = true;
      voice?.end(context.attemptId);
      if (!context.overdue.running) expectMore(context);
    },

    cancel(contextId) {
      const context = contexts.get(contextId);
      if (!context) return;
      forget(context);
      voice?.cancel(context.attemptId);
    },

    async close() {
      closed = true;
      for (const context of contexts.values()) context.overdue.stop();
      contexts.clear();
      await voice?.close();
    },
  };
}

function asProviderError(error: unknown, provider: string): ProviderError {
  return error instanceof ProviderError ? error : new ProviderError(provider, 'unavailable', errorText(error));
}
