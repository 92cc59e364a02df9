import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAnalyst, type ModelChoice, type Question } from '../../../control/analysis/analyst.ts';
import { readControlConfig } from '../../../control/config.ts';
import { type OpenAiSimulator, startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';

let own: OpenAiSimulator;
let other: OpenAiSimulator;
let answers: string[];

const OWN: ModelChoice = { provider: 'openai', model: 'gpt-4.1-mini' };
let OTHER: ModelChoice;

beforeAll(async () => {
  const answer = () => ({ text: answers.shift() ?? 'fine' });
  own = await startOpenAiSimulator({ answer, firstTokenMs: 1 });
  other = await startOpenAiSimulator({ answer, firstTokenMs: 1, flavour: 'groq' });
  OTHER = { provider: 'groq', model: 'llama-3.3-70b-versatile' };
});
afterAll(() => Promise.all([own.close(), other.close()]));
beforeEach(() => {
  answers = [];
  own.setMode('normal');
  other.setMode('normal');
  own.requests.length = 0;
  other.requests.length = 0;
});

function analyst() {
  const settings = readControlConfig({
    ...{ DATABASE_URL: 'none', MEDIA_TOKEN_SECRET: 'a secret of the tests', RECORDINGS_DIR: '/nowhere' },
    ...{ OPENAI_BASE_URL: own.url, OPENAI_API_KEY: own.apiKey, GROQ_URL: other.url, GROQ_API_KEY: other.apiKey },
  });
  return createAnalyst({ settings, clock: systemClock, log: createLogger('test', 'silent') });
}

const question = (read: (text: string) => string | null = (text) => text): Question<string> => ({
  instructions: 'Say how it was.',
  data: 'BEGIN RECORD',
  max_tokens: 50,
  parse: read,
});
const never = new AbortController().signal;

describe('an analyst', () => {
  it('asks the first configured model and counts its tokens', async () => {
    const run = analyst().open([{ provider: 'mistral', model: 'no key' }, OWN, OTHER]);
    expect(await run.ask(question(), never)).toEqual({ value: 'fine' });
    await run.ask(question(), never);
    expect(run.tokensUsed()).toEqual([{ ...OWN, input_tokens: expect.any(Number), output_tokens: expect.any(Number) }]);
    expect(run.tokensUsed()[0]!.input_tokens).toBeGreaterThan(0);
    expect([own.requests.length, other.requests.length]).toEqual([2, 0]);
  });

  it.each(['broken', 'full', 'overloaded'] as const)(
    'asks another when the first is %s, and counts for it',
    async (mode) => {
      own.setMode(mode);
      const run = analyst().open([OWN, OTHER]);
      expect(await run.ask(question(), never)).toEqual({ value: 'fine' });
      expect(run.tokensUsed().map(({ provider }) => provider)).toEqual(['groq']);
    },
  );

  it('asks once more after an answer of the wrong shape, and counts both', async () => {
    answers = ['what?', 'fine'];
    const run = analyst().open([OWN]);
    expect(
      await run.ask(
        question((text) => (text === 'fine' ? text : null)),
        never,
      ),
    ).toEqual({ value: 'fine' });
    expect(own.requests).toHaveLength(2);
    answers = ['what?', 'what?', 'fine'];
    const failed = await run.ask(
      question((text) => (text === 'fine' ? text : null)),
      never,
    );
    expect(failed).toEqual({ failed: 'the answer does not have the requested shape' });
    expect(own.requests).toHaveLength(4);
  });

  it('retries after a broken connection', async () => {
    own.setMode('cut');
    const run = analyst().open([OWN]);
    expect(await run.ask(question(), never)).toEqual({ failed: 'unavailable' });
    expect(own.requests).toHaveLength(2);
  });

  it('is aborted by its signal, during and before the request', async () => {
    own.setMode('pings only');
    const abort = new AbortController();
    const run = analyst().open([OWN]);
    const asking = run.ask(question(), abort.signal);
    setTimeout(() => abort.abort(), 50);
    expect(await asking).toEqual({ failed: 'timeout' });
    expect(await run.ask(question(), abort.signal)).toEqual({ failed: 'timeout' });
  });

  it('fails without a configured model', async () => {
    const run = analyst().open([{ provider: 'google', model: 'gemini' }]);
    expect(await run.ask(question(), never)).toEqual({ failed: 'no language model is set up' });
  });
});
