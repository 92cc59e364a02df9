import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { createAudioHistory } from '../audio/audio-history.ts';
import { type Converter, createConverter } from '../audio/converter.ts';
import { type AudioFormat, FRAME_MS, frameBytes } from '../audio/format.ts';
import type { ConcurrencyPermit, ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import { createDeadline } from '../provider/deadline.ts';
import { asProviderError, ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { afterFailure, newReconnects, onAnswer, STABLE_AFTER_MS } from '../provider/reconnect-policy.ts';
import type { Transcriber, TranscriberEvent, TranscriberListener } from './transcriber.ts';

/**
 * One transcriber made of several: the agent's own and its fallbacks. The caller's audio is buffered until it has been
 * transcribed; a fallback, or a new connection, is given all that has not, so no word is lost. Its turns continue the numbers
 * of the transcriber before, and a turn that is transcribed again replaces what was known of it.
 */

export interface TranscriberName {
  provider: string;
  model: string;
  language: string;
}

export interface TranscriberChoice {
  name: TranscriberName;
  /** The account whose concurrency permits it uses; empty when none are needed. */
  account: string;
  decidesTurns: boolean;
  /** @throws ProviderError when this engine is not configured for it. */
  create(listener: TranscriberListener): Transcriber;
}

export interface FallbackTranscriberOptions {
  /** The agent's own transcriber first; at least one. */
  choices: readonly TranscriberChoice[];
  /** The format of `audio`. */
  inputFormat: AudioFormat;
  permits: Pick<ConcurrencyPermits, 'tryAcquire' | 'acquire' | 'reportRefusal'>;
  clock: Clock;
  log: Logger;
  listener: TranscriberListener;
  /** Takes work whose rejection nobody expects. */
  watch(work: Promise<unknown>): void;
  /** Another transcriber serves the rest of the call. */
  onFallback(change: { kind: ProviderFailure; reason: string; from: TranscriberName; to: TranscriberName }): void;
  /** An account was at its limit: another transcriber is used, or (`to` null) the agent's own in spite of it. */
  onCapacity(change: { from: TranscriberName; to: TranscriberName | null }): void;
  /** A connection is lost and will be opened again; not repeated until it has worked. */
  onReconnect?(name: TranscriberName, error: ProviderError): void;
  /** A connection has given its first words (null), or has failed; not called when it gave no words for speech. */
  onOutcome?(name: TranscriberName, failure: ProviderError | null): void;
  /** Called with every transcriber that becomes active, also the first one. */
  onActive(transcriber: Transcriber): void;
}

export interface FallbackTranscriber extends Transcriber {
  speech(active: boolean): void;
  /** The transcriber in use, for billing. */
  readonly active: TranscriberName;
  /** Reports speech found by voice activity. A transcriber without words for it, twice, is connected again, then replaced. */
  speechEnded(durationMs: number): void;
}

/** Audio buffered for a fallback: longer than people speak until some of it is final. */
const HISTORY_MS = 15_000;
/** An unrequested final text is taken to cover the audio up to this long ago. */
const FINAL_COVERS_UNTIL_MS = 400;
/** A transcriber that gives no final words within this time of the request has failed, where another can take over. */
const FINAL_WITHIN_MS = 2_500;
/** The last one is waited for: late words are answered. It is connected again when so many requests in a row were in vain. */
const MAX_MISSED_FINALS = 3;
/** After so many connections without a word the last one has failed. */
const MAX_MUTE_CONNECTIONS = 3;
/** A new connection that takes longer than this is not waited for, where another transcriber can take over. */
const REOPEN_WITHIN_MS = 2_000;
const TRANSCRIPT_WITHIN_MS = 2_500;
/** Shorter speech may be a cough; longer speech without a word is a television, music or other people. */
const MIN_SPEECH_MS = 800;
const MAX_SPEECH_MS = 15_000;
const MAX_SPEECH_WITHOUT_TRANSCRIPT = 2;
/** Buffered audio is replayed in chunks of this length. */
const REPLAY_CHUNK_MS = 100;
/**
 * While nobody speaks and no turn is open, audio is sent in chunks of this length, which Deepgram recommends for Flux: a
 * quarter of the messages. Otherwise each frame is sent at once, so that no turn ends later.
 */
const CALM_CHUNK_MS = 80;
/** Words for speech that voice activity found may come this much later. */
const WORDS_WITHIN_MS = 2_000;

export function createFallbackTranscriber(options: FallbackTranscriberOptions): FallbackTranscriber {
  const { choices, inputFormat, permits, clock, log, listener } = options;
  const bytesPerMs = frameBytes(inputFormat) / FRAME_MS;
  const history = createAudioHistory(HISTORY_MS * bytesPerMs);
  let current = 0;
  let transcriber: Transcriber | null = null;
  let permit: ConcurrencyPermit | null = null;
  let converter: Converter | null = null;
  let connected = false;
  /** This connection has given words. */
  let answered = false;
  let openedAtMs = 0;
  /** Audio before this position has been sent to this connection. */
  let sentPosition = 0;
  /** Until this position the caller's last speech may open a turn. */
  let awaitsWordsUntil = 0;
  /** Audio before this position has been transcribed. */
  let transcribedPosition = 0;
  /** Where final words were last requested; null when none are pending. */
  let finalizePosition: number | null = null;
  /** Voice activity lasts; speech of it has not been transcribed. */
  let speaking = false;
  let speechPending = false;
  let closed = false;
  let exhausted = false;
  /** The number that the current transcriber's turn 0 has here. */
  let firstTurn = 0;
  let turn = -1;
  let turnEnded = true;
  let missedSpeeches = 0;
  let missedFinals = 0;
  /** Connections that were given up because no words came. */
  let muteConnections = 0;
  const reconnects = newReconnects();
  let reconnectTimer: Timer | null = null;

  const finalDeadline = createDeadline(clock, FINAL_WITHIN_MS, () => {
    missedFinals++;
    if (!hasFallback() && missedFinals < MAX_MISSED_FINALS) return;
    if (++muteConnections < MAX_MUTE_CONNECTIONS || hasFallback()) onFailed(timeout('no final words'));
    else giveUp(timeout('no final words'));
  });
  const transcriptDeadline = createDeadline(clock, TRANSCRIPT_WITHIN_MS, () => {
    if (++missedSpeeches < MAX_SPEECH_WITHOUT_TRANSCRIPT) return;
    missedSpeeches = 0;
    // It may be a television: the last transcriber is connected again once at most, and the call goes on.
    if (!hasFallback() && (muteConnections > 0 || connectedMs() < STABLE_AFTER_MS)) return;
    muteConnections++;
    onFailed(timeout('no words for speech'), true);
  });
  const reopenDeadline = createDeadline(clock, REOPEN_WITHIN_MS, () => onFailed(timeout('no new connection')));

  const name = () => choices[current]!.name;
  const hasFallback = () => current + 1 < choices.length;
  const connectedMs = () => (connected ? clock.now() - openedAtMs : 0);

  function connect(): Promise<void> {
    openedAtMs = clock.now();
    connected = false;
    answered = false;
    missedSpeeches = 0;
    missedFinals = 0;
    firstTurn = turnEnded ? turn + 1 : Math.max(0, turn);
    const created = choices[current]!.create((event) => {
      if (created === transcriber && !closed) onEvent(event);
    });
    transcriber = created;
    converter = createConverter(inputFormat, created.input);
    options.onActive(created);
    return created.open().then(
      () => {
        if (created === transcriber && !closed) replayHistory();
      },
      (error: unknown) => {
        if (created === transcriber && !closed) onFailed(asProviderError(error, created.provider));
      },
    );
  }

  function replayHistory(): void {
    connected = true;
    reopenDeadline.stop();
    if (speechPending) transcriber!.speech?.(true);
    sentPosition = transcribedPosition;
    sendRest();
    if (speechPending && !speaking) transcriber!.speech?.(false);
    if (finalizePosition !== null) requestFinal();
  }

  /** Sends what has not been sent yet. */
  function sendRest(): void {
    const chunkBytes = REPLAY_CHUNK_MS * bytesPerMs;
    const from = sentPosition;
    sentPosition = history.position;
    for (const part of history.since(from)) {
      for (let at = 0; at < part.length; at += chunkBytes) sendAudio(part.subarray(at, at + chunkBytes));
    }
  }

  function sendAudio(bytes: Uint8Array): void {
    const converted = converter!.convert(bytes);
    if (converted.length > 0) transcriber!.audio(converted);
  }

  /** The caller does not speak, and no turn is open. */
  function isCalm(): boolean {
    return !speaking && turnEnded && history.position >= awaitsWordsUntil;
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
    missedSpeeches = 0;
    missedFinals = 0;
    muteConnections = 0;
    onAnswer(reconnects);
    if (!answered) options.onOutcome?.(name(), null);
    answered = true;
    transcriptDeadline.stop();
    turn = Math.max(turn, firstTurn + event.turn);
    // Its words may be late: that is no failure.
    if (event.type === 'untranscribed') finalDeadline.stop();
    turnEnded = event.type === 'turn_ended' || event.type === 'final';
    if (turnEnded) {
      const recent = history.position - FINAL_COVERS_UNTIL_MS * bytesPerMs;
      transcribedPosition = Math.max(
        transcribedPosition,
        event.type === 'final' && finalizePosition !== null ? finalizePosition : recent,
      );
      finalizePosition = null;
      awaitsWordsUntil = 0;
      speechPending = speaking;
      finalDeadline.stop();
    }
    listener({ ...event, turn: firstTurn + event.turn });
  }

  function timeout(reason: string): ProviderError {
    return new ProviderError(name().provider, 'timeout', reason);
  }

  /** `doubtful`: nothing may be wrong with the provider. */
  function onFailed(error: ProviderError, doubtful = false): void {
    if (closed || exhausted) return;
    if (!doubtful) options.onOutcome?.(name(), error);
    if (error.kind === 'capacity') permits.reportRefusal(choices[current]!.account);
    stopDeadlines();
    const { kind } = error;
    const next = afterFailure(reconnects, {
      ...{ kind, connectedMs: connectedMs(), hasFallback: hasFallback(), nowMs: clock.now() },
    });
    disconnect();
    if (next.step === 'connect') {
      log.warn({ provider: name().provider, error: error.message, after_ms: next.afterMs }, 'transcriber reconnecting');
      if (next.first) options.onReconnect?.(name(), error);
      reconnectTimer = clock.after(next.afterMs, () => {
        if (hasFallback()) reopenDeadline.start();
        if (!reconnect()) onFailed(new ProviderError(name().provider, 'bad_request', 'it cannot be created'));
      });
      return;
    }
    while (hasFallback()) {
      const from = name();
      current++;
      muteConnections = 0;
      permit?.release();
      permit = permits.tryAcquire(choices[current]!.account);
      if (!reconnect()) continue;
      if (kind === 'capacity') options.onCapacity({ from, to: name() });
      else options.onFallback({ kind, reason: `${kind}: ${error.message}`, from, to: name() });
      return;
    }
    giveUp(error);
  }

  function giveUp(error: ProviderError): void {
    exhausted = true;
    disconnect();
    listener({ type: 'failed', error });
  }

  function stopDeadlines(): void {
    finalDeadline.stop();
    transcriptDeadline.stop();
    reopenDeadline.stop();
    reconnectTimer?.cancel();
  }

  function disconnect(): void {
    const previous = transcriber;
    transcriber = null;
    connected = false;
    void previous?.close();
  }

  /** Opens a new connection to the current choice; false when it cannot be created. */
  function reconnect(): boolean {
    try {
      options.watch(connect());
      return true;
    } catch (error) {
      log.warn({ provider: name().provider, error: errorText(error) }, 'transcriber cannot be created');
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
    input: inputFormat,

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
          permit = permits.tryAcquire(choices[current]!.account);
        }
      }
    },

    audio(chunk) {
      if (closed || exhausted) return;
      history.write(chunk);
      if (!connected) return;
      if (history.position - sentPosition >= CALM_CHUNK_MS * bytesPerMs || !isCalm()) sendRest();
    },

    finalize() {
      if (closed || exhausted) return;
      finalizePosition = history.position;
      if (!connected) return;
      sendRest();
      requestFinal();
    },

    speech(active) {
      if (closed || exhausted) return;
      speaking = active;
      speechPending ||= active;
      if (!active) awaitsWordsUntil = history.position + WORDS_WITHIN_MS * bytesPerMs;
      if (!connected) return;
      sendRest();
      transcriber!.speech?.(active);
    },

    speechEnded(durationMs) {
      if (!connected || closed || exhausted || !transcriber!.decidesTurns) return;
      if (durationMs < MIN_SPEECH_MS || durationMs > MAX_SPEECH_MS) return;
      if (turnEnded && !transcriptDeadline.running) transcriptDeadline.start();
    },

    async close() {
      closed = true;
      stopDeadlines();
      permit?.release();
      await transcriber?.close();
    },
  };

  /** Chooses the first transcriber whose account has a free permit; without any, the agent's own is used anyway. */
  async function acquirePermit(): Promise<void> {
    for (let choice = 0; choice < choices.length; choice++) {
      const { account } = choices[choice]!;
      permit = permits.tryAcquire(account) ?? (await permits.acquire(account, 0));
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
