import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { deepgramFlux } from '../../shared/providers/deepgram.ts';
import { type AudioFormat, bytesPerSample } from '../audio/format.ts';
import { createHandshake } from '../provider/handshake.ts';
import { parseJsonMessage } from '../provider/json-message.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { CONNECT_DEADLINE_MS, closeFailure, createProviderSocket } from '../provider/socket.ts';
import { DEEPGRAM_ENCODINGS, deepgramFailure } from './deepgram-protocol.ts';
import type { Transcriber, TranscriberAdapter, TranscriberListener } from './transcriber.ts';

/**
 * Deepgram Flux over its WebSocket `/v2/listen` (public documentation: developers.deepgram.com, "Flux", and the
 * vendor's published AsyncAPI description). Flux decides turns itself, by words and prosody.
 *
 * Sound goes out as it comes, one binary message per 20 ms frame. The vendor advises messages of 80 ms; collecting
 * four frames would hold the last words of every turn back by up to 60 ms, to save the vendor a few headers.
 */

const PROVIDER = 'deepgram_flux';
/** Sound kept while the connection is being made. */
const KEPT_MS = 2_000;
const LIVENESS = { everyMs: 2_500, deadAfterMs: 10_000 };
/**
 * Within a turn Flux tells of every quarter second of sound, so this much sound without a word from it means that it
 * is stuck. Between turns it may lawfully say nothing: there only ping and pong tell that it lives.
 */
const SILENT_TURN_MS = 10_000;
const MAX_KEYTERMS = 100;
const HINTS = new Set(['en', 'es', 'fr', 'de', 'hi', 'ru', 'pt', 'ja', 'it', 'nl']);

export type TurnDetection = 'responsive' | 'balanced' | 'patient';

/**
 * | turn_detection | eot_threshold | eager_eot_threshold | eot_timeout_ms |
 * | responsive     | 0.6           | 0.35                | 3000           |
 * | balanced       | 0.7 (vendor's)| 0.5                 | 5000 (vendor's)|
 * | patient        | 0.85          | 0.6                 | 8000           |
 *
 * A turn ends when its confidence passes the first, or after the third without speech. The second is the confidence
 * at which an eager end is told; without it Flux tells none. All lie in the ranges of every published version.
 */
export const FLUX_TURN_DETECTION: Record<TurnDetection, { eot: number; eager: number; timeoutMs: number }> = {
  responsive: { eot: 0.6, eager: 0.35, timeoutMs: 3_000 },
  balanced: { eot: 0.7, eager: 0.5, timeoutMs: 5_000 },
  patient: { eot: 0.85, eager: 0.6, timeoutMs: 8_000 },
};

export interface DeepgramFluxOptions {
  /** The vendor's base address, `wss://api.deepgram.com` or a regional one. */
  url: string;
  apiKey: string;
  /** `flux-general-en` or `flux-general-multi`. */
  model: string;
  turnDetection: TurnDetection;
  /** Words to expect. At most 100; a comma becomes a space, for the vendor takes no commas. */
  keyterms?: readonly string[];
  /** Language tags; used by `flux-general-multi` only, those it does not know are left out. */
  languageHints?: readonly string[];
  input: AudioFormat;
  clock: Clock;
  log: Logger;
  listener: TranscriberListener;
}

export function fluxAddress(options: DeepgramFluxOptions): string {
  const turn = FLUX_TURN_DETECTION[options.turnDetection];
  const query = new URLSearchParams({
    model: options.model,
    encoding: DEEPGRAM_ENCODINGS[options.input.encoding],
    sample_rate: String(options.input.sample_rate),
    eot_threshold: String(turn.eot),
    eager_eot_threshold: String(turn.eager),
    eot_timeout_ms: String(turn.timeoutMs),
  });
  const terms = (options.keyterms ?? []).map((term) => term.replaceAll(',', ' ').trim()).filter((term) => term !== '');
  for (const term of terms.slice(0, MAX_KEYTERMS)) query.append('keyterm', term);
  if (options.model === 'flux-general-multi') {
    const hints = (options.languageHints ?? []).map((tag) => tag.split(/[-_]/)[0]!.toLowerCase());
    for (const hint of new Set(hints)) if (HINTS.has(hint)) query.append('language_hint', hint);
  }
  return `${options.url.replace(/\/+$/, '')}/v2/listen?${query}`;
}

export function createDeepgramFlux(options: DeepgramFluxOptions): Transcriber {
  const { clock, log, input } = options;
  const bytesPerMs = (input.sample_rate * bytesPerSample(input)) / 1000;
  const maxKeptBytes = KEPT_MS * bytesPerMs;

  let opening: Promise<void> | null = null;
  let closed = false;
  let told = false;
  let flowing = false;
  let kept: Uint8Array[] = [];
  let keptBytes = 0;

  let nextSequence = 0;
  let openTurn: number | null = null;
  let lastEnded = -1;
  let eager = false;
  let text = '';
  let bytesSinceMessage = 0;
  let oddMessages = 0;

  const greeting = createHandshake(clock, CONNECT_DEADLINE_MS, () =>
    socket.fail(new ProviderError(PROVIDER, 'timeout', `not ready within ${CONNECT_DEADLINE_MS} ms`)),
  );

  const socket = createProviderSocket({
    provider: PROVIDER,
    url: fluxAddress(options),
    headers: { Authorization: `Token ${options.apiKey}` },
    clock,
    liveness: LIVENESS,
    refusalHeader: 'dg-error',
    closeMeaning: (code, reason) => deepgramFailure(reason) ?? closeFailure(code),
    onText,
    onFailed,
  });

  function onFailed(error: ProviderError): void {
    flowing = false;
    if (greeting.failed(error) || closed || told) return;
    told = true;
    options.listener({ type: 'failed', error });
  }

  function odd(what: string): void {
    oddMessages++;
    if (oddMessages === 1) log.warn({ provider: PROVIDER, what }, 'odd message from the transcriber, left out');
  }

  function onText(raw: string): void {
    bytesSinceMessage = 0;
    const message = parseJsonMessage(raw);
    if (typeof message === 'string') {
      odd(message);
      return;
    }
    checkSequence(message.sequence_id);
    switch (message.type) {
      case 'Connected':
        greeting.completed();
        return;
      case 'TurnInfo':
        greeting.completed();
        onTurnInfo(message);
        return;
      case 'Error': {
        const code = typeof message.code === 'string' ? message.code.slice(0, 80) : 'no code';
        socket.fail(
          new ProviderError(PROVIDER, deepgramFailure(code) ?? 'unavailable', `the transcriber reported ${code}`),
        );
        return;
      }
      default:
        // Configure acknowledgements and whatever the vendor adds later.
        return;
    }
  }

  /** A gap means that the vendor lost a message; the turn numbers keep the turns right whatever happens here. */
  function checkSequence(sequence: unknown): void {
    if (typeof sequence !== 'number') return;
    if (sequence !== nextSequence) odd('sequence_id out of order');
    nextSequence = sequence + 1;
  }

  function onTurnInfo(message: Record<string, unknown>): void {
    const turn = message.turn_index;
    if (typeof turn !== 'number' || !Number.isInteger(turn) || turn < 0) {
      odd('turn_index');
      return;
    }
    if (turn <= lastEnded) {
      odd('of a turn that has ended');
      return;
    }
    if (openTurn !== null && turn < openTurn) {
      odd('of an earlier turn');
      return;
    }
    const heard = typeof message.transcript === 'string' ? message.transcript.trim() : '';

    if (openTurn !== null && turn > openTurn) {
      // Its end was never told. The caller's words are kept rather than lost.
      odd('turn not ended');
      endTurn(text);
    }
    switch (message.event) {
      case 'StartOfTurn':
        if (openTurn === null) startTurn(turn, heard);
        else update(heard);
        return;
      case 'Update':
        if (openTurn === null && heard === '') return;
        if (openTurn === null) startTurn(turn, heard);
        else update(heard);
        return;
      case 'EagerEndOfTurn':
        if (heard === '') return;
        if (openTurn === null) startTurn(turn, heard);
        text = heard;
        if (eager) return;
        eager = true;
        options.listener({ type: 'turn_eager_end', turn, text });
        return;
      case 'TurnResumed':
        if (!eager) {
          if (openTurn !== null) update(heard);
          return;
        }
        eager = false;
        text = heard || text;
        options.listener({ type: 'turn_resumed', turn, text });
        return;
      case 'EndOfTurn':
        if (openTurn === null && heard === '') {
          lastEnded = turn;
          return;
        }
        if (openTurn === null) startTurn(turn, heard);
        endTurn(heard || text);
        return;
      default:
        return;
    }
  }

  function startTurn(turn: number, heard: string): void {
    openTurn = turn;
    eager = false;
    text = heard;
    options.listener({ type: 'turn_started', turn, text });
  }

  function update(heard: string): void {
    if (heard === '' || heard === text) return;
    text = heard;
    options.listener({ type: 'partial', turn: openTurn!, text });
  }

  function endTurn(words: string): void {
    const turn = openTurn!;
    lastEnded = turn;
    openTurn = null;
    eager = false;
    text = '';
    options.listener({ type: 'turn_ended', turn, text: words });
  }

  function keep(chunk: Uint8Array): void {
    kept.push(chunk.slice());
    keptBytes += chunk.length;
    while (keptBytes > maxKeptBytes && kept.length > 1) keptBytes -= kept.shift()!.length;
  }

  async function connect(): Promise<void> {
    const greeted = greeting.expect();
    try {
      await socket.open();
    } catch (error) {
      greeting.stop();
      throw error;
    }
    flowing = socket.isOpen;
    for (const chunk of kept) socket.send(chunk);
    kept = [];
    keptBytes = 0;
    await greeted;
  }

  return {
    provider: PROVIDER,
    model: options.model,
    input,
    decidesTurns: true,
    open() {
      opening ??= connect();
      return opening;
    },
    audio(chunk) {
      if (closed || told || chunk.length === 0) return;
      if (!flowing) {
        keep(chunk);
        return;
      }
      socket.send(chunk);
      if (openTurn === null) return;
      bytesSinceMessage += chunk.length;
      if (bytesSinceMessage > SILENT_TURN_MS * bytesPerMs) {
        socket.fail(
          new ProviderError(PROVIDER, 'timeout', `no message for ${SILENT_TURN_MS} ms of sound within a turn`),
        );
      }
    },
    finalize() {},
    close() {
      closed = true;
      flowing = false;
      kept = [];
      greeting.failed(new ProviderError(PROVIDER, 'unavailable', 'closed while it was being opened'));
      return socket.close('{"type":"CloseStream"}');
    },
  };
}

export const adapter: TranscriberAdapter<typeof deepgramFlux> = ({ settings, transcriber, ...call }) =>
  createDeepgramFlux({
    ...call,
    url: settings.DEEPGRAM_URL,
    apiKey: settings.DEEPGRAM_API_KEY,
    model: transcriber.model,
    turnDetection: transcriber.turn_detection,
    keyterms: transcriber.keyterms,
  });
