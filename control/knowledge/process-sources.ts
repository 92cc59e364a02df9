import type { Clock } from '../../shared/clock.ts';
import { indexTerms } from '../../shared/knowledge-terms.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { createSafeFetch, type SafeFetch } from '../../shared/safe-fetch.ts';
import type { Sql } from '../db/connect.ts';
import type { OpenWorkQuery } from '../db/open-work.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { MAX_BASE_CHARACTERS } from './base-record.ts';
import { createDocumentReader, type DocumentReader, ReaderClosed } from './documents/document-reader.ts';
import type { Embedder } from './embedder.ts';
import {
  type ClaimedSource,
  charactersOfOthers,
  claimSource,
  deleteFile,
  finishSource,
  listUnsignedVectors,
  lockClaim,
  type NewPassage,
  replacePages,
  replacePassages,
  storeContent,
  storeSigns,
} from './processing-store.ts';
import { type ReadSourceDeps, readSource } from './read-source.ts';
import { lockBase } from './store.ts';
import { signsOf, vectorFromBytes, vectorToBytes } from './vectors.ts';

/** A background job that splits sources into passages. Every control process runs it; each source is claimed by one. */

export interface ProcessDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  /** Null: passages are found by keywords only. */
  embedder: Embedder | null;
  /** Default: one of its own. */
  reader?: DocumentReader;
  /** Default: reaches the public internet only. */
  fetch?: SafeFetch;
  /** Called when a source failed and is not tried again. */
  onFailed?: (failed: FailedSource) => void;
}

export interface FailedSource {
  workspace_id: string;
  knowledge_base_id: string;
  source_id: string;
  tries: number;
  /**
   * `content`: its file or page cannot be read. `empty`: it has no words. `limit`: the base would be too long. `embeddings`: the
   * embeddings provider failed. `error`: processing it threw something that nobody expects.
   */
  reason: 'content' | 'empty' | 'limit' | 'embeddings' | 'error';
}

/** A claim expires after this time, so that the source of a crashed process is claimed again. Longer than the embeddings timeout. */
const CLAIM_TIMEOUT_MS = 600_000;
const EMBED_TIMEOUT_MS = 300_000;
/** Delays before the second and later tries; after the last try the source has failed. */
const RETRY_DELAYS_MS = [5_000, 30_000, 120_000, 600_000];
/** Of a page whose server cannot be reached, or fails. */
const FETCH_DELAYS_MS = [5_000, 30_000];
/** For the one who added a source whose processing threw. */
const NOT_PROCESSED = 'it could not be processed: try it again later, or add it in another form';
/** Passages that are indexed without a break: a few milliseconds. */
const TURN_PASSAGES = 20;
/** Finds later tries; a source that was added wakes the job at once. */
const POLL_INTERVAL_MS = 2_000;

const sourcesToProcess: OpenWorkQuery = `
  select from knowledge_sources where status in ('queued', 'processing')`;

export function startSourceProcessing(deps: ProcessDeps): PollingJob {
  const { sql, clock, log } = deps;
  let allSigned = false;
  const run = async () => {
    if (!allSigned) await signStoredVectors(sql);
    allSigned = true;
    await processSources(deps);
  };
  const wakeOn = { sql, topic: 'sources' } as const;
  const openWork = { sql, query: sourcesToProcess };
  return startPollingJob({
    ...{ name: 'knowledge sources', intervalMs: POLL_INTERVAL_MS, clock, log, wakeOn, openWork, run },
  });
}

/** Writes the signs of vectors that were stored before there were signs. */
export async function signStoredVectors(sql: Sql): Promise<void> {
  for (;;) {
    const unsigned = await listUnsignedVectors(sql, TURN_PASSAGES);
    if (unsigned.length === 0) return;
    const signed = unsigned.map((each) => ({ ...each, signs: signsOf(vectorFromBytes(each.embedding)) }));
    await storeSigns(sql, signed);
  }
}

/**
 * Processes sources until none is due or the reader is closed, workspaces in turn. One that throws keeps no others from it, unless the
 * database is away.
 *
 * @returns how many.
 */
export async function processSources(deps: ProcessDeps): Promise<number> {
  const { sql, clock, log } = deps;
  const { reader = createDocumentReader(deps), fetch = createSafeFetch({ clock }) } = deps;
  let lastWorkspaceId = '';
  for (let count = 0; ; count++) {
    const nowMs = clock.wall();
    const source = await claimSource(sql, new Date(nowMs), new Date(nowMs + CLAIM_TIMEOUT_MS), lastWorkspaceId);
    if (!source) return count;
    lastWorkspaceId = source.workspace_id;
    try {
      await processSource({ ...deps, reader, fetch }, source);
    } catch (error) {
      if (error instanceof ReaderClosed) {
        const at = new Date(clock.wall());
        await finishSource(sql, source, { status: 'queued', at, due: at });
        return count;
      }
      const { workspace_id, id: source_id, tries } = source;
      log.error({ workspace_id, source_id, tries, error: errorText(error) }, 'processing a source failed');
      await failSource(deps, source, { reason: 'error', error: NOT_PROCESSED, delaysMs: RETRY_DELAYS_MS });
    }
  }
}

interface Failure {
  reason: FailedSource['reason'];
  /** For the one who added the source. */
  error: string;
  delaysMs: readonly number[];
}

/** Fails the source, or queues it once more where that may help. */
async function failSource(
  { sql, clock, onFailed }: ProcessDeps,
  source: ClaimedSource,
  { reason, error, delaysMs }: Failure,
): Promise<void> {
  const { workspace_id, knowledge_base_id, id, tries } = source;
  const pauseMs = delaysMs[tries - 1];
  const at = new Date(clock.wall());
  if (pauseMs !== undefined) {
    await finishSource(sql, source, { status: 'queued', error, at, due: new Date(at.getTime() + pauseMs) });
    return;
  }
  await sql.begin(async (tx) => {
    if (!(await lockClaim(tx, source))) return;
    await finishSource(tx, source, { status: 'failed', error, at, due: at });
    // Reading it again would fail again.
    if (reason === 'content' || reason === 'empty') await deleteFile(tx, source);
  });
  onFailed?.({ workspace_id, knowledge_base_id, source_id: id, tries, reason });
}

async function processSource(deps: ProcessDeps & ReadSourceDeps, source: ClaimedSource): Promise<void> {
  const { sql, clock, log, embedder } = deps;
  const { workspace_id, knowledge_base_id, id, tries } = source;
  const facts = { workspace_id, source_id: id };

  const fail = (reason: FailedSource['reason'], error: string, delaysMs: readonly number[] = []) =>
    failSource(deps, source, { reason, error, delaysMs });

  const content = await readSource(deps, source);
  if (content.type === 'failed') return fail('content', content.reason, content.retryable ? FETCH_DELAYS_MS : []);
  const { text, passages } = content;
  if (passages.length === 0) return fail('empty', 'there are no words in it');
  const embedded = embedder ? await embedder.embed(passages, EMBED_TIMEOUT_MS) : null;
  if (embedded?.vectors === null) {
    log.warn({ ...facts, tries, error: embedded.error }, 'embedding a source failed');
    const delaysMs = embedded.retryable ? RETRY_DELAYS_MS : [];
    return fail('embeddings', `the embeddings provider failed: ${embedded.error}`, delaysMs);
  }
  const rows: NewPassage[] = [];
  for (const [index, passage] of passages.entries()) {
    const vector = embedded?.vectors[index];
    rows.push({
      number: index + 1,
      text: passage,
      words: tsvectorOf(knowledge_base_id, passage),
      embedding: vector ? vectorToBytes(vector) : null,
      signs: vector ? signsOf(vector) : null,
      embedding_model: vector ? embedder!.model : '',
    });
    // Everything else runs in between.
    if (index % TURN_PASSAGES === TURN_PASSAGES - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  const at = new Date(clock.wall());
  const written = await sql.begin(async (tx) => {
    if (!(await lockBase(tx, workspace_id, knowledge_base_id)) || !(await lockClaim(tx, source))) return 'lost';
    if ((await charactersOfOthers(tx, source)) + text.length > MAX_BASE_CHARACTERS) return 'too long';
    await replacePassages(tx, source, rows);
    if (source.kind !== 'text') await storeContent(tx, source, content);
    if (source.kind === 'url') await replacePages(tx, source, content.pages);
    await deleteFile(tx, source);
    const result = { status: 'ready', characters: text.length, passages: rows.length, at, due: at } as const;
    await finishSource(tx, source, result);
    return 'written';
  });
  if (written === 'written') log.info({ ...facts, passages: rows.length }, 'source processed');
  // The file is kept: there may be room for it later.
  if (written === 'too long') await fail('limit', `character limit reached (${MAX_BASE_CHARACTERS})`);
}

/** A tsvector as text: the base, and each word with its positions. PostgreSQL keeps 256 positions of a word. */
function tsvectorOf(baseId: string, passage: string): string {
  const positions = new Map<string, number[]>();
  for (const [index, word] of indexTerms(passage).entries()) {
    const known = positions.get(word);
    if (known) known.push(index + 1);
    else positions.set(word, [index + 1]);
  }
  const words = [...positions].map(([word, at]) => `'${word}':${at.slice(0, 255).join(',')}`);
  return [`'=${baseId}'`, ...words].join(' ');
}
