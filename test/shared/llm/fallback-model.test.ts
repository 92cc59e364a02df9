import { beforeEach, expect, test } from 'vitest';
import { createFallbackModel, HEDGE_AFTER_MS } from '../../../shared/llm/fallback-model.ts';
import {
  type ChatPart,
  type ChatRequest,
  type LanguageModel,
  LanguageModelError,
} from '../../../shared/llm/language-model.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let clock: VirtualClock;
let log: string[];
let outcomes: string[];

beforeEach(() => {
  clock = createVirtualClock();
  log = [];
  outcomes = [];
});

interface Behaviour {
  afterMs?: number;
  says?: string[];
  fails?: LanguageModelError;
}

function model(name: string, ...behaviours: Behaviour[]): LanguageModel {
  return {
    provider: name,
    model: 'm',
    warm: async () => void log.push(`warm ${name}`),
    async *stream(_request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatPart> {
      const { afterMs = 0, says = [], fails } = behaviours.length > 1 ? behaviours.shift()! : (behaviours[0] ?? {});
      log.push(`ask ${name}`);
      signal.addEventListener('abort', () => log.push(`stop ${name}`), { once: true });
      if (afterMs > 0) await new Promise<void>((resolve) => clock.after(afterMs, resolve));
      for (const text of says) yield { type: 'text', text };
      if (fails) throw fails;
      yield { type: 'usage', input_tokens: 1, output_tokens: says.length };
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

function chain(...choices: LanguageModel[]) {
  return createFallbackModel({
    choices,
    clock,
    onFallback: ({ reason, from, to }) => log.push(`${from.provider} → ${to.provider} (${reason})`),
    onOutcome: ({ provider }, failure) => outcomes.push(`${provider} ${failure?.kind ?? 'answered'}`),
  });
}

async function answerOf(of: LanguageModel, signal = new AbortController().signal): Promise<string> {
  const request: ChatRequest = { messages: [], tools: [], temperature: 0, max_tokens: 10 };
  let text = '';
  const reading = (async () => {
    for await (const part of of.stream(request, signal)) {
      if (part.type === 'text') text += part.text;
    }
  })();
  reading.catch(() => {});
  await clock.advance(10_000);
  await reading;
  return text;
}

const full = new LanguageModelError('capacity', 'too many requests', 429);

test('a model that responds in time is the only one requested', async () => {
  expect(await answerOf(chain(model('a', { says: ['hello'] }), model('b')))).toBe('hello');
  expect(log.filter((line) => line.startsWith('ask'))).toEqual(['ask a']);
});

test('one that fails before its first word is replaced at once, and for the rest of the call', async () => {
  const both = chain(model('a', { fails: full }), model('b', { says: ['hello'] }));
  expect(await answerOf(both)).toBe('hello');
  expect(await answerOf(both)).toBe('hello');
  expect(log.filter((line) => line.startsWith('ask'))).toEqual(['ask a', 'ask b', 'ask b']);
  expect(log).toContain('a → b (capacity: too many requests)');
  expect(both.active.provider).toBe('b');
});

test('a slow model is hedged, and the first to begin is used', async () => {
  const slow = { afterMs: HEDGE_AFTER_MS + 500, says: ['late'] };
  expect(await answerOf(chain(model('a', slow), model('b', { afterMs: 100, says: ['here'] })))).toBe('here');
  expect(log).toContain('stop a');
  log = [];
  expect(await answerOf(chain(model('a', slow), model('b', { afterMs: 3_000, says: ['here'] })))).toBe('late');
  expect(log).toContain('stop b');
  expect(log.some((line) => line.includes('→'))).toBe(false);
});

test('after the first word no model is replaced', async () => {
  const both = chain(model('a', { says: ['half'], fails: full }), model('b', { says: ['other'] }));
  await expect(answerOf(both)).rejects.toMatchObject({ kind: 'capacity' });
  expect(log.filter((line) => line.startsWith('ask'))).toEqual(['ask a']);
});

test('when all fail the last failure is thrown', async () => {
  const timeout = new LanguageModelError('timeout', 'nothing');
  await expect(answerOf(chain(model('a', { fails: full }), model('b', { fails: timeout })))).rejects.toMatchObject({
    kind: 'timeout',
  });
});

test('aborting stops every requested model, and requests no other', async () => {
  const stop = new AbortController();
  const both = chain(model('a', { afterMs: 5_000, says: ['late'] }), model('b', { afterMs: 5_000, says: ['late'] }));
  clock.after(HEDGE_AFTER_MS + 100, () => stop.abort());
  await answerOf(both, stop.signal);
  expect(log.filter((line) => line.startsWith('stop')).sort()).toEqual(['stop a', 'stop b']);
});

test('every request counts once for the health of each model it was sent to: answered in time, slow or failed', async () => {
  const fails = new LanguageModelError('unavailable', 'gone');
  const of = chain(model('a', { says: ['yes'] }, { afterMs: 3_000, says: ['late'] }), model('b', { fails }));
  await answerOf(of);
  await answerOf(of);
  expect(outcomes).toEqual(['a answered', 'a timeout', 'b unavailable']);
});

test('a request that is cancelled before the first token counts for nothing', async () => {
  const abort = new AbortController();
  const fails = new LanguageModelError('unavailable', 'cancelled');
  const reading = answerOf(chain(model('a', { afterMs: 500, fails }), model('b')), abort.signal).catch(() => {});
  abort.abort();
  await reading;
  expect(outcomes).toEqual([]);
});
