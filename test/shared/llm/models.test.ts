import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { refusal } from '../../../shared/llm/model-failures.ts';
import { createLanguageModel } from '../../../shared/llm/models.ts';
import { createLogger } from '../../../shared/log.ts';
import { LLM_PROVIDERS } from '../../../shared/providers/registry.ts';
import { LANGUAGE_MODEL_SETTINGS, missingSetting } from '../../../shared/providers/settings.ts';

const settings = z.object(LANGUAGE_MODEL_SETTINGS);
const log = createLogger('test', 'silent');

describe('the models of this process', () => {
  it('say which setting is missing', () => {
    const none = settings.parse({});
    expect(LLM_PROVIDERS.map((provider) => missingSetting(provider, none))).toEqual([
      'OPENAI_API_KEY',
      'ANTHROPIC_API_KEY',
      'GOOGLE_API_KEY',
      'AZURE_OPENAI_API_KEY',
      'GROQ_API_KEY',
      'MISTRAL_API_KEY',
      'LLM_BASE_URL',
    ]);
    expect(missingSetting('azure', settings.parse({ AZURE_OPENAI_API_KEY: 'k' }))).toBe('AZURE_OPENAI_URL');
    expect(missingSetting('custom', settings.parse({ LLM_BASE_URL: 'http://localhost:11434/v1' }))).toBeNull();
  });

  it('carry their provider and model', () => {
    const all = settings.parse({ LLM_MODEL: 'qwen' });
    for (const provider of LLM_PROVIDERS) {
      expect(createLanguageModel(provider, 'some-model', all, log)).toMatchObject({ provider, model: 'some-model' });
    }
    expect(createLanguageModel('custom', 'default', all, log).model).toBe('qwen');
    expect(createLanguageModel('custom', 'default', settings.parse({}), log).model).toBe('default');
  });
});

describe('a refusal', () => {
  const of = (status: number, headers: Record<string, string> = {}, error: unknown = {}) =>
    refusal('p', status, headers, error);

  it.each([
    [{ 'retry-after': '2' }, {}, 2_000],
    [{ 'retry-after': '2', 'retry-after-ms': '120' }, {}, 120],
    [{}, { details: [{ retryDelay: '1.5s' }] }, 1_500],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, {}, null],
    [{ 'retry-after': '-1' }, {}, null],
    [{ 'retry-after': '1e30' }, {}, null],
    [{}, { details: 'soon' }, null],
  ])('with %j and %j asks for a pause of %j', (headers, error, expected) => {
    expect(of(429, headers as Record<string, string>, error).retryAfterMs).toBe(expected);
  });

  it('for a bad key is one of the key, whatever its status', () => {
    const details = [{ reason: 'API_KEY_INVALID' }];
    expect(of(400, {}, { status: 'INVALID_ARGUMENT', details })).toMatchObject({
      kind: 'auth',
      status: 400,
      message: 'p answered 400 (INVALID_ARGUMENT)',
    });
    expect(of(400)).toMatchObject({ kind: 'bad_request', message: 'p answered 400' });
    expect(of(498)).toMatchObject({ kind: 'capacity' });
  });
});
