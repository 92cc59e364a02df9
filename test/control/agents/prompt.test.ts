import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  configuredPromptGenerator,
  createPromptGenerator,
  type PromptBrief,
} from '../../../control/agents/prompt-generator.ts';
import { readControlConfig } from '../../../control/config.ts';
import { type OpenAiSimulator, startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { systemClock } from '../../../shared/clock.ts';
import { type ChatPart, type LanguageModel, LanguageModelError } from '../../../shared/llm/language-model.ts';
import { createLogger } from '../../../shared/log.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const GOOD = JSON.stringify({
  welcome_message: 'Namaste {customer_name}!',
  system_prompt: 'You are Asha and sell {product} to {customer_name}.',
});
const BRIEF: PromptBrief = {
  brief: 'Sell shoes to people who asked for them.',
  language: 'hi',
  tone: '',
  current: null,
};

describe('the prompt endpoint', () => {
  let simulator: OpenAiSimulator;
  let api: TestApi;
  let acme: Client;
  let answer = GOOD;

  beforeAll(async () => {
    simulator = await startOpenAiSimulator({
      answer: () => ({ text: answer }),
      firstTokenMs: 1,
      tokenIntervalMs: 0,
    });
    const settings = { OPENAI_BASE_URL: simulator.url, OPENAI_API_KEY: simulator.apiKey };
    api = await startTestApi({}, { COMPOSER_MODEL: 'openai/gpt-4.1-mini', ...settings });
    acme = await api.newWorkspace('Acme');
  });
  afterAll(() => simulator.close());
  beforeEach(() => {
    answer = GOOD;
    simulator.setMode('normal');
    simulator.requests.length = 0;
  });

  const generate = (body: object, by = acme) => by.send('POST', '/agents/prompt/generate', body);

  it('generates a welcome message and a prompt, and returns the cost', async () => {
    const { status, body } = await generate({ brief: BRIEF.brief, tone: 'warm' });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...JSON.parse(GOOD),
      variables: ['customer_name', 'product'],
      cost_paise: expect.any(Number),
      currency: 'INR',
    });
    expect(Number.isInteger(body.cost_paise) && body.cost_paise > 0).toBe(true);
    const [row] = (await acme.send('GET', '/billing/ledger')).body.items;
    expect(row).toMatchObject({ kind: 'composer', amount_paise: -body.cost_paise, by_name: 'first key' });
    const [system, user] = simulator.requests[0]!.body!.messages;
    expect(JSON.stringify(system)).toContain('JSON object');
    for (const part of [BRIEF.brief, 'Hindi', 'warm']) expect(JSON.stringify(user)).toContain(part);
  });

  it('improves the prompt of an agent, and saves nothing', async () => {
    const agent = (await acme.send('POST', '/agents', { name: 'Asha', system_prompt: 'Sell boots.' })).body;
    expect((await generate({ brief: BRIEF.brief, agent_id: agent.id, language: 'en-IN' })).status).toBe(200);
    expect(JSON.stringify(simulator.requests[0]!.body!.messages)).toContain('Sell boots.');
    expect((await acme.send('GET', `/agents/${agent.id}`)).body).toMatchObject({
      version: 1,
      system_prompt: 'Sell boots.',
    });
  });

  it("answers 404 for another workspace's agent, without a model request", async () => {
    const agent = (await acme.send('POST', '/agents', { name: 'Asha' })).body;
    const other = await api.newWorkspace('Other');
    for (const agent_id of [agent.id, 'f'.repeat(32), 'x']) {
      const { status, body } = await generate({ brief: BRIEF.brief, agent_id }, other);
      expect([status, body]).toEqual([404, { detail: 'agent not found' }]);
    }
    expect(simulator.requests).toHaveLength(0);
  });

  it('refuses a brief that is too short, too long or none, and a language that is none', async () => {
    for (const [brief, type] of [
      ['short', 'string_too_short'],
      ['x'.repeat(4_001), 'string_too_long'],
      [undefined, 'missing'],
    ]) {
      const { status, body } = await generate({ brief });
      expect([status, body.detail[0].type]).toEqual([422, type]);
    }
    expect((await generate({ brief: BRIEF.brief, language: 'in english!' })).body.detail[0].loc).toEqual([
      'body',
      'language',
    ]);
  });

  it('answers 502 when the model fails or returns no JSON', async () => {
    simulator.setMode('broken');
    const detail = 'language model did not answer; try again shortly';
    const broken = await generate({ brief: BRIEF.brief });
    expect([broken.status, broken.body]).toEqual([502, { detail }]);
    simulator.setMode('normal');
    answer = 'Sure, here is your prompt!';
    const talk = await generate({ brief: BRIEF.brief });
    expect([talk.status, talk.body]).toEqual([502, { detail }]);
  });

  it('needs the permission', async () => {
    const viewer = await api.asUser('viewer', acme.workspace_id);
    expect((await generate({ brief: BRIEF.brief }, viewer)).status).toBe(403);
  });

  it('generates at most three at once per workspace', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => generate({ brief: BRIEF.brief })));
    const refused = answers.filter(({ status }) => status === 409);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(3);
    for (const { body } of refused) {
      expect(body).toEqual({ detail: 'only 3 prompts are written at once; try again shortly' });
    }
    expect((await generate({ brief: BRIEF.brief })).status).toBe(200);
  });
});

describe('without a model', () => {
  it('answers 502', async () => {
    const api = await startTestApi();
    const acme = await api.newWorkspace();
    const { status } = await acme.send('POST', '/agents/prompt/generate', { brief: BRIEF.brief });
    expect(status).toBe(502);
  });
});

describe('the setting', () => {
  const read = (settings: Record<string, string>) =>
    configuredPromptGenerator(
      readControlConfig({
        DATABASE_URL: 'x',
        MEDIA_TOKEN_SECRET: 'a secret of the tests',
        RECORDINGS_DIR: 'x',
        ...settings,
      }),
      { clock: systemClock, log: createLogger('control', 'silent') },
    );

  it('must name a model whose settings are present', () => {
    expect(read({})).toBeNull();
    expect(() => read({ COMPOSER_MODEL: 'gpt-4.1' })).toThrow('COMPOSER_MODEL: "gpt-4.1" is no model');
    expect(() => read({ COMPOSER_MODEL: 'groq/llama' })).toThrow(
      'GROQ_API_KEY is missing: COMPOSER_MODEL is groq/llama',
    );
    expect(read({ COMPOSER_MODEL: 'custom/some/model', LLM_BASE_URL: 'http://127.0.0.1:1' })).toMatchObject({
      provider: 'custom',
      model: 'some/model',
    });
  });
});

describe('the prompt generator', () => {
  /** Each answer in turn: text, or what is thrown. */
  function writer(...answers: (string | Error)[]) {
    let asked = 0;
    const model: LanguageModel = {
      provider: 'test',
      model: 'test',
      warm: async () => {},
      async *stream(): AsyncIterable<ChatPart> {
        const next = answers[asked++] ?? new Error('asked too often');
        if (next instanceof Error) throw next;
        yield { type: 'text', text: next };
        yield { type: 'usage', input_tokens: 100, output_tokens: 10 };
        yield { type: 'finish', reason: 'stop' };
      },
    };
    return { write: createPromptGenerator({ model, clock: systemClock }), asked: () => asked };
  }

  it('retries once after an unusable response, and counts the tokens of both', async () => {
    const { write } = writer('no', `\`\`\`json\n${GOOD}\n\`\`\``);
    expect(await write(BRIEF)).toEqual({ ...JSON.parse(GOOD), input_tokens: 200, output_tokens: 20 });
  });

  it.each([
    ['no JSON', 'no'],
    ['a list', `[${GOOD}]`],
    ['another field', '{"welcome_message": "x", "prompt": "y"}'],
    ['an empty prompt', '{"welcome_message": "x", "system_prompt": "  "}'],
    ['a welcome message as long as a book', JSON.stringify({ welcome_message: 'x'.repeat(2_001), system_prompt: 'y' })],
  ])('gives up after two of %s', async (_what, text) => {
    const { write, asked } = writer(text, text, GOOD);
    expect([await write(BRIEF), asked()]).toEqual([{ failed: 'no JSON of the requested shape' }, 2]);
  });

  it('does not ask again where that would not help', async () => {
    const { write, asked } = writer(new LanguageModelError('auth', 'no'), GOOD);
    expect([await write(BRIEF), asked()]).toEqual([{ failed: 'auth' }, 1]);
    const busy = writer(new LanguageModelError('capacity', 'full'), GOOD);
    expect(await busy.write(BRIEF)).toMatchObject(JSON.parse(GOOD));
  });

  it('gives text that can be saved', async () => {
    const { write } = writer('{"welcome_message": " a\\u0000b\\ud800 ", "system_prompt": "c\\u0000"}');
    expect(await write(BRIEF)).toMatchObject({ welcome_message: 'ab\ufffd', system_prompt: 'c' });
  });

  it('does not wait for ever', async () => {
    const clock = createVirtualClock();
    const model: LanguageModel = {
      provider: 'test',
      model: 'test',
      warm: async () => {},
      async *stream(_request, signal) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    };
    const writing = createPromptGenerator({ model, clock })(BRIEF);
    await clock.advance(60_000);
    expect(await writing).toEqual({ failed: 'timeout' });
  });
});
