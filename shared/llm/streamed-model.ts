import { type Clock, systemClock } from '../clock.ts';
import { errorText, type Logger } from '../log.ts';
import type { AnswerReader } from './answer-reader.ts';
import { createEventStreamReader } from './event-stream.ts';
import { type Exchange, hasIdleConnection, openExchange } from './http-exchange.ts';
import { type ChatPart, type ChatRequest, type LanguageModel, LanguageModelError } from './language-model.ts';
import { parseJson, record } from './loose-json.ts';
import { refusal } from './model-failures.ts';
import { estimateTokens, requestCharacters } from './token-estimate.ts';

/** What one provider's protocol says; the rest, the same for all, is below. */
export interface ModelProtocol {
  headers: Record<string, string>;
  /** Where completions are asked for, by POST. */
  url: string;
  /** The JSON of one completion. */
  body(request: ChatRequest): unknown;
  reader(): AnswerReader;
  /** A cheap question by GET, asked only so that the connection stands. */
  warmUrl: string;
}

export interface StreamedModelOptions {
  provider: string;
  model: string;
  protocol: ModelProtocol;
  log: Logger;
  clock?: Clock;
}

/** How long the count of tokens may follow the last word. */
const USAGE_WAIT_MS = 150;
const WARM_DEADLINE_MS = 3_000;

/**
 * A language model that answers one HTTP request with server-sent events. The parts come straight from the bytes; the
 * request leaves with the first `next()`.
 */
export function createStreamedModel(options: StreamedModelOptions): LanguageModel {
  const { provider, model, protocol: wire, log, clock = systemClock } = options;
  const headers = { 'user-agent': 'antiphon', ...wire.headers };

  async function* stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatPart> {
    if (signal.aborted) return;
    const exchange = ask(request);
    const abort = () => exchange.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const response = await exchange.response();
      if (response === null) return;
      if (response.status !== 200) {
        const body = parseJson((await exchange.wholeBody()).toString());
        if (signal.aborted) return;
        const said = record(Array.isArray(body) ? body[0] : body);
        const error = said.error ?? said;
        // The provider's sentence may quote what was sent: for debugging only.
        const { message } = record(error);
        log.debug({ provider, status: response.status, said: message }, 'the language model refused a request');
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

  function ask(request: ChatRequest): Exchange {
    const body = JSON.stringify(wire.body(request));
    try {
      return openExchange({ url: wire.url, method: 'POST', headers, body }, clock);
    } catch (error) {
      if (error instanceof LanguageModelError) throw error;
      // A key with a line break, for one, fits in no header.
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
    if (contentType.includes('application/json')) {
      // Asked for a stream, some servers answer in one piece, and some with an error under status 200.
      const whole = (await exchange.wholeBody()).toString();
      if (signal.aborted) return;
      yield* reader.read(whole);
    } else {
      const events = createEventStreamReader();
      let usageDeadline: number | null = null;
      while (!reader.done() && (reader.finish() === null || reader.usage() === null)) {
        // Once the model has said why it stops, only the count of tokens is still to come: a short wait.
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
    }
    if (reader.finish() === null && !reader.done()) {
      throw new LanguageModelError('unavailable', `${provider}: the answer was cut`);
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
          // Whatever it answers, the connection now stands; once read to its end, it is free for the first question.
          if ((await exchange.response()) !== null) await exchange.wholeBody();
        } finally {
          deadline.cancel();
          exchange.release();
        }
      } catch (error) {
        log.debug(
          { provider, error: errorText(error) },
          'the connection to the language model could not be opened early',
        );
      }
    },
  };
}
