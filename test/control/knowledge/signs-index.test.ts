import { afterAll, describe, expect, it } from 'vitest';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { migrate } from '../../../control/db/migrate.ts';
import { indexServes, prepareSignsIndex } from '../../../control/knowledge/signs-index.ts';
import { similarPassages } from '../../../control/knowledge/similar-passages.ts';
import { signsOf, similarityOf, vectorToBytes } from '../../../control/knowledge/vectors.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const log = createLogger('control', 'silent');
const DIMENSIONS = 64;
const PASSAGES = 2_000;

describe('the index serves', () => {
  it.each([
    ['no search while it is not built', { built: false, passages: 50_000 }, 50_000, false],
    ['no search of few passages', { built: true, passages: 10_000 }, 10_000, false],
    ['no search of a small part of all passages', { built: true, passages: 1_000_000 }, 50_000, false],
    ['a search of many', { built: true, passages: 100_000 }, 50_000, true],
  ])('%s', (_, state, passages, expected) => {
    expect(indexServes(state, passages)).toBe(expected);
  });
});

/** Fills a workspace with vectors about 40 subjects and returns them. */
async function fill(sql: Sql): Promise<{ number: number; vector: Float32Array }[]> {
  const random = seededRandom(7);
  const unit = (vector: Float32Array) => vector.map((value) => value / Math.hypot(...vector));
  const noise = () => unit(Float32Array.from({ length: DIMENSIONS }, () => random() + random() - 1));
  const subjects = Array.from({ length: 40 }, noise);
  const passages = Array.from({ length: PASSAGES }, (_, index) => {
    const subject = subjects[index % 40]!;
    return { number: index + 1, vector: unit(noise().map((value, at) => value + subject[at]!)) };
  });
  await sql`insert into workspaces ${sql({ id: 'w', name: 'W', state: 'active', created_at: new Date() } as never)}`;
  await sql`
    insert into knowledge_bases (workspace_id, id, name, description, created_by, created_at, updated_at)
    values ('w', 'b', 'B', '', '', now(), now())`;
  await sql`
    insert into knowledge_sources (workspace_id, knowledge_base_id, id, kind, name, created_by, created_at, updated_at, due_at, text, text_characters)
    values ('w', 'b', 's', 'text', 'S', '', now(), now(), now(), '', 0)`;
  for (let from = 0; from < PASSAGES; from += 500) {
    const rows = passages.slice(from, from + 500).map(({ number, vector }) => ({
      ...{ workspace_id: 'w', knowledge_base_id: 'b', source_id: 's', number, text: '', words: '' },
      ...{ embedding: vectorToBytes(vector), signs: signsOf(vector), embedding_model: 'fake' },
    }));
    await sql`insert into knowledge_passages ${sql(rows as never)}`;
  }
  await sql`analyze knowledge_passages`;
  return passages;
}

/** Returns the share of the five most similar passages of each passage that the search finds. */
async function recallAt5(sql: Sql, passages: Awaited<ReturnType<typeof fill>>, useIndex: boolean): Promise<number> {
  let found = 0;
  const asked = passages.filter((_, index) => index % 100 === 0);
  for (const { vector } of asked) {
    const best = passages
      .map((each) => ({ number: each.number, similarity: similarityOf(each.vector, vector) }))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, 5);
    const query = { workspace_id: 'w', bases: [{ id: 'b', passages: PASSAGES }], model: 'fake', vector };
    const similar = await similarPassages(
      ...([sql, { serves: () => useIndex }, { ...query, minSimilarity: 0.25, limit: 5 }] as const),
    );
    found += best.filter(({ number }) => similar.some((each) => each.number === number)).length;
  }
  return found / (asked.length * 5);
}

describe('a server without pgvector', () => {
  it('finds the most similar passages by their signs, as a comparison with all vectors does', async () => {
    const { sql } = await createTestDatabase();
    const passages = await fill(sql);
    expect(await prepareSignsIndex({ sql, clock: systemClock, log }, () => {})).toMatchObject({ built: false });
    expect(await recallAt5(sql, passages, false)).toBeGreaterThanOrEqual(0.99);
  });
});

// pgvector comes with no package of npm: a server that has it is named by the one who has one.
describe.skipIf(!process.env.PGVECTOR_URL)('a server with pgvector', () => {
  const sql = connectDatabase({ url: process.env.PGVECTOR_URL ?? '', max: 3 });
  afterAll(() => sql.end({ timeout: 5 }));

  it('gets the index when the extension is there, and finds the same through it', async () => {
    await migrate(sql);
    const passages = await fill(sql);
    expect(await prepareSignsIndex({ sql, clock: systemClock, log }, () => {})).toMatchObject({ built: true });
    expect(await recallAt5(sql, passages, true)).toBeGreaterThanOrEqual(0.99);
  });
});
