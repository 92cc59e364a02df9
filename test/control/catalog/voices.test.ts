import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { refreshCatalog } from '../../../control/catalog/refresh-catalog.ts';
import { cartesiaVoices } from '../../../control/catalog/voice-lists/cartesia.ts';
import { type CartesiaSimulator, startCartesiaSimulator } from '../../../fixtures/simulators/cartesia.ts';
import type { CartesiaVoice } from '../../../fixtures/simulators/cartesia-voices.ts';
import type { Logger } from '../../../shared/log.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const library: CartesiaVoice[] = [
  { id: 'v-tessa', name: 'Tessa', language: 'en', gender: 'feminine', description: 'warm and close' },
  { id: 'v-arjun', name: 'Arjun', language: 'hi', gender: 'masculine' },
];

let simulator: CartesiaSimulator;
let api: TestApi;
let acme: Client;
let warnings: unknown[];

beforeAll(async () => {
  simulator = await startCartesiaSimulator({ library });
  const only = { ELEVENLABS_API_KEY: '', SARVAM_API_KEY: '' };
  api = await startTestApi({}, { ...only, CARTESIA_API_KEY: 'key', CARTESIA_URL: simulator.url });
  acme = await api.newWorkspace('Acme');
});
afterAll(() => simulator.close());

const clock = createVirtualClock(Date.parse('2026-11-23T06:00:00Z'));
const refresh = () => {
  const log = { ...console, warn: (fields: unknown) => warnings.push(fields) } as unknown as Logger;
  const list = cartesiaVoices({ CARTESIA_URL: simulator.url, CARTESIA_API_KEY: 'key' });
  return refreshCatalog({ sql: api.sql, clock, log, lists: [list] }, new AbortController().signal);
};

beforeEach(async () => {
  warnings = [];
  simulator.faults.http = null;
  await api.sql`delete from catalog_refreshes`;
  await refresh();
});

const names = async (query = '') =>
  (await acme.send('GET', `/voices${query}`)).body.map(({ name }: { name: string }) => name);

describe('GET /voices', () => {
  it("has the provider's voices as agents name them", async () => {
    const { status, body } = await acme.send('GET', '/voices?provider=cartesia');
    expect(status).toBe(200);
    expect(body[1]).toMatchObject({
      ...{ id: 'v-tessa', provider: 'cartesia', name: 'Tessa', gender: 'female', languages: ['en'], accent: '' },
      ...{ models: ['sonic-3.5', 'sonic-3', 'sonic-2', 'sonic-turbo'], description: 'warm and close' },
    });
  });

  it.each([
    ['?gender=male&provider=cartesia', ['Arjun']],
    ['?language=hi-IN&provider=cartesia', ['Arjun']],
    ['?model=sonic-3', ['Arjun', 'Tessa']],
    ['?q=CLOSE', ['Tessa']],
    ['?q=v-arj', ['Arjun']],
    ['?provider=elevenlabs', []],
    ['?provider=sarvam', []],
  ])('%s finds %j', async (query, found) => {
    expect(await names(query)).toEqual(found);
  });

  it('has the voices of this machine, which need no account', async () => {
    expect(await names('?provider=local&gender=female')).toContain('eSpeak F2');
  });
});

describe('the stored voices', () => {
  it('are refreshed after six hours, not before', async () => {
    library.push({ id: 'v-new', name: 'New', language: 'en' });
    await clock.advance(5 * 3_600_000);
    await refresh();
    expect(await names('?q=v-new')).toEqual([]);
    await clock.advance(3_600_001);
    await refresh();
    expect(await names('?q=v-new')).toEqual(['New']);
    library.pop();
  });

  it('lose what the provider no longer has', async () => {
    const gone = library.pop()!;
    await clock.advance(6 * 3_600_000);
    await refresh();
    expect(await names('?provider=cartesia')).toEqual(['Tessa']);
    library.push(gone);
  });

  it('stay while the provider is away, and are tried again after five minutes', async () => {
    simulator.faults.http = { status: 503 };
    await clock.advance(6 * 3_600_000);
    await refresh();
    await refresh();
    expect(warnings).toEqual([{ provider: 'cartesia', error: 'HTTP 503' }]);
    expect(await names('?provider=cartesia')).toEqual(['Arjun', 'Tessa']);
    await clock.advance(5 * 60_000);
    await refresh();
    expect(warnings).toHaveLength(2);
  });

  it('stay when the list is empty', async () => {
    simulator.faults.http = { status: 200, body: '{"data": [], "has_more": false}' };
    await clock.advance(6 * 3_600_000);
    await refresh();
    expect(await names('?provider=cartesia')).toEqual(['Arjun', 'Tessa']);
  });

  it('are refreshed by one process at a time', async () => {
    await api.sql`delete from catalog_refreshes`;
    simulator.faults.http = { status: 503 };
    await Promise.all([refresh(), refresh(), refresh()]);
    expect(warnings).toHaveLength(1);
  });
});
