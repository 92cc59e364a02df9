import { type Clock, systemClock } from '../clock.ts';
import { errorText, type Logger } from '../log.ts';
import type { AnswerReader } from './answer-reader.ts';
import { createEventStreamReader } from './event-stream.ts';
import { type Exchange, hasIdleConnection, openExchange } from './http-exchange.ts';
import { type ChatPart, type ChatRequest, type LanguageModel, LanguageModelError } from './language-model.ts';
import { parseJson, record } from './loose-json.ts';
import { refusal } from './model-failures.ts';
import { estimateTokens, requestCharacters } from './token-estimate.ts';

/** The parts of a provider's protocol that differ. */
export interface ModelProtocol {
  headers: Record<string, string>;
  /** Where completions are requested, by POST. */
  url: string;
  /** The JSON of one completion. */
  body(request: ChatRequest): unknown;
  reader(): AnswerReader;
  /** A cheap GET that opens the connection. */
  warmUrl: string;
}

export interface StreamedModelOptions {
  provider: string;
  model: string;
  protocol: ModelProtocol;
  log: Logger;
  clock?: Clock;
}

/** How long the token count may come after the finish reason. */
const USAGE_WAIT_MS = 150;
const WARM_DEADLINE_MS = 3_000;

/**
 * A language model that responds to one HTTP request with server-sent events. The request is sent with the first `next()`.
 */
export function createStreamedModel(options: StreamedModelOptions): LanguageModel {
  const { provider, model, protocol: wire, log, clock = systemClock } = options;
  const headers = { 'user-agent': 'antiphon', ...wire.headers };

  async function* stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatPart> {
    if (signal.aborted) return;
    const exchange = send(request);
    const abort = () => exchange.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const response = await exchange.response();
      if (response === null) return;
      if (response.status !== 200) {
        const body = parseJson((await exchange.wholeBody()).toString());
        if (signal.aborted) return;
        const json = record(Array.isArray(body) ? body[0] : body);
        const error = json.error ?? json;
        // The provider's message may quote the conversation: for debugging only.
        const { message } = record(error);
        log.debug({ provider, status: response.status, message }, 'language model request refused');
        throw refusal(provider, response.status, response.headers, error);
      }
      yield* readParts(request, response.contentType, exchange, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LanguageModelError) throw error;
      throw new LanguageModelError('unavailable', `${provider}: ${errorText(error)}`);
    } finally {
      signal.removeEventListener('abort', abort);
      exchange.release();
    }
  }

  function send(request: ChatRequest): Exchange {
    const body = JSON.stringify(wire.body(request));
    try {
      return openExchange({ url: wire.url, method: 'POST', headers, body }, clock);
    } catch (error) {
      if (error instanceof LanguageModelError) throw error;
      // For example, a key with a line break is no valid header.
      throw new LanguageModelError('bad_request', `${provider}: ${errorText(error)}`);
    }
  }

  async function* readParts(
    request: ChatRequest,
    contentType: string,
    exchange: Exchange,
    signal: AbortSignal,
  ): AsyncGenerator<ChatPart> {
    const reader = wire.reader();
    let plainText = '';
    if (contentType.includes('application/json')) {
      // Some servers respond with one JSON document, or an error, and status 200.
      const whole = (await exchange.wholeBody()).toString();
      if (signal.aborted) return;
      yield* reader.read(whole);
    } else {
      const events = createEventStreamReader();
      let usageDeadline: number | null = null;
      while (!reader.done() && (reader.finish() === null || reader.usage() === null)) {
        // After the finish reason only the token count is awaited, shortly.
        if (reader.finish() !== null) usageDeadline ??= clock.now() + USAGE_WAIT_MS;
        const bytes = await exchange.next(usageDeadline === null ? null : usageDeadline - clock.now());
        if (signal.aborted) return;
        const arrived = bytes === null ? events.end() : events.push(bytes);
        for (const data of arrived) {
          for (const part of reader.read(data)) {
            yield part;
            if (signal.aborted) return;
          }
        }
        if (bytes === null) break;
      }
      plainText = events.plainText();
    }
    if (reader.finish() === null && !reader.done()) {
      // An error that came as plain JSON says more than that the answer ended early.
      if (plainText !== '') reader.read(plainText);
      throw new LanguageModelError('unavailable', `${provider}: the answer was truncated`);
    }
    exchange.complete();
    yield* reader.rest();
    yield reader.usage() ?? {
      type: 'usage',
      input_tokens: estimateTokens(requestCharacters(request)),
      output_tokens: estimateTokens(reader.characters()),
    };
    yield reader.finish() ?? { type: 'finish', reason: 'other' };
  }

  return {
    provider,
    model,
    stream,
    async warm() {
      try {
        if (hasIdleConnection(wire.url)) return;
        const exchange = openExchange({ url: wire.warmUrl, method: 'GET', headers, body: '' }, clock);
        const deadline = clock.after(WARM_DEADLINE_MS, () => exchange.abort());
        try {
          // The response does not matter; once it is read, the connection is free for the first request.
          if ((await exchange.response()) !== null) await exchange.wholeBody();
        } finally {
          deadline.cancel();
          exchange.release();
        }
      } catch (error) {
        log.debug({ provider, error: errorText(error) }, 'language model connection could not be opened in advance');
      }
    },
  };
}
