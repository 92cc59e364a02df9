import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDatabase, type Sql } from '../control/db/connect.ts';
import { migrate } from '../control/db/migrate.ts';
import { createEmbedder, type Embedder } from '../control/knowledge/embedder.ts';
import { processSources } from '../control/knowledge/process-sources.ts';
import { createSearch } from '../control/knowledge/search.ts';
import { similarPassages } from '../control/knowledge/similar-passages.ts';
import { signsOf, vectorToBytes } from '../control/knowledge/vectors.ts';
import { createWorkspace } from '../control/operators/workspaces.ts';
import { startPostgres } from '../dev/postgres.ts';
import { startEmbeddingsSimulator } from '../fixtures/simulators/embeddings.ts';
import { systemClock } from '../shared/clock.ts';
import { newId } from '../shared/ids.ts';
import { createLogger } from '../shared/log.ts';
import { type Percentiles, percentiles } from '../shared/percentiles.ts';
import { seededRandom } from '../test/support/seeded-random.ts';
import { type Machine, thisMachine } from './machine.ts';
import { DOCUMENTS, QUESTIONS } from './retrieval/documents.ts';

/**
 * Measures how often the search of knowledge bases finds the passage that answers a question, and how long the comparison of vectors
 * takes. `node bench/retrieval.ts [passages ...]`; with PGVECTOR_URL the comparison is measured on that empty database too.
 */

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000];
const PASSAGES_OF_A_BASE = 10_000;
const DIMENSIONS = 1_536;
const QUERIES = 40;
const FOUND = 10;

export interface RetrievalResult {
  machine: Machine;
  passages: number;
  quality: {
    search: string;
    language: string;
    questions: number;
    recall_at_1: number;
    recall_at_5: number;
    mrr: number;
  }[];
  comparison: { server: string; passages: number; milliseconds: Percentiles }[];
}

const clock = systemClock;
const log = createLogger('bench', 'error');
const machine = thisMachine();
const home = mkdtempSync(join(tmpdir(), 'antiphon-bench-'));
const server = await startPostgres({ dataDir: join(home, 'postgres') });
const sql = connectDatabase({ url: server.url, name: 'bench', max: 4 });
const simulator = await startEmbeddingsSimulator({ dimensions: 256 });
const quality: RetrievalResult['quality'] = [];
const comparison: RetrievalResult['comparison'] = [];
try {
  await migrate(sql);
  const { url, apiKey } = simulator;
  const embedder = createEmbedder({ url, apiKey, model: 'simulated', clock });
  await measureQuality('keywords', null);
  await measureQuality('keywords and simulated embeddings', embedder);
  for (const passages of SIZES) await measureComparison('PostgreSQL alone', sql, passages);
  if (process.env.PGVECTOR_URL) {
    const other = connectDatabase({ url: process.env.PGVECTOR_URL, name: 'bench', max: 4 });
    await migrate(other);
    for (const passages of SIZES) await measureComparison('with pgvector', other, passages);
    await other.end();
  }
} finally {
  await sql.end();
  await simulator.close();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
const passages = Object.values(DOCUMENTS).reduce((sum, document) => sum + Object.keys(document).length, 0);
const result: RetrievalResult = { machine, passages, quality, comparison };
mkdirSync(join(import.meta.dirname, 'results'), { recursive: true });
writeFileSync(join(import.meta.dirname, 'results', 'retrieval.json'), `${JSON.stringify(result, null, 2)}\n`);

async function measureQuality(name: string, embedder: Embedder | null): Promise<void> {
  const { workspace_id } = await createWorkspace({ sql, wallMs: clock.wall() }, name);
  const knowledge_base_ids: string[] = [];
  for (const [document, texts] of Object.entries(DOCUMENTS)) {
    const base = newId();
    knowledge_base_ids.push(base);
    await insertBase(sql, workspace_id, base);
    for (const [passage, text] of Object.entries(texts)) {
      await insertSource(sql, { workspace_id, knowledge_base_id: base, name: `${document}.${passage}`, text });
    }
  }
  await processSources({ sql, clock, log, embedder });
  const search = createSearch({ sql, clock, log, embedder });
  const ranks: { language: string; rank: number }[] = [];
  for (const { language, question, passage } of QUESTIONS) {
    const { items } = await search({
      ...{ workspace_id, knowledge_base_ids, query: question, limit: FOUND, semantic_timeout_ms: 10_000 },
    });
    const rank = 1 + items.findIndex(({ source_name }) => source_name === passage);
    ranks.push({ language, rank });
    if (process.env.VERBOSE && (rank === 0 || rank > 1))
      console.log(`  ${rank || 'not found'}  ${question} (${passage})`);
  }
  for (const language of new Set(QUESTIONS.map((each) => each.language))) {
    const own = ranks.filter((each) => each.language === language).map(({ rank }) => rank);
    const share = (limit: number) => round(own.filter((rank) => rank > 0 && rank <= limit).length / own.length);
    const mrr = round(own.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / own.length);
    quality.push({ search: name, language, questions: own.length, recall_at_1: share(1), recall_at_5: share(5), mrr });
    console.log(name, language, JSON.stringify(quality.at(-1)));
  }
}

/** Vectors about 300 subjects, which share a direction as those of real models do. */
async function measureComparison(name: string, database: Sql, count: number): Promise<void> {
  const { workspace_id } = await createWorkspace({ sql: database, wallMs: clock.wall() }, `${count}`);
  const random = seededRandom(count);
  const noise = () => unit(Float32Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5));
  const common = noise();
  const subjects = Array.from({ length: 300 }, noise);
  const vectors: Float32Array[] = [];
  const bases: { id: string; passages: number }[] = [];
  for (let from = 0; from < count; from += 500) {
    if (from % PASSAGES_OF_A_BASE === 0) {
      bases.push({ id: newId(), passages: Math.min(PASSAGES_OF_A_BASE, count - from) });
      await insertBase(database, workspace_id, bases.at(-1)!.id);
    }
    const knowledge_base_id = bases.at(-1)!.id;
    const source_id = await insertSource(database, { workspace_id, knowledge_base_id, name: 'x', text: '' });
    const rows = Array.from({ length: Math.min(500, count - from) }, (_, index) => {
      const subject = subjects[Math.floor(random() * subjects.length)]!;
      const vector = unit(noise().map((value, at) => 0.6 * value + 0.6 * subject[at]! + 0.5 * common[at]!));
      if (vectors.length < QUERIES) vectors.push(vector);
      return {
        ...{ workspace_id, knowledge_base_id, source_id, number: index + 1, text: 'word '.repeat(100), words: '' },
        ...{ embedding: vectorToBytes(vector), signs: signsOf(vector), embedding_model: 'made' },
      };
    });
    await database`insert into knowledge_passages ${database(rows as never)}`;
  }
  await database`vacuum analyze knowledge_passages`;
  const times: number[] = [];
  for (const near of vectors) {
    const vector = unit(noise().map((value, at) => 0.8 * value + near[at]!));
    const startMs = performance.now();
    const query = { workspace_id, bases, model: 'made', vector, minSimilarity: 0.25, limit: 50 };
    const found = await similarPassages(database, null, query);
    times.push(performance.now() - startMs);
    if (found.length === 0) throw new Error('nothing was found');
  }
  comparison.push({ server: name, passages: count, milliseconds: percentiles(times) });
  console.log(name, count, JSON.stringify(comparison.at(-1)!.milliseconds));
}

async function insertBase(database: Sql, workspace_id: string, id: string): Promise<void> {
  await database`
    insert into knowledge_bases (workspace_id, id, name, description, created_by, created_at, updated_at)
    values (${workspace_id}, ${id}, 'Bench', '', '', now(), now())`;
}

/** Without a text: one that is processed already. */
async function insertSource(
  database: Sql,
  {
    workspace_id,
    knowledge_base_id,
    name,
    text,
  }: Record<'workspace_id' | 'knowledge_base_id' | 'name' | 'text', string>,
): Promise<string> {
  const id = newId();
  await database`
    insert into knowledge_sources (
      workspace_id, knowledge_base_id, id, kind, name, status, created_by, created_at, updated_at, due_at, text, text_characters
    ) values (
      ${workspace_id}, ${knowledge_base_id}, ${id}, 'text', ${name}, ${text === '' ? 'ready' : 'queued'}, '', now(), now(), now(),
      ${text}, ${text.length}
    )`;
  return id;
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function round(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}
