import type { Clock } from '../../shared/clock.ts';
import { indexTerms } from '../../shared/knowledge-terms.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import type { Embedder } from './embedder.ts';
import {
  type ClaimedSource,
  claimSource,
  finishSource,
  lockClaim,
  type NewPassage,
  replacePassages,
} from './processing-store.ts';
import { cleanText, splitPassages } from './split-passages.ts';
import { bumpRevision, lockBase } from './store.ts';
import { vectorToBytes } from './vector-cache.ts';

/** A background job that splits sources into passages. Every control process runs it; each source is claimed by one. */

export interface ProcessDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  /** Null: passages are found by keywords only. */
  embedder: Embedder | null;
  /** Called when a source failed and is not tried again. */
  onFailed?: (failed: FailedSource) => void;
}

export interface FailedSource {
  workspace_id: string;
  knowledge_base_id: string;
  source_id: string;
  tries: number;
  /** `empty`: it has no words. `embeddings`: the embeddings provider failed. */
  reason: 'empty' | 'embeddings';
}

/** A claim expires after this time, so that the source of a crashed process is claimed again. Longer than the embeddings timeout. */
const CLAIM_TIMEOUT_MS = 600_000;
const EMBED_TIMEOUT_MS = 300_000;
/** Delays before the second and later tries; after the last try the source has failed. */
const RETRY_DELAYS_MS = [5_000, 30_000, 120_000, 600_000];
/** Finds sources of other processes and later tries; a source added by this process wakes the job at once. */
const POLL_INTERVAL_MS = 2_000;

export function startSourceProcessing(deps: ProcessDeps): PollingJob {
  const { clock, log } = deps;
  const run = async () => void (await processSources(deps));
  return startPollingJob({ name: 'knowledge sources', intervalMs: POLL_INTERVAL_MS, clock, log, run });
}

/** Processes sources until none is due, workspaces in turn. @returns how many. */
export async function processSources(deps: ProcessDeps): Promise<number> {
  const { sql, clock } = deps;
  let lastWorkspaceId = '';
  for (let count = 0; ; count++) {
    const nowMs = clock.wall();
    const source = await claimSource(sql, new Date(nowMs), new Date(nowMs + CLAIM_TIMEOUT_MS), lastWorkspaceId);
    if (!source) return count;
    lastWorkspaceId = source.workspace_id;
    await processSource(deps, source);
  }
}

async function processSource(deps: ProcessDeps, source: ClaimedSource): Promise<void> {
  const { sql, clock, log, embedder, onFailed } = deps;
  const { workspace_id, knowledge_base_id, id, tries } = source;
  const failed = (reason: FailedSource['reason']) =>
    onFailed?.({ workspace_id, knowledge_base_id, source_id: id, tries, reason });
  const text = cleanText(source.text);
  const passages = splitPassages(text);
  const facts = { workspace_id, source_id: id };
  if (passages.length === 0) {
    const at = new Date(clock.wall());
    await finishSource(sql, source, { status: 'failed', error: 'there are no words in it', at, due: at });
    failed('empty');
    return;
  }
  const embedded = embedder ? await embedder.embed(passages, EMBED_TIMEOUT_MS) : null;
  const at = new Date(clock.wall());
  if (embedded?.vectors === null) {
    const pauseMs = embedded.retryable ? RETRY_DELAYS_MS[tries - 1] : undefined;
    const error = `the embeddings provider failed: ${embedded.error}`;
    log.warn({ ...facts, tries, error: embedded.error }, 'embedding a source failed');
    const status = pauseMs === undefined ? 'failed' : 'queued';
    await finishSource(sql, source, { status, error, at, due: new Date(at.getTime() + (pauseMs ?? 0)) });
    if (pauseMs === undefined) failed('embeddings');
    return;
  }
  const rows: NewPassage[] = passages.map((passage, index) => {
    const vector = embedded?.vectors[index];
    return {
      number: index + 1,
      text: passage,
      words: tsvectorOf(knowledge_base_id, passage),
      embedding: vector ? vectorToBytes(vector) : null,
      embedding_model: vector ? embedder!.model : '',
    };
  });
  const written = await sql.begin(async (tx) => {
    if (!(await lockBase(tx, workspace_id, knowledge_base_id)) || !(await lockClaim(tx, source))) return false;
    await replacePassages(tx, source, rows);
    const result = { status: 'ready', characters: text.length, passages: rows.length, at, due: at } as const;
    await finishSource(tx, source, result);
    await bumpRevision(tx, workspace_id, knowledge_base_id);
    return true;
  });
  if (written) log.info({ ...facts, passages: rows.length }, 'source processed');
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
