import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { type Converter, createConverter } from '../audio/converter.ts';
import { type AudioFormat, FRAME_MS } from '../audio/format.ts';
import { frameBytes } from '../audio/silence.ts';
import { createSoundHistory } from '../audio/sound-history.ts';
import { createDeadline } from '../provider/deadline.ts';
import type { Place, Places } from '../provider/places.ts';
import { asProviderError, ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import type { Transcriber, TranscriberEvent, TranscriberListener } from './transcriber.ts';

/**
 * One transcriber made of several: the agent's own and those that stand in for it. The caller's sound is kept until it was
 * understood; a transcriber that takes over, or is connected anew, hears all that was not, so no word is lost. Its turns go
 * on with the numbers of the one before, and the turn it hears again replaces what was known of it.
 */

export interface TranscriberName {
  provider: string;
  model: string;
  language: string;
}

export interface TranscriberChoice {
  name: TranscriberName;
  /** The account whose places it uses; empty where there is nothing to count. */
  account: string;
  decidesTurns: boolean;
  /** Throws ProviderError where this engine cannot have it. */
  create(listener: TranscriberListener): Transcriber;
}

export interface TranscriberChainOptions {
  /** The agent's own transcriber first; at least one. */
  choices: readonly TranscriberChoice[];
  /** What `audio` is given. */
  line: AudioFormat;
  places: Pick<Places, 'tryTake' | 'take' | 'refused'>;
  clock: Clock;
  log: Logger;
  listener: TranscriberListener;
  /** Another transcriber hears the rest of the call. */
  onFallback(change: { kind: ProviderFailure; reason: string; from: TranscriberName; to: TranscriberName }): void;
  /** An account was at its limit: another transcriber took the call, or (`to` null) its own did anyway. */
  onCapacity(change: { from: TranscriberName; to: TranscriberName | null }): void;
  /** Called with every transcriber that begins to hear, the first one included. */
  onServing(transcriber: Transcriber): void;
}

export interface TranscriberChain extends Transcriber {
  /** Who hears now, for the bill. */
  readonly serving: TranscriberName;
  /** Voice activity heard so much speech, and its end. A transcriber that has no words for it, twice, has failed. */
  spoke(durationMs: number): void;
}

/** So much sound is kept: longer than anybody speaks before a transcriber has settled some of it. */
const KEPT_MS = 15_000;
/** What is told as final was said at least so long ago. */
const SETTLED_BEFORE_MS = 400;
/** Final words that were asked for come within this time, or never. */
const FINAL_WITHIN_MS = 2_500;
const WORDS_WITHIN_MS = 2_500;
/** Shorter speech may be a cough. */
const SPEECH_MS = 800;
const WORDLESS_STRIKES = 2;
const RECONNECT_EVERY_MS = 10_000;
/** Kept sound is given in pieces like those of a call. */
const PIECE_MS = 100;

export function createTranscriberChain(options: TranscriberChainOptions): TranscriberChain {
  const { choices, line, places, clock, log, listener } = options;
  const bytesPerMs = frameBytes(line) / FRAME_MS;
  const history = createSoundHistory(KEPT_MS * bytesPerMs);
  let at = 0;
  let transcriber: Transcriber | null = null;
  let place: Place | null = null;
  let converter: Converter | null = null;
  /** It takes sound. */
  let hears = false;
  let openedAtMs = 0;
  /** What lies before was understood. */
  let settled = 0;
  /** When its final words were asked for, and what they will cover. */
  let askedAt: number | null = null;
  let closed = false;
  let lost = false;
  /** Number of the first turn of the present transcriber. */
  let firstTurn = 0;
  let turn = -1;
  let turnEnded = true;
  let strikes = 0;

  const finalDue = createDeadline(clock, FINAL_WITHIN_MS, () => silent('gave no final words'));
  const wordsDue = createDeadline(clock, WORDS_WITHIN_MS, () => {
    if (++strikes >= WORDLESS_STRIKES) silent('heard no words where somebody spoke');
  });

  const name = () => choices[at]!.name;

  function begin(): Promise<void> {
    openedAtMs = clock.now();
    hears = false;
    strikes = 0;
    firstTurn = turnEnded ? turn + 1 : Math.max(0, turn);
    const made = choices[at]!.create((event) => {
      if (made === transcriber && !closed) take(event);
    });
    transcriber = made;
    converter = createConverter(line, made.input);
    options.onServing(made);
    return made.open().then(
      () => {
        if (made === transcriber && !closed) catchUp();
      },
      (error: unknown) => {
        if (made === transcriber && !closed) failed(asProviderError(error, made.provider));
      },
    );
  }

  function catchUp(): void {
    hears = true;
    const pieceBytes = PIECE_MS * bytesPerMs;
    for (const part of history.since(settled)) {
      for (let from = 0; from < part.length; from += pieceBytes) hear(part.subarray(from, from + pieceBytes));
    }
    if (askedAt !== null) ask();
  }

  function hear(bytes: Uint8Array): void {
    const converted = converter!.convert(bytes);
    if (converted.length > 0) transcriber!.audio(converted);
  }

  function ask(): void {
    transcriber!.finalize();
    if (!transcriber!.decidesTurns) finalDue.start();
  }

  function take(event: TranscriberEvent): void {
    if (event.type === 'failed') {
      failed(event.error);
      return;
    }
    strikes = 0;
    wordsDue.stop();
    turn = Math.max(turn, firstTurn + event.turn);
    turnEnded = event.type === 'turn_ended' || event.type === 'final';
    if (turnEnded) {
      const justNow = history.position - SETTLED_BEFORE_MS * bytesPerMs;
      settled = Math.max(settled, event.type === 'final' && askedAt !== null ? askedAt : justNow);
      askedAt = null;
      finalDue.stop();
    }
    listener({ ...event, turn: firstTurn + event.turn });
  }

  function silent(what: string): void {
    failed(new ProviderError(name().provider, 'timeout', what));
  }

  function failed(error: ProviderError): void {
    if (closed || lost) return;
    if (error.kind === 'capacity') places.refused(choices[at]!.account);
    finalDue.stop();
    wordsDue.stop();
    const hopeless = error.kind === 'auth' || error.kind === 'bad_request' || error.kind === 'capacity';
    const lasted = hears && clock.now() - openedAtMs >= RECONNECT_EVERY_MS;
    if (lasted && !hopeless && error.kind !== 'timeout') {
      log.warn({ provider: name().provider, error: error.message }, 'a transcriber is connected anew');
      if (replace()) return;
    }
    while (at + 1 < choices.length) {
      const from = name();
      at++;
      place?.free();
      place = places.tryTake(choices[at]!.account);
      if (!replace()) continue;
      if (error.kind === 'capacity') options.onCapacity({ from, to: name() });
      else options.onFallback({ kind: error.kind, reason: `${error.kind}: ${error.message}`, from, to: name() });
      return;
    }
    lost = true;
    hears = false;
    listener({ type: 'failed', error });
  }

  /** Another connection to the present choice; false where it cannot be had. */
  function replace(): boolean {
    const before = transcriber;
    transcriber = null;
    hears = false;
    void before?.close();
    try {
      void begin();
      return true;
    } catch (error) {
      log.warn({ provider: name().provider, error: errorText(error) }, 'a transcriber cannot be had');
      return false;
    }
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
    get decidesTurns() {
      return choices[at]!.decidesTurns;
    },
    input: line,

    async open() {
      await findRoom();
      while (!closed) {
        try {
          await begin();
          return;
        } catch (error) {
          const known = asProviderError(error, name().provider);
          if (at + 1 >= choices.length) throw known;
          const from = name();
          at++;
          options.onFallback({ kind: known.kind, reason: `${known.kind}: ${known.message}`, from, to: name() });
          place?.free();
          place = places.tryTake(choices[at]!.account);
        }
      }
    },

    audio(chunk) {
      if (closed || lost) return;
      history.write(chunk);
      if (hears) hear(chunk);
    },

    finalize() {
      if (closed || lost) return;
      askedAt = history.position;
      if (hears) ask();
    },

    spoke(durationMs) {
      if (!hears || closed || lost || durationMs < SPEECH_MS || !transcriber!.decidesTurns) return;
      if (turnEnded && !wordsDue.running) wordsDue.start();
    },

    async close() {
      closed = true;
      finalDue.stop();
      wordsDue.stop();
      place?.free();
      await transcriber?.close();
    },
  };

  /** The first transcriber whose account has room takes the call; where none has, its own does anyway. */
  async function findRoom(): Promise<void> {
    for (let choice = 0; choice < choices.length; choice++) {
      const { account } = choices[choice]!;
      place = places.tryTake(account) ?? (await places.take(account, 0));
      if (closed) place?.free();
      if (closed || !place) continue;
      if (choice > 0) {
        at = choice;
        options.onCapacity({ from: choices[0]!.name, to: name() });
      }
      return;
    }
    if (!closed) options.onCapacity({ from: name(), to: null });
  }
}
