import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import type { Loop } from '../db/loop.ts';
import { createEmbedder } from './embedder.ts';
import { type FailedSource, startProcessing } from './process-sources.ts';
import { createSearch, type SearchKnowledge } from './search.ts';

export interface KnowledgeDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  config: { EMBEDDINGS_URL: string; EMBEDDINGS_API_KEY: string; EMBEDDINGS_MODEL: string };
  /** A source was given up. */
  onFailed?: (failed: FailedSource) => void;
}

export interface KnowledgeRoom {
  search: SearchKnowledge;
  /** A source waits: process it now, where this process does so. */
  onQueued(): void;
  /** Begins to process sources. */
  start(): void;
  stop(): Promise<void>;
}

/** Everything of knowledge bases that is not an endpoint of the API. */
export function createKnowledgeRoom({ sql, clock, log, config, onFailed }: KnowledgeDeps): KnowledgeRoom {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: model } = config;
  const embedder = url === '' ? null : createEmbedder({ url, apiKey, model, clock });
  let processing: Loop | null = null;
  return {
    search: createSearch({ sql, clock, log, embedder }),
    onQueued: () => processing?.wake(),
    start() {
      processing = startProcessing({ sql, clock, log, embedder, ...(onFailed ? { onFailed } : {}) });
    },
    async stop() {
      await processing?.stop();
    },
  };
}
