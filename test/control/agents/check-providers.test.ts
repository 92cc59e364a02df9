import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCartesiaSimulator } from '../../../fixtures/simulators/cartesia.ts';
import { type ElevenLabsSimulator, startElevenLabsSimulator } from '../../../fixtures/simulators/elevenlabs.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

let elevenLabs: ElevenLabsSimulator;
let api: TestApi;
let acme: Client;

beforeAll(async () => {
  elevenLabs = await startElevenLabsSimulator({ voices: [] });
  const without = { OPENAI_API_KEY: '', CARTESIA_API_KEY: '', DEEPGRAM_API_KEY: '' };
  api = await startTestApi({}, { ...without, ELEVENLABS_API_KEY: 'key', ELEVENLABS_URL: elevenLabs.url });
  acme = await api.newWorkspace('Acme');
});
afterAll(() => elevenLabs.close());
beforeEach(() => {
  elevenLabs.faults.http = null;
});

const save = (config: object, by = acme) => by.send('POST', '/agents', { name: 'Asha', ...config });
const refusals = async (config: object) => {
  const { status, body } = await save(config);
  expect(status).toBe(422);
  return body.detail.map(({ loc, msg }: { loc: unknown[]; msg: string }) => [loc.slice(1).join('.'), msg]);
};

const TRANSFERS = {
  transfer_enabled: true,
  transfer_targets: [{ name: 'Desk', number: '+911234567890', description: '' }],
};
const SARAH = 'EXAVITQu4vr4xnSDxMaL';

describe('an agent made of a name alone', () => {
  it('gets the first providers that are available, and the voice it speaks with', async () => {
    const { status, body } = await save({});
    expect([status, body.warnings]).toEqual([201, undefined]);
    expect(body.llm).toMatchObject({ provider: 'anthropic', model: 'claude-haiku-4-5' });
    expect(body.transcriber).toMatchObject({ provider: 'sarvam', model: 'saaras:v3-realtime' });
    expect(body.voice).toMatchObject({ provider: 'elevenlabs', voice_id: SARAH });
  });

  it('is priced as it would be saved', async () => {
    const { components } = (await acme.send('POST', '/agents/pricing', {})).body;
    expect(components.slice(0, 3).map(({ provider }: { provider: string }) => provider)).toEqual([
      ...['sarvam', 'anthropic', 'elevenlabs'],
    ]);
  });

  it('keeps what else is sent of a part whose provider is left out', async () => {
    const { body } = await save({ llm: { temperature: 1 }, voice: { fallbacks: [{ voice_id: SARAH }] } });
    expect(body.llm).toMatchObject({ provider: 'anthropic', temperature: 1 });
    expect(body.voice.fallbacks[0]).toMatchObject({ provider: 'elevenlabs', voice_id: SARAH });
  });

  it('gets a voice that goes with its model', async () => {
    const { body } = await save({ voice: { provider: 'sarvam', model: 'bulbul:v2' } });
    expect(['anushka', 'manisha', 'vidya', 'arya', 'abhilash', 'karun', 'hitesh']).toContain(body.voice.voice_id);
  });

  it('without any language model in the service is refused', async () => {
    const keys = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY', 'AZURE_OPENAI_API_KEY', 'GROQ_API_KEY'];
    const none = Object.fromEntries([...keys, 'MISTRAL_API_KEY', 'LLM_BASE_URL'].map((name) => [name, '']));
    const client = await (await startTestApi({}, none)).newWorkspace();
    const { status, body } = await save({}, client);
    expect(status).toBe(422);
    expect(body.detail[0].msg).toBe('this service has no language model yet: its operator sets the key of one');
  });
});

describe('what cannot work is refused when it is saved', () => {
  it('a provider without credentials, wherever it is named', async () => {
    const config = {
      llm: { provider: 'openai' },
      voice: { fallbacks: [{ voice_id: SARAH }, { provider: 'cartesia', voice_id: 'x' }] },
      transcriber: { provider: 'deepgram', fallbacks: [{ provider: 'deepgram_flux' }] },
    };
    expect(await refusals(config)).toEqual([
      ['llm.provider', 'provider openai is not available to this workspace'],
      ['voice.fallbacks.1.provider', 'provider cartesia is not available to this workspace'],
      ['transcriber.provider', 'provider deepgram is not available to this workspace'],
      ['transcriber.fallbacks.0.provider', 'provider deepgram_flux is not available to this workspace'],
    ]);
  });

  it('a model that the provider does not have', async () => {
    const config = {
      llm: { model: 'gpt-9' },
      voice: { model: 'eleven_v3' },
      transcriber: { model: 'whisper' },
    };
    expect(await refusals(config)).toEqual([
      ['llm.model', 'model gpt-9 of anthropic is not available to this workspace'],
      ['voice.model', 'model eleven_v3 of elevenlabs is not available to this workspace'],
      ['transcriber.model', 'model whisper of sarvam is not available to this workspace'],
    ]);
  });

  it('a voice that the account does not have', async () => {
    expect(await refusals({ voice: { voice_id: 'nobody' } })).toEqual([
      ['voice.voice_id', 'voice nobody of elevenlabs is not available to this workspace'],
    ]);
  });

  it('a voice of another model', async () => {
    expect(await refusals({ voice: { provider: 'sarvam', voice_id: 'anushka' } })).toEqual([
      ['voice.voice_id', 'voice anushka of sarvam does not speak with bulbul:v3'],
    ]);
  });

  it('IPA alone for a voice that takes none', async () => {
    const pronunciations = [
      { word: 'Siobhan', ipa: 'ʃɪˈvɔːn' },
      { word: 'Nguyen', say: 'win', ipa: 'wɪn' },
    ];
    expect(await refusals({ voice: { pronunciations } })).toEqual([
      [
        'voice.pronunciations.0.say',
        'the voice of elevenlabs takes no IPA in this language: write how it is to say Siobhan',
      ],
    ]);
  });

  it('the reason of a call, which no carrier shows', async () => {
    expect(await refusals({ call: { caller_verification_call_reason: 'Your order' } })).toEqual([
      ['call.caller_verification_call_reason', 'no carrier of this service can show the reason of a call'],
    ]);
  });

  it('transfers, which no carrier of the service has', async () => {
    expect(await refusals({ call: TRANSFERS })).toEqual([
      ['call.transfer_enabled', 'no carrier of this service can transfer calls'],
    ]);
  });

  it("transfers, which the carrier of the agent's number does not have", async () => {
    const account = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 't', PUBLIC_API_URL: 'https://svc.example.com' };
    const service = await startTestApi({}, account);
    const client = await service.newWorkspace();
    const { id } = (await save({}, client)).body;
    const put = async () => {
      const { body } = await client.send('PUT', `/agents/${id}`, { name: 'Asha', call: TRANSFERS });
      return body.detail?.[0].msg ?? body.warnings?.[0].msg ?? 'saved';
    };
    const number = async (number: string, provider: string) => {
      await service.sql`
        insert into numbers (number, workspace_id, agent_id, provider, created_at)
        values (${number}, ${client.workspace_id}, ${id}, ${provider}, now())`;
    };
    expect(await put()).toBe('saved');
    await number('+911140000001', 'exotel');
    const refused = 'calls at exotel cannot be transferred';
    expect(await put()).toBe(refused);
    await number('+911140000002', 'twilio');
    expect(await put()).toBe(refused);
    expect((await client.send('GET', `/agents/${id}`)).body.call.transfer_enabled).toBe(true);
  });

  it('also when an agent is changed', async () => {
    const { body } = await save({});
    const change = await acme.send('PUT', `/agents/${body.id}`, { name: 'Asha', llm: { provider: 'openai' } });
    expect(change.status).toBe(422);
    expect((await acme.send('GET', `/agents/${body.id}`)).body.version).toBe(1);
  });
});

describe('what could be saved once and cannot work any more', () => {
  it('is refused when it is duplicated, restored or copied from a share', async () => {
    const { id } = (await save({})).body;
    await acme.send('PUT', `/agents/${id}`, { name: 'Asha', system_prompt: 'Be brief.' });
    const { token } = (await acme.send('POST', '/agent-shares', { agent_id: id })).body;
    await api.sql`update agents set llm = jsonb_set(llm, '{provider}', '"openai"') where id = ${id}`;
    await api.sql`update agent_versions set config = jsonb_set(config, '{llm,provider}', '"openai"') where agent_id = ${id}`;
    await api.sql`update agent_shares set config = jsonb_set(config, '{llm,provider}', '"openai"') where token = ${token}`;
    for (const path of [`/agents/${id}/duplicate`, `/agents/${id}/versions/1/restore`, `/agent-shares/${token}/copy`]) {
      const { status, body } = await acme.send('POST', path, path.endsWith('copy') ? {} : undefined);
      expect([path, status, body.detail[0]?.msg]).toEqual([
        ...[path, 422, 'provider openai is not available to this workspace'],
      ]);
    }
  });
});

describe('what the operator allows can be saved', () => {
  it('a model with a price of the operator', async () => {
    await api.sql`
      insert into rates (component, provider, model, currency, rate_paise, updated_at)
      values ('llm_input', 'anthropic', 'claude-next', 'INR', 1, now())`;
    expect((await save({ llm: { model: 'claude-next' } })).status).toBe(201);
    await api.sql`delete from rates`;
  });

  it('any deployment at Azure and any model of a server of its own', async () => {
    expect((await save({ llm: { provider: 'azure', model: 'our-deployment' } })).status).toBe(201);
    expect((await save({ llm: { provider: 'custom', model: 'llama' } })).status).toBe(201);
  });
});

describe('what a provider takes in part or not at all is a warning', () => {
  it('a speed beyond its range, which is saved as the nearest', async () => {
    const { status, body } = await save({ voice: { speed: 1.5 } });
    expect([status, body.voice.speed]).toEqual([201, 1.2]);
    expect(body.warnings).toEqual([
      {
        loc: ['body', 'voice', 'speed'],
        msg: 'eleven_flash_v2_5 of elevenlabs speaks at a speed of 0.7 to 1.2: 1.2 is saved',
      },
    ]);
    const again = await acme.send('PUT', `/agents/${body.id}`, { name: 'Asha', voice: body.voice });
    expect(again.body.warnings).toBeUndefined();
  });

  it('keyterms for a transcriber without them', async () => {
    const { body } = await save({ transcriber: { keyterms: ['Antiphon'] } });
    expect(body.warnings).toEqual([
      { loc: ['body', 'transcriber', 'keyterms'], msg: 'saaras:v3-realtime of sarvam ignores keyterms' },
    ]);
    const taken = await save({ transcriber: { model: 'saaras:v4', keyterms: ['Antiphon'] } });
    expect(taken.body.warnings).toBeUndefined();
  });

  it('IPA alone for a voice in reserve that takes none', async () => {
    const cartesia = await startCartesiaSimulator();
    const keys = { CARTESIA_API_KEY: 'key', CARTESIA_URL: cartesia.url };
    const client = await (await startTestApi({}, keys)).newWorkspace();
    const pronunciations = [{ word: 'Siobhan', ipa: 'ʃɪˈvɔːn' }];
    const fallbacks = [{ provider: 'local', voice_id: 'm1', language: 'en' }];
    const voice = { provider: 'cartesia', language: 'en', pronunciations, fallbacks };
    const { status, body } = await save({ voice }, client);
    await cartesia.close();
    expect(status).toBe(201);
    expect(body.warnings).toEqual([
      {
        loc: ['body', 'voice', 'pronunciations', 0, 'say'],
        msg: 'the voice of local takes no IPA in this language and reads Siobhan as it is written',
      },
    ]);
  });

  it('a voice that could not be looked up, because the provider is away', async () => {
    elevenLabs.faults.http = { status: 503 };
    const { status, body } = await save({ voice: { voice_id: 'new-one' } });
    expect([status, body.voice.voice_id]).toEqual([201, 'new-one']);
    expect(body.warnings[0].msg).toBe('the voice could not be checked: elevenlabs did not answer');
  });

  it('a variant that eSpeak NG does not have', async () => {
    const { body } = await save({ voice: { provider: 'local', voice_id: 'en' } });
    expect(body.warnings[0].msg).toBe('local has no voice en and speaks with its usual one');
  });
});
