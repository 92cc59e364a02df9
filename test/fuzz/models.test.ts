import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ChatPart, LanguageModelError } from '../../shared/llm/language-model.ts';
import { createLanguageModel } from '../../shared/llm/models.ts';
import { createLogger } from '../../shared/log.ts';
import { DEFAULT_LLM_MODEL } from '../../shared/providers/registry.ts';
import { LANGUAGE_MODEL_SETTINGS } from '../../shared/providers/settings.ts';
import { afterFile } from '../support/after-file.ts';
import { createDraws, type Draws } from './draws.ts';
import { anyMessage, damaged } from './hostile-json.ts';
import * as samples from './provider-samples.ts';
import { createTally, messagesOf, SEED } from './tally.ts';

/** Language models that stream anything: the adapter throws nothing but its own error, and its parts are well-formed. */

const EVENTS_OF_ANSWER = 12;
let url: string;
let respond: (response: ServerResponse) => void;

beforeAll(async () => {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => respond(response));
    response.on('error', () => {});
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterFile(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

const MODELS = {
  openai: [samples.OPENAI, { OPENAI_API_KEY: 'key' }, 'OPENAI_BASE_URL'],
  anthropic: [samples.ANTHROPIC, { ANTHROPIC_API_KEY: 'key' }, 'ANTHROPIC_URL'],
  google: [samples.GOOGLE, { GOOGLE_API_KEY: 'key' }, 'GOOGLE_URL'],
} as const;

/** Sends a body of events, in pieces that end anywhere; returns how many. */
function stream(response: ServerResponse, draws: Draws, among: readonly object[]): number {
  const status = draws.chance(0.9) ? 200 : draws.pick([204, 400, 401, 404, 429, 500, 503, 529]);
  const type = draws.chance(0.95) ? 'text/event-stream' : draws.pick(['application/json', 'text/html', 'x']);
  const retry = draws.chance(0.1)
    ? { 'retry-after': draws.pick(['1', '-1', 'x', '1e9', 'Wed, 21 Oct 2015 07:28:00 GMT']) }
    : {};
  response.writeHead(status, { 'content-type': type, ...retry });
  const lines: Buffer[] = [];
  const events = 1 + draws.below(EVENTS_OF_ANSWER);
  for (let count = 0; count < events; count++) {
    const prefix = draws.chance(0.05)
      ? draws.pick(['', 'event: x\n', ': \n', 'id: \u0000\n', 'retry: x\n', 'data:'])
      : '';
    const end = draws.chance(0.95) ? '\n\n' : draws.pick(['\n', '\r\n\r\n', '\r\r', '']);
    lines.push(
      Buffer.concat([Buffer.from(`${prefix}data: `), Buffer.from(anyMessage(draws, among)), Buffer.from(end)]),
    );
  }
  if (draws.chance(0.3)) lines.push(Buffer.from('data: [DONE]\n\n'));
  const whole = draws.chance(0.05) ? damaged(draws, Buffer.concat(lines)) : Buffer.concat(lines);
  const half = draws.below(whole.length + 1);
  response.write(whole.subarray(0, half));
  setImmediate(() => {
    response.write(whole.subarray(half));
    if (draws.chance(0.8)) response.end();
    else response.destroy();
  });
  return events;
}

function wrongIn(part: ChatPart): string | null {
  if (part.type === 'text') return typeof part.text === 'string' ? null : `a text that is ${typeof part.text}`;
  if (part.type === 'usage') {
    const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
    return isCount(part.input_tokens) && isCount(part.output_tokens) ? null : `usage ${JSON.stringify(part)}`;
  }
  if (part.type !== 'tool_call') return null;
  const { id, name, arguments: text } = part.call;
  const texts = [id, name, text].every((each) => typeof each === 'string');
  return texts && name !== '' ? null : `call ${JSON.stringify(part.call)}`;
}

describe.each(Object.entries(MODELS))('the model of %s', (name, [events, key, address]) => {
  it('survives any answer', async () => {
    const total = messagesOf(1_000);
    const tally = createTally(`model ${name}`, total);
    const draws = createDraws(SEED);
    const settings = z.object(LANGUAGE_MODEL_SETTINGS).parse({ ...key, [address]: url });
    const provider = name as keyof typeof MODELS;
    const model = createLanguageModel(provider, DEFAULT_LLM_MODEL[provider], settings, createLogger('test', 'silent'));
    let sent = 0;
    respond = (response) => {
      sent += stream(response, draws, events);
    };
    while (sent < total) {
      const before = sent;
      let finished = 0;
      try {
        const request = {
          messages: [{ role: 'user' as const, content: 'Hi' }],
          tools: [],
          temperature: 0,
          max_tokens: 9,
        };
        for await (const part of model.stream(request, AbortSignal.timeout(30_000))) {
          const wrong = wrongIn(part);
          if (wrong) tally.found(wrong);
          if (part.type === 'finish' && ++finished > 1) tally.found('finished twice');
        }
      } catch (error) {
        if (!(error instanceof LanguageModelError))
          tally.found(error instanceof Error ? `${error.stack}` : String(error));
        const wait = error instanceof LanguageModelError ? error.retryAfterMs : null;
        if (wait !== null && !(Number.isFinite(wait) && wait >= 0)) tally.found(`Retry-After is ${wait} ms`);
      }
      for (let count = before; count < sent; count++) tally.add('sent');
      if (sent === before) tally.found('the model was not asked');
    }
    expect(tally.end()).toEqual([]);
  }, 86_400_000);
});
