import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { type Converter, createConverter } from '../audio/converter.ts';
import { type AudioFormat, FRAME_MS } from '../audio/format.ts';
import { frameBytes } from '../audio/silence.ts';
import { createDeadline, type Deadline } from '../provider/deadline.ts';
import type { Place, Places } from '../provider/places.ts';
import { asProviderError, ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { type SpokenPart, spokenBy } from './spoken-part.ts';
import type { Voice, VoiceEvent, VoiceListener } from './voice.ts';

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

export interface VoiceChoice {
  name: VoiceName;
  /** The account whose places it uses; empty where there is nothing to count. */
  account: string;
  /** Throws ProviderError where this engine cannot have it. */
  create(listener: VoiceListener): Voice;
}

export interface VoiceChainOptions {
  /** The agent's own voice first; at least one. */
  choices: readonly VoiceChoice[];
  line: AudioFormat;
  places: Pick<Places, 'tryTake' | 'take' | 'refused'>;
  clock: Clock;
  log: Logger;
  listener: VoiceListener;
  /** Another voice speaks from now on. */
  onFallback(change: { kind: ProviderFailure; reason: string; from: VoiceName; to: VoiceName }): void;
  /** An account was at its limit: another voice spoke that reply, or (`to` null) its own did anyway. */
  onCapacity(change: { from: VoiceName; to: VoiceName | null }): void;
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

/** A reply waits so long for a place at its provider. */
export const PLACE_WAIT_MS = 1_500;

interface Context {
  id: string;
  /** Which voice speaks it. */
  choice: number;
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
  place: Place | null;
  /** A place is waited for. */
  waits: boolean;
}

/** A choice that was made: its voice and what is known of it. */
interface Seat {
  voice: Voice;
  openedAtMs: number;
  /** It has given sound. */
  warm: boolean;
}

const NOTHING = new Uint8Array(0);

export function createVoiceChain(options: VoiceChainOptions): VoiceChain {
  const { choices, line, places, clock, log, listener } = options;
  const bytesPerMs = frameBytes(line) / FRAME_MS;
  const contexts = new Map<string, Context>();
  const seats = new Map<number, Seat>();
  /** Who speaks what is begun now. */
  let at = 0;
  let attempts = 0;
  let closed = false;
  let lost = false;

  /** Makes the voice of a choice. Throws ProviderError. */
  function begin(choice: number): Seat {
    const made = choices[choice]!.create((event) => {
      if (seats.get(choice)?.voice === made && !closed) take(choice, event);
    });
    const seat: Seat = { voice: made, openedAtMs: clock.now(), warm: false };
    seats.set(choice, seat);
    made.open().catch((error: unknown) => {
      if (seats.get(choice) === seat && !closed) failed(choice, asProviderError(error, made.provider), null);
    });
    return seat;
  }

  function take(choice: number, event: VoiceEvent): void {
    if (event.type === 'failed') {
      const context = event.contextId === null ? null : contextOf(event.contextId);
      if (event.contextId === null || context) failed(choice, event.error, context);
      return;
    }
    const context = contextOf(event.contextId);
    if (!context) return;
    switch (event.type) {
      case 'audio':
        seats.get(choice)!.warm = true;
        give(context, context.converter!.convert(event.bytes));
        tellTimings(context, false);
        expectMore(context);
        return;
      case 'timing':
        context.part.timing(event.text, event.startMs);
        tellTimings(context, false);
        return;
      case 'done':
        give(context, context.converter?.flush() ?? NOTHING);
        if (context.givenMs === 0 && context.text.trim() !== '') {
          failed(
            choice,
            new ProviderError(choices[choice]!.name.provider, 'unavailable', 'no audio for a text'),
            context,
          );
          return;
        }
        tellTimings(context, true);
        done(context);
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
    const startMs = told.startMs.map((ms) => ms + offsetMs);
    listener({ type: 'timing', contextId: context.id, text: told.text, startMs });
  }

  /** A voice that told no timings is followed by one that may: what was said gets a place, so that the rest finds its own. */
  function guessTimings(context: Context, said: number): void {
    const { part, from } = context;
    const offsetMs = context.givenMs - part.soundMs;
    const startMs = Array.from({ length: said }, (_, index) => offsetMs + (index / said) * part.soundMs);
    listener({ type: 'timing', contextId: context.id, text: context.text.slice(from, from + said), startMs });
  }

  function expectMore(context: Context): void {
    const { choice, part } = context;
    // A voice that has said all it was given waits for us, not we for it.
    if (part.soundMs > 0 && !context.ended && part.saysAll()) {
      context.overdue.stop();
      return;
    }
    const warm = choice === 0 || seats.get(choice)?.warm;
    const ms = part.soundMs > 0 ? NEXT_AUDIO_MS : warm ? FIRST_AUDIO_MS : COLD_FIRST_AUDIO_MS;
    context.overdue.start(choice + 1 < choices.length ? ms : LAST_RESORT_MS);
  }

  function failed(choice: number, error: ProviderError, context: Context | null): void {
    if (closed || lost) return;
    const { name, account } = choices[choice]!;
    if (error.kind === 'capacity') {
      places.refused(account);
      if (context && standIn(context)) return;
    }
    const again = error.kind === 'unavailable';
    if (context && again && !context.retried) {
      context.retried = true;
      seats.get(choice)?.voice.cancel(context.attemptId);
      speakRest(context);
      return;
    }
    const lasted = clock.now() - (seats.get(choice)?.openedAtMs ?? 0) >= RECONNECT_EVERY_MS;
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
    const before = seats.get(choice)?.voice;
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
      context.place?.free();
      context.place = null;
    }
    context.choice = choice;
    if (!context.waits) speakRest(context);
  }

  /** The account is at its limit: another voice with room speaks this reply, and only this one. */
  function standIn(context: Context): boolean {
    for (let next = context.choice + 1; next < choices.length; next++) {
      const place = places.tryTake(choices[next]!.account);
      if (!place) continue;
      try {
        if (!seats.has(next)) begin(next);
      } catch {
        place.free();
        continue;
      }
      const from = choices[context.choice]!.name;
      seats.get(context.choice)?.voice.cancel(context.attemptId);
      move(context, next);
      context.place = place;
      options.onCapacity({ from, to: choices[next]!.name });
      return true;
    }
    return false;
  }

  async function waitForPlace(context: Context): Promise<void> {
    context.waits = true;
    const { account, name } = choices[context.choice]!;
    const place = await places.take(account, PLACE_WAIT_MS);
    context.waits = false;
    if (closed || lost || contexts.get(context.id) !== context) {
      place?.free();
      return;
    }
    context.place = place;
    if (!place) {
      if (standIn(context)) return;
      options.onCapacity({ from: name, to: null });
    }
    speakRest(context);
  }

  function speakRest(context: Context): void {
    const { part } = context;
    const seat = seats.get(context.choice);
    if (!seat) return;
    const said = part.saidCharacters(context.text.slice(context.from));
    if (!part.timed && said > 0) guessTimings(context, said);
    context.from += said;
    context.attemptId = `${context.id}~${++attempts}`;
    context.part = spokenBy();
    context.converter = createConverter(seat.voice.output, line);
    const rest = context.text.slice(context.from);
    if (rest.trim() === '') {
      if (context.ended) done(context);
      return;
    }
    context.part.add(rest);
    seat.voice.speak(context.attemptId, rest);
    if (context.ended) seat.voice.end(context.attemptId);
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
    context.overdue.stop();
    context.place?.free();
    context.place = null;
    contexts.delete(context.id);
  }

  function newContext(id: string): Context {
    const context: Context = {
      id,
      choice: at,
      attemptId: id,
      text: '',
      ended: false,
      givenMs: 0,
      from: 0,
      part: spokenBy(),
      converter: null,
      overdue: createDeadline(clock, FIRST_AUDIO_MS, () => {
        const what = context.part.soundMs > 0 ? 'fell silent in the middle of a text' : 'gave no first sound';
        failed(context.choice, new ProviderError(choices[context.choice]!.name.provider, 'timeout', what), context);
      }),
      retried: false,
      place: places.tryTake(choices[at]!.account),
      waits: false,
    };
    contexts.set(id, context);
    if (!context.place) void waitForPlace(context);
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
      context.text += text;
      const seat = seats.get(context.choice);
      if (context.waits || !seat) return;
      context.part.add(text);
      context.converter ??= createConverter(seat.voice.output, line);
      seat.voice.speak(context.attemptId, text);
      if (!context.overdue.running) expectMore(context);
    },

    end(contextId) {
      const context = contexts.get(contextId);
      if (!context || context.ended) return;
      context.ended = true;
      if (context.waits) return;
      seats.get(context.choice)?.voice.end(context.attemptId);
      if (!context.overdue.running) expectMore(context);
    },

    cancel(contextId) {
      const context = contexts.get(contextId);
      if (!context) return;
      forget(context);
      seats.get(context.choice)?.voice.cancel(context.attemptId);
    },

    async close() {
      closed = true;
      for (const context of contexts.values()) forget(context);
      await Promise.all([...seats.values()].map(({ voice }) => voice.close()));
    },
  };
}
