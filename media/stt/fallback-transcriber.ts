import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { createAudioHistory } from '../audio/audio-history.ts';
import { type Converter, createConverter } from '../audio/converter.ts';
import { type AudioFormat, FRAME_MS, frameBytes } from '../audio/format.ts';
import type { ConcurrencyPermit, ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import { createDeadline } from '../provider/deadline.ts';
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

export interface FallbackTranscriberOptions {
  /** The agent's own transcriber first; at least one. */
  choices: readonly TranscriberChoice[];
  /** What `audio` is given. */
  inputFormat: AudioFormat;
  permits: Pick<ConcurrencyPermits, 'tryAcquire' | 'acquire' | 'reportRefusal'>;
  clock: Clock;
  log: Logger;
  listener: TranscriberListener;
  /** Another transcriber hears the rest of the call. */
  onFallback(change: { kind: ProviderFailure; reason: string; from: TranscriberName; to: TranscriberName }): void;
  /** An account was at its limit: another transcriber took the call, or (`to` null) its own did anyway. */
  onCapacity(change: { from: TranscriberName; to: TranscriberName | null }): void;
  /** Called with every transcriber that begins to hear, the first one included. */
  onActive(transcriber: Transcriber): void;
}

export interface FallbackTranscriber extends Transcriber {
  /** Who hears now, for the bill. */
  readonly active: TranscriberName;
  /** Voice activity heard so much speech, and its end. A transcriber that has no words for it, twice, has failed. */
  speechEnded(durationMs: number): void;
}

/** So much sound is kept: longer than anybody speaks before a transcriber has settled some of it. */
const KEPT_MS = 15_000;
/** What is told as final was said at least so long ago. */
const FINAL_COVERS_UNTIL_MS = 400;
/** Final words that were asked for come within this time, or never. */
const FINAL_WITHIN_MS = 2_500;
const TRANSCRIPT_WITHIN_MS = 2_500;
/** Shorter speech may be a cough. */
const MIN_SPEECH_MS = 800;
const MAX_SPEECH_WITHOUT_TRANSCRIPT = 2;
const MIN_RECONNECT_INTERVAL_MS = 10_000;
/** Kept sound is given in pieces like those of a call. */
const REPLAY_CHUNK_MS = 100;

export function createFallbackTranscriber(options: FallbackTranscriberOptions): FallbackTranscriber {
  const { choices, inputFormat: line, permits: places, clock, log, listener } = options;
  const bytesPerMs = frameBytes(line) / FRAME_MS;
  const history = createAudioHistory(KEPT_MS * bytesPerMs);
  let current = 0;
  let transcriber: Transcriber | null = null;
  let permit: ConcurrencyPermit | null = null;
  let converter: Converter | null = null;
  /** It takes sound. */
  let connected = false;
  let openedAtMs = 0;
  /** What lies before was understood. */
  let transcribedPosition = 0;
  /** When its final words were asked for, and what they will cover. */
  let finalizePosition: number | null = null;
  let closed = false;
  let exhausted = false;
  /** Number of the first turn of the present transcriber. */
  let firstTurn = 0;
  let turn = -1;
  let turnEnded = true;
  let strikes = 0;

  const finalDeadline = createDeadline(clock, FINAL_WITHIN_MS, () => timedOut('gave no final words'));
  const transcriptDeadline = createDeadline(clock, TRANSCRIPT_WITHIN_MS, () => {
    if (++strikes >= MAX_SPEECH_WITHOUT_TRANSCRIPT) timedOut('heard no words where somebody spoke');
  });

  const name = () => choices[current]!.name;

  function connect(): Promise<void> {
    openedAtMs = clock.now();
    connected = false;
    strikes = 0;
    firstTurn = turnEnded ? turn + 1 : Math.max(0, turn);
    const made = choices[current]!.create((event) => {
      if (made === transcriber && !closed) onEvent(event);
    });
    transcriber = made;
    converter = createConverter(line, made.input);
    options.onActive(made);
    return made.open().then(
      () => {
        if (made === transcriber && !closed) replayHistory();
      },
      (error: unknown) => {
        if (made === transcriber && !closed) onFailed(asProviderError(error, made.provider));
      },
    );
  }

  function replayHistory(): void {
    connected = true;
    const pieceBytes = REPLAY_CHUNK_MS * bytesPerMs;
    for (const part of history.since(transcribedPosition)) {
      for (let from = 0; from < part.length; from += pieceBytes) sendAudio(part.subarray(from, from + pieceBytes));
    }
    if (finalizePosition !== null) requestFinal();
  }

  function sendAudio(bytes: Uint8Array): void {
    const converted = converter!.convert(bytes);
    if (converted.length > 0) transcriber!.audio(converted);
  }

  function requestFinal(): void {
    transcriber!.finalize();
    if (!transcriber!.decidesTurns) finalDeadline.start();
  }

  function onEvent(event: TranscriberEvent): void {
    if (event.type === 'failed') {
      onFailed(event.error);
      return;
    }
    strikes = 0;
    transcriptDeadline.stop();
    turn = Math.max(turn, firstTurn + event.turn);
    turnEnded = event.type === 'turn_ended' || event.type === 'final';
    if (turnEnded) {
      const justNow = history.position - FINAL_COVERS_UNTIL_MS * bytesPerMs;
      transcribedPosition = Math.max(
        transcribedPosition,
        event.type === 'final' && finalizePosition !== null ? finalizePosition : justNow,
      );
      finalizePosition = null;
      finalDeadline.stop();
    }
    listener({ ...event, turn: firstTurn + event.turn });
  }

  function timedOut(what: string): void {
    onFailed(new ProviderError(name().provider, 'timeout', what));
  }

  function onFailed(error: ProviderError): void {
    if (closed || exhausted) return;
    if (error.kind === 'capacity') places.reportRefusal(choices[current]!.account);
    finalDeadline.stop();
    transcriptDeadline.stop();
    const hopeless = error.kind === 'auth' || error.kind === 'bad_request' || error.kind === 'capacity';
    const lasted = connected && clock.now() - openedAtMs >= MIN_RECONNECT_INTERVAL_MS;
    if (lasted && !hopeless && error.kind !== 'timeout') {
      log.warn({ provider: name().provider, error: error.message }, 'a transcriber is connected anew');
      if (reconnect()) return;
    }
    while (current + 1 < choices.length) {
      const from = name();
      current++;
      permit?.release();
      permit = places.tryAcquire(choices[current]!.account);
      if (!reconnect()) continue;
      if (error.kind === 'capacity') options.onCapacity({ from, to: name() });
      else options.onFallback({ kind: error.kind, reason: `${error.kind}: ${error.message}`, from, to: name() });
      return;
    }
    exhausted = true;
    connected = false;
    listener({ type: 'failed', error });
  }

  /** Another connection to the present choice; false where it cannot be had. */
  function reconnect(): boolean {
    const before = transcriber;
    transcriber = null;
    connected = false;
    void before?.close();
    try {
      void connect();
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
    get active() {
      return name();
    },
    get decidesTurns() {
      return choices[current]!.decidesTurns;
    },
    input: line,

    async open() {
      await acquirePermit();
      while (!closed) {
        try {
          await connect();
          return;
        } catch (error) {
          const known = asProviderError(error, name().provider);
          if (current + 1 >= choices.length) throw known;
          const from = name();
          current++;
          options.onFallback({ kind: known.kind, reason: `${known.kind}: ${known.message}`, from, to: name() });
          permit?.release();
          permit = places.tryAcquire(choices[current]!.account);
        }
      }
    },

    audio(chunk) {
      if (closed || exhausted) return;
      history.write(chunk);
      if (connected) sendAudio(chunk);
    },

    finalize() {
      if (closed || exhausted) return;
      finalizePosition = history.position;
      if (connected) requestFinal();
    },

    speechEnded(durationMs) {
      if (!connected || closed || exhausted || durationMs < MIN_SPEECH_MS || !transcriber!.decidesTurns) return;
      if (turnEnded && !transcriptDeadline.running) transcriptDeadline.start();
    },

    async close() {
      closed = true;
      finalDeadline.stop();
      transcriptDeadline.stop();
      permit?.release();
      await transcriber?.close();
    },
  };

  /** The first transcriber whose account has room takes the call; where none has, its own does anyway. */
  async function acquirePermit(): Promise<void> {
    for (let choice = 0; choice < choices.length; choice++) {
      const { account } = choices[choice]!;
      permit = places.tryAcquire(account) ?? (await places.acquire(account, 0));
      if (closed) permit?.release();
      if (closed || !permit) continue;
      if (choice > 0) {
        current = choice;
        options.onCapacity({ from: choices[0]!.name, to: name() });
      }
      return;
    }
    if (!closed) options.onCapacity({ from: name(), to: null });
  }
}
