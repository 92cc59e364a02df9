import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { processSources } from '../../../control/knowledge/process-sources.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { HOTEL } from './texts.ts';

const log = createLogger('control', 'silent');
let api: TestApi;
let acme: Client;

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  acme = await api.newWorkspace();
});

const process = () => processSources({ sql: api.sql, clock: systemClock, log, embedder: null });
const newBase = async (client: Client = acme, name = 'Hotel') =>
  (await client.send('POST', '/knowledge-bases', { name })).body.id as string;
const addText = (base: string, text: string, name = 'Facts', client: Client = acme) =>
  client.send('POST', `/knowledge-bases/${base}/sources/text`, { name, text });
const search = (base: string, query: string, limit?: number, client: Client = acme) =>
  client.send('POST', `/knowledge-bases/${base}/search`, { query, ...(limit === undefined ? {} : { limit }) });

async function hotel(client: Client = acme): Promise<string> {
  const base = await newBase(client);
  for (const [name, text] of Object.entries(HOTEL)) await addText(base, text, name, client);
  await process();
  return base;
}

describe('a knowledge base', () => {
  it('starts empty, and is returned with its sources', async () => {
    const made = await acme.send('POST', '/knowledge-bases', { name: 'Hotel', description: 'All of it' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'Hotel',
      description: 'All of it',
      status: 'empty',
      source_count: 0,
      characters: 0,
      inline: true,
      agent_ids: [],
      created_by: expect.any(String),
      created_at: expect.stringMatching(/\+05:30$/),
      updated_at: expect.stringMatching(/\+05:30$/),
    });
    const seen = await acme.send('GET', `/knowledge-bases/${made.body.id}`);
    expect(seen.body).toEqual({ ...made.body, sources: [] });
  });

  it('is listed newest first, only in its workspace', async () => {
    const ids = [await newBase(acme, 'One'), await newBase(acme, 'Two')];
    const other = await api.newWorkspace('Other');
    expect((await acme.send('GET', '/knowledge-bases')).body.map(({ id }: { id: string }) => id)).toEqual(
      ids.reverse(),
    );
    expect((await other.send('GET', '/knowledge-bases')).body).toEqual([]);
  });

  it('is renamed and described, each alone', async () => {
    const base = await newBase();
    const named = await acme.send('PATCH', `/knowledge-bases/${base}`, { name: 'Inn' });
    expect(named).toMatchObject({ status: 200, body: { name: 'Inn', description: '' } });
    const described = await acme.send('PATCH', `/knowledge-bases/${base}`, { description: 'Small' });
    expect(described.body).toMatchObject({ name: 'Inn', description: 'Small' });
  });

  it.each([
    [{}, ['body', 'name'], 'missing'],
    [{ name: '' }, ['body', 'name'], 'string_too_short'],
    [{ name: 'x'.repeat(121) }, ['body', 'name'], 'string_too_long'],
    [{ name: 'x', description: 'x'.repeat(501) }, ['body', 'description'], 'string_too_long'],
  ])('is refused as %o', async (body, loc, type) => {
    const refused = await acme.send('POST', '/knowledge-bases', body);
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc, type }] } });
  });

  it('of another workspace is not there', async () => {
    const base = await hotel();
    const source = (await acme.send('GET', `/knowledge-bases/${base}`)).body.sources[0].id;
    const other = await api.newWorkspace('Other');
    const gone = { status: 404, body: { detail: 'knowledge base not found' } };
    for (const id of [base, 'f'.repeat(32), 'nonsense']) {
      expect(await other.send('GET', `/knowledge-bases/${id}`)).toMatchObject(gone);
      expect(await other.send('PATCH', `/knowledge-bases/${id}`, { name: 'x' })).toMatchObject(gone);
      expect(await other.send('DELETE', `/knowledge-bases/${id}`)).toMatchObject(gone);
      expect(await addText(id, 'x', 'x', other)).toMatchObject(gone);
      expect(await search(id, 'parking', 5, other)).toMatchObject(gone);
      expect(await other.send('DELETE', `/knowledge-bases/${id}/sources/${source}`)).toMatchObject(gone);
      expect(await other.send('POST', `/knowledge-bases/${id}/sources/${source}/reprocess`)).toMatchObject(gone);
    }
    const own = await newBase(other);
    const noSource = { status: 404, body: { detail: 'source not found' } };
    expect(await other.send('DELETE', `/knowledge-bases/${own}/sources/${source}`)).toMatchObject(noSource);
    expect(await other.send('POST', `/knowledge-bases/${own}/sources/x/reprocess`)).toMatchObject(noSource);
  });

  it('is one of 20 at most, also when three are made at once', async () => {
    for (let n = 0; n < 18; n++) await newBase(acme, `Base ${n}`);
    const answers = await Promise.all(
      [1, 2, 3].map((n) => acme.send('POST', '/knowledge-bases', { name: `Last ${n}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toEqual({ detail: 'knowledge base limit reached (20)' });
  });
});

describe('a base that agents use', () => {
  it('names them, and is removed only when none is left', async () => {
    const base = await newBase();
    const agents: string[] = [];
    for (const name of ['A', 'B']) {
      agents.push((await acme.send('POST', '/agents', { name, knowledge_base_ids: [base, base] })).body.id);
    }
    expect((await acme.send('GET', `/knowledge-bases/${base}`)).body.agent_ids).toEqual(agents);
    expect((await acme.send('GET', '/knowledge-bases')).body[0].agent_ids).toEqual(agents);
    const refused = await acme.send('DELETE', `/knowledge-bases/${base}`);
    expect(refused).toMatchObject({ status: 409, body: { detail: 'used by 2 agents' } });
    await acme.send('PUT', `/agents/${agents[0]}`, { name: 'A' });
    await acme.send('DELETE', `/agents/${agents[1]}`);
    expect((await acme.send('DELETE', `/knowledge-bases/${base}`)).status).toBe(204);
    expect((await acme.send('GET', `/knowledge-bases/${base}`)).status).toBe(404);
    const left = await api.sql`select 1 from knowledge_sources where knowledge_base_id = ${base}`;
    expect(left).toHaveLength(0);
  });

  it('of another workspace cannot be named by an agent, when made or when changed', async () => {
    const own = await newBase();
    const foreign = await newBase(await api.newWorkspace('Other'));
    const item = {
      type: 'value_error',
      loc: ['body', 'knowledge_base_ids', 1],
      msg: 'this knowledge base is not in the workspace',
      input: foreign,
    };
    const made = await acme.send('POST', '/agents', { name: 'A', knowledge_base_ids: [own, foreign] });
    expect(made).toMatchObject({ status: 422, body: { detail: [item] } });
    const agent = (await acme.send('POST', '/agents', { name: 'A', knowledge_base_ids: [own] })).body;
    const changed = await acme.send('PUT', `/agents/${agent.id}`, { name: 'A', knowledge_base_ids: [own, foreign] });
    expect(changed).toMatchObject({ status: 422, body: { detail: [item] } });
  });

  it('cannot be removed while an agent is being saved with it', async () => {
    for (let round = 0; round < 5; round++) {
      const base = await newBase();
      const [saved, removed] = await Promise.all([
        acme.send('POST', '/agents', { name: 'A', knowledge_base_ids: [base] }),
        acme.send('DELETE', `/knowledge-bases/${base}`),
      ]);
      // Either the agent has it, or it is gone: never an agent with a base that is not there.
      expect([
        [201, 409],
        [422, 204],
      ]).toContainEqual([saved.status, removed.status]);
    }
  });
});

describe('a text', () => {
  it('waits, is processed, and can be found', async () => {
    const base = await newBase();
    const added = await addText(base, `  ${HOTEL.Parking}  \n`, 'Parking');
    expect(added.status).toBe(201);
    expect(added.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      kind: 'text',
      name: 'Parking',
      status: 'queued',
      error: '',
      url: '',
      file_name: '',
      size_bytes: 0,
      characters: 0,
      passages: 0,
      created_by: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await acme.send('GET', `/knowledge-bases/${base}`)).body).toMatchObject({
      status: 'processing',
      source_count: 1,
    });
    expect((await search(base, 'parking')).body.items).toEqual([]);
    await process();
    const { body } = await acme.send('GET', `/knowledge-bases/${base}`);
    const characters = HOTEL.Parking!.length;
    expect(body).toMatchObject({ status: 'ready', characters, inline: true });
    expect(body.sources).toMatchObject([{ status: 'ready', characters, passages: 1, error: '' }]);
    expect((await search(base, 'parking')).body.items).toHaveLength(1);
  });

  it.each([
    [{ name: 'x', text: '' }, 'string_too_short'],
    [{ name: 'x', text: ' \n\u200b ' }, 'value_error'],
    [{ name: 'x', text: 'x'.repeat(500_001) }, 'string_too_long'],
    [{ name: '', text: 'x' }, 'string_too_short'],
  ])('is refused as it is (%#)', async (body, type) => {
    const base = await newBase();
    const refused = await acme.send('POST', `/knowledge-bases/${base}/sources/text`, body);
    expect(refused.status).toBe(422);
    expect(refused.body.detail[0].type).toBe(type);
  });

  it('of half a million characters of Hindi is taken, and is too long for the prompt', async () => {
    const base = await newBase();
    const text = 'होटल का समय सुबह नौ बजे से है। '.repeat(16_000).slice(0, 499_990);
    expect((await addText(base, text)).status).toBe(201);
    await process();
    const { body } = await acme.send('GET', `/knowledge-bases/${base}`);
    expect(body).toMatchObject({ status: 'ready', inline: false });
    expect(body.sources[0].passages).toBeGreaterThan(500);
    expect((await search(base, 'होटल का समय', 20)).body.items).toHaveLength(20);
  });

  it('without words fails with a reason, and so does the base', async () => {
    const base = await newBase();
    await addText(base, '*** --- ***');
    await process();
    expect((await acme.send('GET', `/knowledge-bases/${base}`)).body).toMatchObject({
      status: 'failed',
      sources: [{ status: 'failed', error: 'there are no words in it' }],
    });
    await addText(base, 'words');
    await process();
    expect((await acme.send('GET', `/knowledge-bases/${base}`)).body.status).toBe('ready');
  });

  it('is one of at most 50, with five million characters in all', async () => {
    const base = await newBase();
    await addText(base, 'one');
    await api.sql`
      insert into knowledge_sources
      select (jsonb_populate_record(s, jsonb_build_object('id', lpad(to_hex(n), 32, '0')))).*
      from knowledge_sources s, generate_series(1, 48) n where s.knowledge_base_id = ${base}`;
    expect((await addText(base, 'the last')).status).toBe(201);
    expect(await addText(base, 'too many')).toMatchObject({
      status: 409,
      body: { detail: 'source limit reached (50)' },
    });
    const full = await newBase();
    await addText(full, 'one');
    await api.sql`update knowledge_sources set text_characters = 4999990 where knowledge_base_id = ${full}`;
    const refused = await addText(full, 'eleven more');
    expect(refused).toMatchObject({ status: 409, body: { detail: 'character limit reached (5000000)' } });
    await process();
  });

  it('is removed with its passages', async () => {
    const base = await hotel();
    const [{ id }] = (await search(base, 'parking')).body.items.map((item: { source_id: string }) => ({
      id: item.source_id,
    }));
    expect((await acme.send('DELETE', `/knowledge-bases/${base}/sources/${id}`)).status).toBe(204);
    expect((await search(base, 'parking')).body.items).toEqual([]);
    expect((await acme.send('DELETE', `/knowledge-bases/${base}/sources/${id}`)).status).toBe(404);
  });

  it('is found by its old passages while it is processed again', async () => {
    const base = await hotel();
    const { source_id } = (await search(base, 'parking')).body.items[0];
    const path = `/knowledge-bases/${base}/sources/${source_id}/reprocess`;
    const queued = await acme.send('POST', path);
    expect(queued).toMatchObject({ status: 202, body: { id: source_id, status: 'queued', passages: 1 } });
    expect((await acme.send('POST', path)).status).toBe(202);
    expect((await search(base, 'parking')).body.items).toHaveLength(1);
    await api.sql`update knowledge_sources set status = 'processing' where id = ${source_id}`;
    expect(await acme.send('POST', path)).toMatchObject({
      status: 409,
      body: { detail: 'the source is being processed' },
    });
    await process();
    expect((await search(base, 'parking')).body.items).toHaveLength(1);
  });

  it('is claimed again after a crash', async () => {
    const base = await newBase();
    await addText(base, 'Towels are on the third floor.');
    await api.sql`
      update knowledge_sources set status = 'processing', due_at = now() - interval '1 second', claim = 3
      where knowledge_base_id = ${base}`;
    expect(await process()).toBe(1);
    expect((await search(base, 'towels')).body.items).toHaveLength(1);
  });

  it('is processed once by concurrent jobs', async () => {
    const base = await newBase();
    for (let n = 0; n < 12; n++) await addText(base, `Room ${n} has a towel.`);
    const taken = await Promise.all([process(), process(), process()]);
    expect(taken.reduce((sum, each) => sum + each)).toBe(12);
    const [row] =
      await api.sql`select count(*)::integer as count from knowledge_passages where knowledge_base_id = ${base}`;
    expect(row).toEqual({ count: 12 });
  });

  it('that is removed while it is processed stays removed', async () => {
    const base = await newBase();
    const { id } = (await addText(base, 'Towels.')).body;
    const embedder = {
      model: 'slow',
      embed: async () => {
        await acme.send('DELETE', `/knowledge-bases/${base}/sources/${id}`);
        return { vectors: [Float32Array.of(1)], error: '' as const };
      },
    };
    await processSources({ sql: api.sql, clock: systemClock, log, embedder });
    expect((await acme.send('GET', `/knowledge-bases/${base}`)).body).toMatchObject({ status: 'empty', sources: [] });
  });
});

describe('a search', () => {
  it.each([
    ['do you have parking', 'Parking'],
    ['where can I park my car?', 'Parking'],
    ['can I cancel my booking', 'Cancellation'],
    ['are you open on sunday', 'Opening hours'],
    ['restaurant hours', 'Opening hours'],
    ['is there a swimming pool', 'Pool'],
    ['may I bring my dog', 'Pets'],
    ['कमरे का किराया कितना है', 'किराया'],
    ['checkin ka samay kya hai', 'Checkin'],
  ])('for "%s" finds %s first', async (query, source) => {
    const { status, body } = await search(await hotel(), query);
    expect(status).toBe(200);
    expect(body).toEqual({ items: expect.any(Array), embed_ms: 0, search_ms: expect.any(Number) });
    expect(body.items[0]).toEqual({
      source_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      source_name: source,
      text: HOTEL[source],
      score: expect.any(Number),
      keyword_match: true,
    });
    for (const { score } of body.items) expect(score > 0 && score <= 1).toBe(true);
    const scores = body.items.map(({ score }: { score: number }) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
  });

  it('returns at most the limit, 5 by default', async () => {
    const base = await newBase();
    for (let n = 0; n < 8; n++) await addText(base, `Room ${n} has a towel.`);
    await process();
    expect((await search(base, 'towel')).body.items).toHaveLength(5);
    expect((await search(base, 'towel', 7)).body.items).toHaveLength(7);
    for (const limit of [0, 21]) expect((await search(base, 'towel', limit)).status).toBe(422);
    for (const query of ['', 'x'.repeat(1_001)]) expect((await search(base, query)).status).toBe(422);
  });

  it('finds nothing where nothing fits, whatever is asked', async () => {
    const base = await hotel();
    for (const query of [
      'helicopter',
      'is it',
      '???',
      "' | !x & :* <-> \\ ='",
      `'=${base}'`,
      '\u{1F600}',
      'x'.repeat(1_000),
    ]) {
      const { status, body } = await search(base, query);
      expect([query, status, body.items]).toEqual([query, 200, []]);
    }
  });

  it('never finds what another workspace knows, nor another base', async () => {
    const other = await api.newWorkspace('Other');
    await hotel(other);
    const empty = await newBase();
    await hotel();
    expect((await search(empty, 'parking')).body.items).toEqual([]);
    const stolen = await newBase();
    // A text that carries another base's id is a text.
    await addText(stolen, `=${empty} parking`);
    await process();
    expect((await search(empty, 'parking')).body.items).toEqual([]);
  });

  it('finds words and base by the index', async () => {
    const base = await hotel();
    const plan = await api.sql.begin(async (tx) => {
      await tx`set local enable_seqscan = off`;
      return tx`explain select 1 from knowledge_passages where words @@ ${`'=${base}' & 'parking'`}::tsquery`;
    });
    expect(JSON.stringify(plan)).toContain('knowledge_passages_words');
  });
});
