import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PREVIEW_SENTENCES } from '../../../control/catalog/preview-sentences.ts';
import {
  type SarvamSynthesizerSimulator,
  startSarvamSynthesizerSimulator,
} from '../../../fixtures/simulators/sarvam-synthesizer.ts';
import { sarvamSynthesizer } from '../../../shared/providers/sarvam.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

let simulator: SarvamSynthesizerSimulator;
let api: TestApi;
let acme: Client;

beforeAll(async () => {
  simulator = await startSarvamSynthesizerSimulator();
  api = await startTestApi({}, { SARVAM_API_KEY: 'key', SARVAM_TTS_URL: simulator.url });
  acme = await api.newWorkspace('Acme');
});
afterAll(() => simulator.close());

beforeEach(async () => {
  simulator.faults.http = null;
  await api.sql`delete from voice_previews`;
});

const listen = (voice: string, query = '', by = acme) => by.send('GET', `/voices/${voice}/preview${query}`);
const stored = async () => (await api.sql`select language from voice_previews`).map(({ language }) => language);

describe('GET /voices/{voice_id}/preview', () => {
  it('is a WAV file that browsers may cache', async () => {
    const { status, headers, body } = await listen('shubh');
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      ...[200, 'audio/wav', 'private, max-age=86400'],
    ]);
    expect(body.slice(0, 4)).toBe('RIFF');
  });

  it('is made once by the provider, for all workspaces', async () => {
    await listen('shubh');
    simulator.faults.http = { status: 503 };
    const other = await api.newWorkspace('Other');
    expect((await listen('shubh', '', other)).status).toBe(200);
  });

  it('is made once for requests at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => listen('shubh')));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  it("is in the language that was asked for, else in the voice's own", async () => {
    await listen('ritu', '?language=ta-IN&provider=sarvam');
    await listen('shubh');
    expect((await stored()).sort()).toEqual(['hi', 'ta']);
  });

  it.each(['fr', 'xx', '__proto__'])('in the language %s is refused', async (language) => {
    const { status, body } = await listen('shubh', `?language=${language}`);
    expect([status, body.detail[0].loc]).toEqual([422, ['query', 'language']]);
  });

  it('of this machine is spoken by eSpeak NG', async () => {
    expect((await acme.send('GET', '/voices?provider=local')).body[0].preview).toBe(true);
    expect((await listen('f2', '?provider=local&language=hi')).status).toBe(200);
  });

  it.each(['nobody', 'shubh?provider=local', 'v1?provider=elevenlabs'])('%s is not found', async (voice) => {
    const [id, query = ''] = voice.split('?');
    const { status, body } = await listen(id!, query && `?${query}`);
    expect([status, body.detail]).toEqual([404, 'voice not found']);
  });

  it.each([
    ['refuses', { status: 429 }],
    ['answers something else', { status: 200, body: '{"audios": ["QUJD"]}' }],
    ['answers endlessly', { status: 200, body: `"${'x'.repeat(5 * 1024 * 1024)}"` }],
  ])('is a 502 when the provider %s, and nothing is stored', async (_, http) => {
    simulator.faults.http = http;
    const { status, body } = await listen('shubh');
    expect([status, body.detail]).toEqual([502, 'voice provider did not answer; try again shortly']);
    expect(await stored()).toEqual([]);
    simulator.faults.http = null;
    expect((await listen('shubh')).status).toBe(200);
  });

  it('makes way for newer ones beyond a thousand', async () => {
    await api.sql`
      insert into voice_previews (provider, voice_id, language, wav, created_at)
      select 'sarvam', 'old' || n, 'hi', 'RIFF', now() - n * interval '1 hour' from generate_series(1, 1000) n`;
    await listen('shubh');
    const [row] = await api.sql`
      select count(*)::integer as n, count(*) filter (where voice_id = 'old1000')::integer as oldest
      from voice_previews`;
    expect(row).toEqual({ n: 1000, oldest: 0 });
  });

  it('where eSpeak NG is not installed beside control there is none', async () => {
    const without = await startTestApi({}, { ESPEAK_BIN: '/nowhere/espeak-ng' });
    const client = await without.newWorkspace();
    expect((await client.send('GET', '/voices?provider=local')).body[0].preview).toBe(false);
    const { status, body } = await listen('f2', '', client);
    expect([status, body.detail]).toEqual([404, 'preview not found']);
  });
});

it('there is a sentence in every language of India that a voice has', () => {
  const { languages } = sarvamSynthesizer.models['bulbul:v3'];
  expect(languages.filter((code) => !Object.hasOwn(PREVIEW_SENTENCES, code))).toEqual([]);
});
