import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { createEmbedder } from './embedder.ts';
import { type FailedSource, startSourceProcessing } from './process-sources.ts';
import { createSearch, type SearchKnowledge } from './search.ts';

export interface KnowledgeModuleDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  config: { EMBEDDINGS_URL: string; EMBEDDINGS_API_KEY: string; EMBEDDINGS_MODEL: string };
  /** A source was given up. */
  onFailed?: (failed: FailedSource) => void;
}

export interface KnowledgeModule {
  search: SearchKnowledge;
  /** A source waits: process it now, where this process does so. */
  onQueued(): void;
  /** Begins to process sources. */
  start(): void;
  stop(): Promise<void>;
}

/** Everything of knowledge bases that is not an endpoint of the API. */
export function createKnowledgeModule({ sql, clock, log, config, onFailed }: KnowledgeModuleDeps): KnowledgeModule {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: model } = config;
  const embedder = url === '' ? null : createEmbedder({ url, apiKey, model, clock });
  let processing: PollingJob | null = null;
  return {
    search: createSearch({ sql, clock, log, embedder }),
    onQueued: () => processing?.wake(),
    start() {
      processing = startSourceProcessing({ sql, clock, log, embedder, ...(onFailed ? { onFailed } : {}) });
    },
    async stop() {
      await processing?.stop();
    },
  };
}
