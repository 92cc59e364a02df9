import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEmbedder, type Embedder, MAX_BATCH_TEXTS } from '../../../control/knowledge/embedder.ts';
import { processSources, signStoredVectors } from '../../../control/knowledge/process-sources.ts';
import { createSearch } from '../../../control/knowledge/search.ts';
import { type EmbeddingsSimulator, startEmbeddingsSimulator } from '../../../fixtures/simulators/embeddings.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { HOTEL } from './texts.ts';

const log = createLogger('control', 'silent');
const clock = systemClock;
let api: TestApi;
let acme: Client;
let provider: EmbeddingsSimulator;
let embedder: Embedder;

beforeAll(async () => {
  api = await startTestApi();
  provider = await startEmbeddingsSimulator({
    synonyms: [
      ['vehicle', 'guests', 'cars', 'park', 'parking'],
      ['bathe', 'swimming', 'pool'],
    ],
    slowMs: 400,
  });
});
afterAll(() => provider?.close());

beforeEach(async () => {
  acme = await api.newWorkspace();
  provider.setMode('fine');
  provider.requests.length = 0;
  embedder = createEmbedder({ url: provider.url, apiKey: provider.apiKey, model: 'fake', clock });
});

async function hotel(by: Embedder | null = embedder): Promise<string> {
  const base = (await acme.send('POST', '/knowledge-bases', { name: 'Hotel' })).body.id;
  for (const [name, text] of Object.entries(HOTEL)) {
    await acme.send('POST', `/knowledge-bases/${base}/sources/text`, { name, text });
  }
  await processSources({ sql: api.sql, clock, log, embedder: by });
  return base;
}

const searching = (by: Embedder | null = embedder) => {
  const search = createSearch({ sql: api.sql, clock, log, embedder: by });
  return (base: string, query: string, meaning_within_ms = 20_000) =>
    search({
      workspace_id: acme.workspace_id,
      knowledge_base_ids: [base],
      query,
      limit: 5,
      semantic_timeout_ms: meaning_within_ms,
    });
};

describe('texts become vectors', () => {
  it('of length 1, in the order of the texts, in as many requests as it takes', async () => {
    const texts = Array.from({ length: MAX_BATCH_TEXTS + 3 }, (_, index) => `text ${index}`);
    const { vectors } = await embedder.embed(texts, 20_000);
    expect(vectors).toHaveLength(texts.length);
    expect(provider.requests.map((request) => request.length)).toEqual([MAX_BATCH_TEXTS, 3]);
    for (const vector of vectors!) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    const [alone] = (await embedder.embed(['text 7'], 20_000)).vectors!;
    expect(vectors![7]).toEqual(alone);
  });

  it('and the address may be that of the endpoint itself', async () => {
    const whole = createEmbedder({
      url: `${provider.url}/embeddings/`,
      apiKey: provider.apiKey,
      model: 'fake',
      clock,
    });
    expect((await whole.embed(['a'], 20_000)).vectors).toHaveLength(1);
  });

  it.each([
    ['broken', { vectors: null, error: 'HTTP 500', retryable: true }],
    ['refusing', { vectors: null, error: 'HTTP 401', retryable: false }],
    ['odd', { vectors: null, error: 'its response is invalid', retryable: true }],
  ] as const)('not from a provider that is %s', async (mode, expected) => {
    provider.setMode(mode);
    expect(await embedder.embed(['a'], 20_000)).toEqual(expected);
  });

  it('none from a provider that times out or is down', async () => {
    provider.setMode('slow');
    expect(await embedder.embed(['a'], 50)).toEqual({ vectors: null, error: 'timed out', retryable: true });
    const nobody = createEmbedder({ url: 'http://127.0.0.1:9/v1', apiKey: '', model: 'fake', clock });
    expect(await nobody.embed(['a'], 20_000)).toMatchObject({ vectors: null, retryable: true });
    const nowhere = createEmbedder({ url: 'nowhere', apiKey: '', model: 'fake', clock });
    expect(await nowhere.embed(['a'], 20_000)).toMatchObject({ vectors: null });
  });
});

describe('a search by meaning', () => {
  it('finds passages without a word of the query', async () => {
    const found = await searching()(await hotel(), 'vehicle');
    expect(found.items[0]).toMatchObject({ source_name: 'Parking', keyword_match: false });
    expect(found.items[0]!.score).toBeGreaterThan(0.25);
    expect(found.embed_ms).toBeGreaterThan(0);
    expect(found.search_ms).toBeGreaterThan(0);
    expect(found.hits).toBeGreaterThanOrEqual(1);
  });

  it('is combined with the keyword search for a higher score', async () => {
    const base = await hotel();
    const both = await searching()(base, 'swimming pool');
    const words = await searching(null)(base, 'swimming pool');
    expect(both.items[0]).toMatchObject({ source_name: 'Pool', keyword_match: true });
    expect(words.items[0]).toMatchObject({ source_name: 'Pool', keyword_match: true });
    expect(both.items[0]!.score).toBeGreaterThanOrEqual(words.items[0]!.score);
  });

  it('finds added passages at once, and removed ones no more', async () => {
    const base = await hotel();
    const search = searching();
    const first = (await search(base, 'bathe')).items[0]!;
    expect(first.source_name).toBe('Pool');
    await acme.send('DELETE', `/knowledge-bases/${base}/sources/${first.source_id}`);
    expect((await search(base, 'bathe')).items.map((item) => item.source_name)).not.toContain('Pool');
    await acme.send('POST', `/knowledge-bases/${base}/sources/text`, { name: 'Lake', text: 'swimming' });
    await processSources({ sql: api.sql, clock, log, embedder });
    expect((await search(base, 'bathe')).items[0]).toMatchObject({ source_name: 'Lake', keyword_match: false });
  });

  it('finds passages that were stored before their vectors had signs', async () => {
    const base = await hotel();
    await api.sql`update knowledge_passages set signs = null where knowledge_base_id = ${base}`;
    expect((await searching()(base, 'vehicle')).items).toEqual([]);
    await signStoredVectors(api.sql);
    expect((await searching()(base, 'vehicle')).items[0]).toMatchObject({ source_name: 'Parking' });
  });

  it('falls back to keywords when the provider times out or fails; passages without vectors are found by keywords', async () => {
    const base = await hotel();
    provider.setMode('slow');
    expect((await searching()(base, 'parking', 30)).items[0]).toMatchObject({
      source_name: 'Parking',
      keyword_match: true,
    });
    provider.setMode('broken');
    expect((await searching()(base, 'parking')).items[0]).toMatchObject({ source_name: 'Parking' });
    expect((await searching()(base, 'vehicle')).items).toEqual([]);
    provider.setMode('fine');
    const old = await hotel(null);
    expect((await searching()(old, 'parking')).items[0]).toMatchObject({ source_name: 'Parking' });
  });

  it('compares only vectors of the same model', async () => {
    const base = await hotel();
    const other = createEmbedder({ url: provider.url, apiKey: provider.apiKey, model: 'another', clock });
    expect((await searching(other)(base, 'vehicle')).items).toEqual([]);
  });
});

describe('a source that cannot be embedded', () => {
  const state = async (base: string) => (await acme.send('GET', `/knowledge-bases/${base}`)).body.sources[0];

  it('is retried and finally fails; its old passages stay', async () => {
    const base = await hotel();
    const parking = (await searching()(base, 'parking')).items[0]!.source_id;
    await acme.send('POST', `/knowledge-bases/${base}/sources/${parking}/reprocess`);
    provider.setMode('broken');
    let tries = 0;
    for (; tries < 10; tries++) {
      const [due] = await api.sql`
        update knowledge_sources set due_at = now() - interval '1 second'
        where id = ${parking} and status = 'queued' returning id`;
      if (!due) break;
      // Time stands still in each round, so that what is to be tried again later is not tried in it.
      const startedMs = Date.now();
      await processSources({ sql: api.sql, clock: { ...clock, wall: () => startedMs }, log, embedder });
    }
    expect(tries).toBe(5);
    const sources = (await acme.send('GET', `/knowledge-bases/${base}`)).body.sources;
    expect(sources.find(({ id }: { id: string }) => id === parking)).toMatchObject({
      status: 'failed',
      error: 'the embeddings provider failed: HTTP 500',
      passages: 1,
    });
    expect((await searching(null)(base, 'parking')).items[0]!.source_id).toBe(parking);
  });

  it('fails at once when the key is refused, and is ready after a reprocess with a valid key', async () => {
    provider.setMode('refusing');
    const base = (await acme.send('POST', '/knowledge-bases', { name: 'Hotel' })).body.id;
    const added = await acme.send('POST', `/knowledge-bases/${base}/sources/text`, { name: 'Pool', text: HOTEL.Pool });
    await processSources({ sql: api.sql, clock, log, embedder });
    expect(await state(base)).toMatchObject({
      status: 'failed',
      error: 'the embeddings provider failed: HTTP 401',
    });
    provider.setMode('fine');
    await acme.send('POST', `/knowledge-bases/${base}/sources/${added.body.id}/reprocess`);
    await processSources({ sql: api.sql, clock, log, embedder });
    expect(await state(base)).toMatchObject({ status: 'ready', error: '' });
  });
});
