import type { CapturedComponent, CapturedFailure, CapturedSynthesizerEvent } from '../../shared/capture.ts';
import { type LanguageModel, LanguageModelError } from '../../shared/llm/language-model.ts';
import { errorText } from '../../shared/log.ts';
import { type SafeFetch, SafeFetchError } from '../../shared/safe-fetch.ts';
import { ProviderError } from '../provider/provider-error.ts';
import type { RealtimeEvent, RealtimeListener, RealtimeModel } from '../realtime/realtime-model.ts';
import type { Transcriber } from '../stt/transcriber.ts';
import type { SynthesizerEvent } from '../tts/synthesizer.ts';
import type { TurnDetector } from '../turn/turn-detector.ts';
import type { CaptureEntries } from './capture-entries.ts';
import type { ProviderFactory } from './provider-factory.ts';
import { withMethods } from './with-methods.ts';

/** Returns the factory with all it creates captured: what providers emit, and the responses of tools and turn detector. */
export function captureProviderFactory(factory: ProviderFactory, entries: CaptureEntries): ProviderFactory {
  const { add, startTimer } = entries;
  let transcribers = 0;
  let synthesizers = 0;
  let llmRequests = 0;
  let sessions = 0;
  const models = new Map<LanguageModel, LanguageModel>();
  return {
    ...factory,
    transcriber(agent, input, listener) {
      const n = transcribers++;
      const transcriber = factory.transcriber(agent, input, (event) => {
        const captured = event.type === 'failed' ? { type: event.type, failure: failureOf(event.error) } : { ...event };
        add({ k: 'transcriber_event', n, event: captured });
        listener(event);
      });
      const { provider, model, input: format, decidesTurns: decides_turns } = transcriber;
      add({ k: 'created', component: 'transcriber', n, provider, model, format, decides_turns });
      return withMethods(transcriber, { open: captureOpen(transcriber, 'transcriber', n, entries) });
    },
    synthesizer(agent, output, listener) {
      const n = synthesizers++;
      const contexts = new Map<string, { c: number; elapsed: () => number }>();
      const synthesizer = factory.synthesizer(agent, output, (event) => {
        const known = event.type === 'failed' && event.contextId === null ? null : contexts.get(event.contextId!);
        if (known)
          add({ k: 'synthesizer_event', n, c: known.c, after: known.elapsed(), event: synthesizerEvent(event) });
        else if (event.type === 'failed') add({ k: 'synthesizer_failed', n, failure: failureOf(event.error) });
        listener(event);
      });
      const { provider, model, output: format } = synthesizer;
      add({ k: 'created', component: 'synthesizer', n, provider, model, format, decides_turns: false });
      return withMethods(synthesizer, {
        open: captureOpen(synthesizer, 'synthesizer', n, entries),
        speak(contextId: string, text: string) {
          if (!contexts.has(contextId)) contexts.set(contextId, { c: contexts.size, elapsed: startTimer() });
          synthesizer.speak(contextId, text);
        },
      });
    },
    model(agent) {
      const model = factory.model(agent);
      const known = models.get(model);
      if (known) return known;
      const captured: LanguageModel = {
        provider: model.provider,
        model: model.model,
        ...(model.contextTokens !== undefined && { contextTokens: model.contextTokens }),
        warm: () => model.warm(),
        async *stream(request, signal) {
          const n = llmRequests++;
          const elapsed = startTimer();
          add({ k: 'llm_request', n });
          try {
            for await (const part of model.stream(request, signal)) {
              add({ k: 'llm_part', n, after: elapsed(), part: { ...part }, failure: null });
              yield part;
            }
          } catch (error) {
            add({ k: 'llm_part', n, after: elapsed(), part: null, failure: failureOf(error) });
            throw error;
          }
        },
      };
      models.set(model, captured);
      return captured;
    },
    realtime(agent) {
      const open = factory.realtime(agent);
      return (options) =>
        captureSession((listener) => open({ ...options, listener }), options.listener, sessions++, entries);
    },
    safeFetch: captureFetch(factory.safeFetch, entries),
    turnDetector: factory.turnDetector && captureTurnDetector(factory.turnDetector, entries),
  };
}

/** `c` of its events is the number of the reply that they are of. */
function captureSession(
  open: (listener: RealtimeListener) => RealtimeModel,
  listener: RealtimeListener,
  n: number,
  entries: CaptureEntries,
): RealtimeModel {
  const { add, startTimer } = entries;
  const asked = new Map<string, { c: number; elapsed: () => number }>();
  const session = open((event) => {
    const reply = 'replyId' in event ? asked.get(event.replyId) : undefined;
    add({ k: 'session_event', n, c: reply?.c ?? null, after: reply?.elapsed() ?? 0, event: sessionEvent(event) });
    listener(event);
  });
  const { provider, model, input, output, capabilities } = session;
  const { edits, textOutput: text_output, maxSessionMs: max_session_ms } = capabilities;
  add({ k: 'session_created', n, provider, model, input, output, edits, text_output, max_session_ms });
  return withMethods(session, {
    open: captureOpen(session, 'realtime', n, entries),
    reply(request) {
      asked.set(request.replyId, { c: asked.size, elapsed: startTimer() });
      session.reply(request);
    },
  });
}

/** Without the id of its reply, which the engine chose. */
function sessionEvent(event: RealtimeEvent): Record<string, unknown> {
  if (event.type === 'failed') return { type: event.type, failure: failureOf(event.error) };
  if (event.type === 'audio') return { type: event.type, itemId: event.itemId, bytes: event.bytes.length };
  const { replyId: _, ...rest } = event as RealtimeEvent & { replyId?: string };
  return rest;
}

function captureOpen(
  opened: Pick<Transcriber, 'open'>,
  component: CapturedComponent,
  n: number,
  { add, startTimer }: CaptureEntries,
) {
  return async () => {
    const elapsed = startTimer();
    try {
      await opened.open();
      add({ k: 'opened', component, n, after: elapsed(), failure: null });
    } catch (error) {
      add({ k: 'opened', component, n, after: elapsed(), failure: failureOf(error) });
      throw error;
    }
  };
}

function captureFetch(fetch: SafeFetch, { add, startTimer }: CaptureEntries): SafeFetch {
  let requests = 0;
  return async (url, request) => {
    const n = requests++;
    const elapsed = startTimer();
    try {
      const response = await fetch(url, request);
      const { 'content-type': type = '' } = response.headers;
      const captured = { ...response, headers: { 'content-type': type } };
      add({ k: 'tool_response', n, after: elapsed(), response: captured, failure: null });
      return response;
    } catch (error) {
      add({ k: 'tool_response', n, after: elapsed(), response: null, failure: failureOf(error) });
      throw error;
    }
  };
}

function captureTurnDetector(detector: TurnDetector, { add, startTimer }: CaptureEntries): TurnDetector {
  let requests = 0;
  return {
    stats: detector.stats,
    close: () => detector.close(),
    open() {
      const stream = detector.open();
      return {
        push: (samples, atMs) => stream.push(samples, atMs),
        close: () => stream.close(),
        predict(turnStartMs, onResult) {
          const n = requests++;
          const elapsed = startTimer();
          stream.predict(turnStartMs, (p) => {
            add({ k: 'turn_prediction', n, after: elapsed(), p });
            onResult(p);
          });
        },
      };
    },
  };
}

function synthesizerEvent(event: SynthesizerEvent): CapturedSynthesizerEvent {
  switch (event.type) {
    case 'audio':
      return { type: 'audio', bytes: event.bytes.length };
    case 'timing':
      return { type: 'timing', text: event.text, startMs: event.startMs };
    case 'done':
      return { type: 'done' };
    case 'failed':
      return { type: 'failed', failure: failureOf(event.error) };
  }
}

function failureOf(error: unknown): CapturedFailure {
  if (error instanceof ProviderError) {
    return { provider: error.provider, kind: error.kind, message: error.message };
  }
  if (error instanceof LanguageModelError) {
    const { kind, message, status, retryAfterMs } = error;
    return { provider: '', kind, message, status, retry_after_ms: retryAfterMs };
  }
  const kind = error instanceof SafeFetchError ? error.kind : '';
  return { provider: '', kind, message: errorText(error) };
}
