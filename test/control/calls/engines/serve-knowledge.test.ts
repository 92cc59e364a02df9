import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchForCall, serveKnowledge } from '../../../../control/calls/engines/serve-knowledge.ts';
import { openSession } from '../../../../control/calls/engines/sessions.ts';
import { createBases } from '../../../../control/knowledge/manage-bases.ts';
import { processSources } from '../../../../control/knowledge/process-sources.ts';
import { createSearch } from '../../../../control/knowledge/search.ts';
import { type Bus, connectBus } from '../../../../shared/bus/bus.ts';
import { startTestNats } from '../../../support/nats.ts';
import { type CallFixture, createCallFixture, log, type Tenant } from '../call-fixture.ts';

let fixture: CallFixture;
let search: ReturnType<typeof createSearch>;

beforeAll(async () => {
  fixture = await createCallFixture();
  search = createSearch({ sql: fixture.sql, clock: fixture.clock, log, embedder: null });
});

async function knowing(texts: Record<string, string>, knowledge_mode: 'auto' | 'search' = 'auto'): Promise<Tenant> {
  const { sql, clock } = fixture;
  const tenant = await fixture.tenant(5);
  const bases = createBases({
    sql,
    clock,
    agentsUsing: async () => new Map(),
    checkUrl: async () => {},
    onQueued() {},
  });
  const tester = { kind: 'user', id: 'tester', name: 'tests' } as const;
  const base = await bases.create(tenant.workspace_id, tester, { name: 'Base', description: '' });
  for (const [name, text] of Object.entries(texts))
    await bases.addText(tenant.workspace_id, base.id, tester, { name, text });
  await processSources({ sql, clock, log, embedder: null });
  const agent_id = await fixture.agent(tenant.workspace_id, { knowledge_base_ids: [base.id], knowledge_mode });
  return { ...tenant, agent_id };
}

async function sessionOf(tenant: Tenant) {
  const { id, provider_call_id } = await fixture.ringing(tenant);
  const request = { call_id: id, nonce: 'n'.repeat(16), engine_id: 'e', carrier: 'twilio', provider_call_id };
  return (await openSession({ sql: fixture.sql, clock: fixture.clock, log }, request)).session!;
}

const LONG = 'The spa opens at noon. '.repeat(300);

describe('a session', () => {
  it('contains short knowledge for the prompt, source by source', async () => {
    const session = await sessionOf(await knowing({ Hours: 'Open at nine.', Parking: 'Behind the house.' }));
    const text = 'Hours:\nOpen at nine.\n\nParking:\nBehind the house.';
    expect(session.knowledge).toEqual({ text, search: false });
  });

  it('says that the rest is searched', async () => {
    expect((await sessionOf(await knowing({ Spa: LONG }))).knowledge).toEqual({ text: '', search: true });
    const short = await knowing({ Hours: 'Open at nine.' }, 'search');
    expect((await sessionOf(short)).knowledge).toEqual({ text: '', search: true });
  });

  it('has none without knowledge bases', async () => {
    expect((await sessionOf(await fixture.tenant(5))).knowledge).toBeUndefined();
    expect((await sessionOf(await knowing({}))).knowledge).toBeUndefined();
  });
});

describe('a search during a call', () => {
  it("searches the agent's own knowledge bases", async () => {
    const tenant = await knowing({ Spa: LONG, Parking: 'Guests park behind the house.' });
    await knowing({ Strange: 'Parking is forbidden everywhere.' });
    const call = await fixture.ringing(tenant);
    const reply = await searchForCall(
      { sql: fixture.sql, search },
      { call_id: call.id, query: 'where to park', limit: 4, within_ms: 20_000 },
    );
    expect(reply).toEqual({
      error: '',
      passages: [
        { source: 'Parking', text: 'Guests park behind the house.', score: expect.any(Number), keyword_match: true },
      ],
      hits: 1,
      embed_ms: 0,
      search_ms: expect.any(Number),
    });
  });

  it('is refused for a call that is not live or not known, or without knowledge bases', async () => {
    const deps = { sql: fixture.sql, search };
    const error = async (call_id: string) =>
      (await searchForCall(deps, { call_id, query: 'x', limit: 4, within_ms: 20_000 })).error;
    const tenant = await knowing({ Spa: LONG });
    const queued = await fixture.queue(tenant);
    expect(await error(queued.id)).toBe('the call is queued');
    expect(await error('f'.repeat(32))).toBe('the call is not known');
    expect(await error("'; drop table calls")).toBe('the call is not known');
    const plain = await fixture.ringing(await fixture.tenant(5));
    expect(await error(plain.id)).toBe('the agent has no knowledge bases');
  });

  it('accepts any limit and any length', async () => {
    const tenant = await knowing({ Spa: LONG });
    const { id: call_id } = await fixture.ringing(tenant);
    const deps = { sql: fixture.sql, search };
    expect((await searchForCall(deps, { call_id, query: 'spa', limit: 0, within_ms: 20_000 })).passages).toHaveLength(
      1,
    );
    expect(
      (await searchForCall(deps, { call_id, query: 'spa', limit: 4_000_000, within_ms: 20_000 })).passages.length,
    ).toBeGreaterThan(1);
    const endless = await searchForCall(deps, { call_id, query: 'spa '.repeat(100_000), limit: 1, within_ms: 20_000 });
    expect(endless.passages).toHaveLength(1);
  });
});

describe('over the bus', () => {
  let engine: Bus;
  let control: Bus;
  beforeAll(async () => {
    const nats = await startTestNats();
    [engine, control] = await Promise.all([
      connectBus({ url: nats.url, name: 'engine', log }),
      connectBus({ url: nats.url, name: 'control', log }),
    ]);
  });
  afterAll(() => Promise.all([engine?.close(), control?.close()]));

  it('an engine gets a reply, and an error at once when no control process is there', async () => {
    const call = await fixture.ringing(await knowing({ Spa: LONG }));
    const request = { call_id: call.id, query: 'when does the spa open', limit: 2, within_ms: 20_000 };
    await expect(engine.searchKnowledge(request, 20_000)).rejects.toThrow();
    serveKnowledge(control, { sql: fixture.sql, search });
    // NATS propagates the subscription a moment later.
    await expect
      .poll(() => engine.searchKnowledge(request, 5_000).catch(() => null))
      .toMatchObject({
        error: '',
        passages: [{ source: 'Spa' }, { source: 'Spa' }],
      });
  });
});
