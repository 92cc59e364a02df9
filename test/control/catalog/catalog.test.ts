import { beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../control/catalog/languages.ts';
import { refreshCatalog } from '../../../control/catalog/refresh-catalog.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

let api: TestApi;
let acme: Client;

beforeAll(async () => {
  api = await startTestApi({}, { GROQ_API_KEY: 'g', CARTESIA_API_KEY: 'c', CARTESIA_URL: 'ws://127.0.0.1:9', ...NONE });
  acme = await api.newWorkspace('Acme');
});

/** Whatever the tests' usual settings are. */
const NONE = { OPENAI_API_KEY: '', ELEVENLABS_API_KEY: '', DEEPGRAM_API_KEY: '' };

interface Entry {
  id: string;
  provider: string;
  default: boolean;
  available: boolean;
  latency_ms: number | null;
}

const catalog = async (query = '', client = acme) => (await client.send('GET', `/catalog${query}`)).body;
const entry = (entries: Entry[], provider: string, id: string) =>
  entries.find((each) => each.provider === provider && each.id === id);

describe('GET /catalog', () => {
  it('prices a language model by tokens read and written', async () => {
    const { llm_models, currency } = await catalog();
    expect(currency).toBe('INR');
    expect(entry(llm_models, 'groq', 'llama-3.1-8b-instant')).toMatchObject({
      kind: 'llm',
      unit: '1m_input_tokens',
      price_paise: 440,
      output_price_paise: 704,
      languages: [],
    });
  });

  it('prices voices by characters and transcribers by minutes', async () => {
    const { tts_models, stt_models } = await catalog();
    expect(entry(tts_models, 'sarvam', 'bulbul:v2')).toMatchObject({
      ...{ kind: 'tts', unit: '1k_characters', price_paise: 150, output_price_paise: null },
    });
    expect(entry(stt_models, 'deepgram', 'nova-2')).toMatchObject({ kind: 'stt', unit: 'minute', price_paise: 51.04 });
  });

  it("has the operator's rates, and models that only they name", async () => {
    await api.sql`
      insert into rates (component, provider, model, currency, rate_paise, updated_at)
      values ('voice', 'cartesia', 'sonic-4', 'INR', 123.5, now())`;
    const { tts_models } = await catalog('?kind=tts_models');
    expect(entry(tts_models, 'cartesia', 'sonic-4')).toMatchObject({ price_paise: 123.5, languages: [] });
    await api.sql`delete from rates`;
  });

  it("is in the workspace's currency", async () => {
    const other = await api.newWorkspace('Dollars');
    await api.sql`update workspaces set currency = 'USD' where id = ${other.workspace_id}`;
    const { currency, llm_models } = await catalog('', other);
    expect([
      currency,
      (entry(llm_models, 'openai', 'gpt-4.1') as unknown as { price_paise: number }).price_paise,
    ]).toEqual(['USD', 200]);
  });

  it('offers what the service has credentials for, and what needs none', async () => {
    const { llm_models, tts_models, stt_models } = await catalog();
    const providers = (entries: Entry[]) => [
      ...new Set(entries.filter(({ available }) => available).map(({ provider }) => provider)),
    ];
    expect(providers(llm_models)).toContain('groq');
    expect(providers(llm_models)).not.toContain('openai');
    expect(providers(tts_models)).toEqual(expect.arrayContaining(['cartesia', 'local']));
    expect(providers(stt_models)).toContain('local');
  });

  it('has one default of each kind, of the first provider that is available', async () => {
    const { llm_models, tts_models, stt_models } = await catalog();
    const defaults = [llm_models, tts_models, stt_models].map((entries: Entry[]) =>
      entries.filter((each) => each.default),
    );
    expect(defaults.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(defaults.flat().every(({ available }) => available)).toBe(true);
    expect(defaults[1]![0]).toMatchObject({ provider: 'cartesia', id: 'sonic-3.5' });
  });

  it('names the settings that a model does not take', async () => {
    const { tts_models, stt_models } = await catalog();
    expect(entry(tts_models, 'elevenlabs', 'eleven_flash_v2_5')).toMatchObject({
      description: expect.stringContaining('speed 0.7 to 1.2'),
    });
    expect(entry(tts_models, 'cartesia', 'sonic-2')).toMatchObject({
      description: expect.stringContaining('speed cannot be changed'),
    });
    expect(entry(stt_models, 'local', 'en-us')).toMatchObject({
      description: expect.stringContaining('ignores keyterms'),
    });
  });

  it('is narrowed by kind', async () => {
    expect(Object.keys(await catalog('?kind=languages,stt_models'))).toEqual(['stt_models', 'languages', 'currency']);
    const wrong = await acme.send('GET', '/catalog?kind=voices');
    expect([wrong.status, wrong.body.detail[0].loc.slice(0, 2)]).toEqual([422, ['query', 'kind']]);
  });

  it('names languages in English and in themselves', async () => {
    const { languages } = await catalog('?kind=languages');
    expect(languages).toEqual(expect.arrayContaining([{ code: 'hi', name: 'Hindi', native_name: 'हिन्दी' }]));
    expect(LANGUAGES.filter(({ code, name }) => code === name)).toEqual([]);
  });
});

describe('the latency of a model', () => {
  const deps = () => ({ sql: api.sql, clock: systemClock, log: createLogger('control', 'silent'), lists: [] });
  const measure = async () => {
    await api.sql`delete from catalog_refreshes`;
    await refreshCatalog(deps(), new AbortController().signal);
  };

  /** A call of these providers with `times` replies, the model's first token after `modelMs`. */
  async function addCall(usage: object[], modelMs: number, times: number, wallMs = Date.now()): Promise<void> {
    const id = newId(wallMs);
    await api.sql`
      insert into calls (
        workspace_id, id, agent_name, agent_version, direction, channel, status, from_number, to_number,
        started_by, provider, created_at, queued_at, currency, provider_usage
      ) values (
        ${acme.workspace_id}, ${id}, 'Asha', 1, 'outbound', 'phone', 'completed', '', '', '', 'twilio', now(), now(),
        'INR', ${api.sql.json(usage as never)}
      )`;
    for (let seq = 1; seq <= times * 2; seq++) {
      const [type, data] =
        seq % 2 === 0
          ? ['llm.first_token', { model_ms: modelMs + seq }]
          : ['tts.first_audio', { parts: { first_audio_ms: 90, end_of_turn_ms: 240 } }];
      await api.sql`
        insert into call_events (
          workspace_id, call_id, seq, id, source, source_seq, type, message, level, latency_ms, data, created_at
        ) values (
          ${acme.workspace_id}, ${id}, ${seq}, ${newId()}, 'media', ${seq}, ${type as string}, '', 'info', 900,
          ${api.sql.json(data as never)}, now()
        )`;
    }
  }

  const USED = [
    { component: 'transcriber', provider: 'deepgram', model: 'nova-3' },
    { component: 'llm', provider: 'groq', model: 'llama-3.1-8b-instant' },
    { component: 'voice', provider: 'cartesia', model: 'sonic-3' },
  ];

  it('is the median of the last week', async () => {
    await addCall(USED, 400, 21);
    await addCall(USED, 9_000, 50, Date.now() - 8 * 86_400_000);
    await measure();
    const { llm_models, tts_models, stt_models } = await catalog();
    expect(entry(llm_models, 'groq', 'llama-3.1-8b-instant')?.latency_ms).toBe(422);
    expect(entry(tts_models, 'cartesia', 'sonic-3')?.latency_ms).toBe(90);
    expect(entry(stt_models, 'deepgram', 'nova-3')?.latency_ms).toBe(240);
    expect(entry(llm_models, 'groq', 'llama-3.3-70b-versatile')?.latency_ms).toBeNull();
  });

  it('leaves out calls that a fallback took over, and too few', async () => {
    const model = { component: 'llm', provider: 'openai', model: 'gpt-4.1' };
    await addCall([model, { ...model, provider: 'groq' }], 100, 30);
    await addCall([model], 100, 19);
    await measure();
    const { llm_models } = await catalog();
    expect(entry(llm_models, 'openai', 'gpt-4.1')?.latency_ms).toBeNull();
  });
});
