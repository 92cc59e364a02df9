import { createDenoiser, loadDenoiser } from '../../media/audio/denoise.ts';
import { frameSamples } from '../../media/audio/denoise-protocol.ts';
import type { AudioFormat } from '../../media/audio/format.ts';
import type { ProviderFactory } from '../../media/call/provider-factory.ts';
import { ProviderError, type ProviderFailure } from '../../media/provider/provider-error.ts';
import type { RealtimeEvent, RealtimeListener, RealtimeModel } from '../../media/realtime/realtime-model.ts';
import type { TranscriberEvent } from '../../media/stt/transcriber.ts';
import type { SynthesizerEvent } from '../../media/tts/synthesizer.ts';
import type { CapturedComponent, CapturedFailure, CapturedSynthesizerEvent } from '../../shared/capture.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import {
  type ChatPart,
  type LanguageModel,
  LanguageModelError,
  type LanguageModelFailure,
} from '../../shared/llm/language-model.ts';
import { contextTokensOf, type LlmProvider } from '../../shared/providers/registry.ts';
import { SafeFetchError, type SafeFetchFailure, type SafeResponse } from '../../shared/safe-fetch.ts';
import { type Capture, type EntryOf, entriesOf } from './read-capture.ts';

/** The providers of a replay: the n-th request gets the n-th captured reply, with its delay. */

/** Reports a request that is not in the capture, a sign that the engine decides differently. */
export type ReportMissing = (what: string) => void;

export async function createCapturedProviders(
  capture: Capture,
  clock: Clock,
  zeroMs: number,
  missing: ReportMissing,
): Promise<ProviderFactory> {
  const transcriberEvents = byNumber(entriesOf(capture, 'transcriber_event'));
  const synthesizerEvents = byNumber(entriesOf(capture, 'synthesizer_event'));
  const synthesizerFailures = byNumber(entriesOf(capture, 'synthesizer_failed'));
  const modelParts = byNumber(entriesOf(capture, 'llm_part'));
  const asked = new Set(entriesOf(capture, 'llm_request').map(({ n }) => n));
  const fetched = entriesOf(capture, 'tool_response');
  const turns = byNumber(entriesOf(capture, 'turn_prediction'));
  const created = entriesOf(capture, 'created');
  const opened = entriesOf(capture, 'opened');
  const sessions = entriesOf(capture, 'session_created');
  const sessionEvents = byNumber(entriesOf(capture, 'session_event'));
  const count = { session: 0, transcriber: 0, speech: 0, modelParts: 0, fetched: 0, turn: 0 };
  const rnnoise = await loadDenoiser();

  const formatOf = (component: CapturedComponent, n: number, legFormat: AudioFormat): AudioFormat =>
    (created.find((entry) => entry.component === component && entry.n === n)?.format as AudioFormat | undefined) ??
    legFormat;
  const opening = (component: CapturedComponent, n: number) => async () => {
    const known = opened.find((entry) => entry.component === component && entry.n === n);
    if (!known) return missing(`${component} ${n} was never opened`);
    await wait(clock, known.after);
    if (known.failure) throw providerError(known.failure);
  };

  const model: (name: { provider: LlmProvider; model: string }) => LanguageModel = ({ provider, model }) => ({
    contextTokens: contextTokensOf(provider, model),
    provider,
    model,
    warm: async () => {},
    async *stream(_request, signal) {
      const n = count.modelParts++;
      const parts = modelParts.get(n) ?? [];
      if (!asked.has(n)) {
        missing('a question to the model');
        throw new LanguageModelError('unavailable', 'the capture has no further reply');
      }
      const askedMs = clock.now();
      for (const { after, part, failure } of parts) {
        await wait(clock, askedMs + after - clock.now(), signal);
        if (signal.aborted) return;
        if (failure) throw modelError(failure);
        yield part as ChatPart;
      }
      const last = parts.at(-1)?.part;
      // The captured request was cancelled here.
      if (last?.type !== 'finish')
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  });
  const models = new Map<string, LanguageModel>();

  return {
    realtime:
      ({ llm }) =>
      ({ listener }) => {
        const n = count.session++;
        const known = sessions.find((entry) => entry.n === n);
        if (!known) {
          missing(`realtime session ${n}`);
          throw new ProviderError(llm.provider, 'unavailable', 'the capture has no further session');
        }
        return capturedSession(known, sessionEvents.get(n) ?? [], {
          ...{ clock, zeroMs, missing, listener, open: opening('realtime', n) },
        });
      },
    ambientSound: () => null,
    knowledgeDeadlineMs: 400,
    transcriber({ transcriber }, legFormat, listener) {
      const n = count.transcriber++;
      if (!created.some((entry) => entry.component === 'transcriber' && entry.n === n)) missing(`transcriber ${n}`);
      const timers = (transcriberEvents.get(n) ?? []).flatMap(({ t, event }) => {
        const inMs = zeroMs + t - clock.now();
        return inMs < 0 ? [] : [clock.after(inMs, () => listener(transcriberEvent(event)))];
      });
      return {
        provider: transcriber.provider,
        model: transcriber.model,
        input: formatOf('transcriber', n, legFormat),
        decidesTurns:
          created.find((entry) => entry.component === 'transcriber' && entry.n === n)?.decides_turns ??
          transcriber.provider === 'deepgram_flux',
        open: opening('transcriber', n),
        audio() {},
        finalize() {},
        async close() {
          for (const timer of timers) timer.cancel();
        },
      };
    },
    synthesizer({ voice }, legFormat, listener) {
      const n = count.speech++;
      if (!created.some((entry) => entry.component === 'synthesizer' && entry.n === n)) missing(`synthesizer ${n}`);
      const contexts = new Map<string, Timer[]>();
      const all: Timer[] = [];
      let begun = 0;
      const entries = synthesizerEvents.get(n) ?? [];
      const lost = synthesizerFailures.get(n)?.[0];
      if (lost) {
        const error = () => listener({ type: 'failed', contextId: null, error: providerError(lost.failure) });
        all.push(clock.after(Math.max(0, zeroMs + lost.t - clock.now()), error));
      }
      return {
        provider: voice.provider,
        model: voice.model,
        output: formatOf('synthesizer', n, legFormat),
        open: opening('synthesizer', n),
        speak(contextId) {
          if (contexts.has(contextId)) return;
          const c = begun++;
          const own = entries.filter((entry) => entry.c === c);
          if (own.length === 0 && !lost) missing(`the audio of reply ${c} of synthesizer ${n}`);
          contexts.set(
            contextId,
            own.map(({ after, event }) => clock.after(after, () => listener(voiceEvent(contextId, event)))),
          );
        },
        end() {},
        cancel(contextId) {
          for (const timer of contexts.get(contextId) ?? []) timer.cancel();
        },
        async close() {
          for (const timer of [...all, ...[...contexts.values()].flat()]) timer.cancel();
        },
      };
    },
    model({ llm }) {
      const key = `${llm.provider} ${llm.model}`;
      const known = models.get(key) ?? model(llm);
      models.set(key, known);
      return known;
    },
    denoiser({ call }, rateHz, listener) {
      if (!call.noise_cancellation) return null;
      const denoiser = createDenoiser(rnnoise, call.noise_cancellation_strength, rateHz);
      const clean = new Int16Array(frameSamples(rateHz));
      return {
        push(samples, atMs) {
          denoiser.process(samples, clean);
          listener(clean, atMs - denoiser.delayMs);
        },
        close: () => denoiser.close(),
      };
    },
    turnDetector:
      turns.size === 0
        ? null
        : {
            stats: { requested: 0, answered: 0, late: 0, failed: 0 },
            close: async () => {},
            open: () => ({
              push() {},
              close() {},
              predict(_sinceMs, answer) {
                const captured = turns.get(count.turn++)?.[0];
                if (captured) clock.after(captured.after, () => answer(captured.p));
              },
            }),
          },
    async safeFetch() {
      const captured = fetched.find(({ n }) => n === count.fetched);
      count.fetched++;
      if (!captured) {
        missing('a request of a tool');
        throw new SafeFetchError('connection refused');
      }
      await wait(clock, captured.after);
      if (captured.failure)
        throw new SafeFetchError(captured.failure.kind as SafeFetchFailure, captured.failure.message);
      return captured.response as unknown as SafeResponse;
    },
  };
}

function byNumber<Entry extends { n: number }>(entries: readonly Entry[]): Map<number, Entry[]> {
  return Map.groupBy(entries, ({ n }) => n);
}

/** Resolves after that time of the clock, or when aborted. */
export function wait(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(Math.max(0, ms), resolve);
    signal?.addEventListener('abort', () => {
      timer.cancel();
      resolve();
    });
  });
}

interface CapturedSessionOptions {
  clock: Clock;
  zeroMs: number;
  missing: ReportMissing;
  listener: RealtimeListener;
  open(): Promise<void>;
}

/** What belongs to a reply comes so long after it is asked for, everything else at its own time. */
function capturedSession(
  { provider, model, input, output, edits, text_output, max_session_ms }: EntryOf<'session_created'>,
  events: readonly EntryOf<'session_event'>[],
  { clock, zeroMs, missing, listener, open }: CapturedSessionOptions,
): RealtimeModel {
  const replies = new Map<string, Timer[]>();
  const timers = events
    .filter(({ c }) => c === null)
    .map(({ t, event }) => clock.after(Math.max(0, zeroMs + t - clock.now()), () => listener(sessionEvent(event, ''))));
  return {
    ...{ provider, model, input: input as AudioFormat, output: output as AudioFormat, open },
    capabilities: { edits, textOutput: text_output, maxSessionMs: max_session_ms },
    startSpeech() {},
    audio() {},
    commit() {},
    instruct() {},
    add() {},
    remove() {},
    truncate() {},
    reply({ replyId }) {
      const own = events.filter(({ c }) => c === replies.size);
      if (own.length === 0) missing(`reply ${replies.size} of a realtime session`);
      const give = ({ after, event }: EntryOf<'session_event'>) =>
        clock.after(after, () => listener(sessionEvent(event, replyId)));
      replies.set(replyId, own.map(give));
    },
    cancel(replyId) {
      for (const timer of replies.get(replyId) ?? []) timer.cancel();
    },
    async close() {
      for (const timer of [...timers, ...[...replies.values()].flat()]) timer.cancel();
    },
  };
}

function sessionEvent(event: Record<string, unknown>, replyId: string): RealtimeEvent {
  // The capture has only the length of what was said.
  if (event.type === 'audio') return { ...event, replyId, bytes: new Uint8Array(Number(event.bytes)) } as RealtimeEvent;
  if (event.type !== 'failed') return { ...event, replyId } as unknown as RealtimeEvent;
  return { type: 'failed', error: providerError(event.failure as CapturedFailure) };
}

function transcriberEvent(event: EntryOf<'transcriber_event'>['event']): TranscriberEvent {
  if (event.type !== 'failed') return event as unknown as TranscriberEvent;
  return { type: 'failed', error: providerError(event.failure as CapturedFailure) };
}

function voiceEvent(contextId: string, event: CapturedSynthesizerEvent): SynthesizerEvent {
  switch (event.type) {
    // The capture has only the length of synthesized audio.
    case 'audio':
      return { type: 'audio', contextId, bytes: new Uint8Array(event.bytes) };
    case 'failed':
      return { type: 'failed', contextId, error: providerError(event.failure) };
    default:
      return { ...event, contextId };
  }
}

const providerError = ({ provider, kind, message }: CapturedFailure) =>
  new ProviderError(provider, kind as ProviderFailure, message);

const modelError = ({ kind, message, status, retry_after_ms }: CapturedFailure) =>
  new LanguageModelError(kind as LanguageModelFailure, message, status ?? 0, retry_after_ms ?? null);
