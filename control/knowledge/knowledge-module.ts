import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../shared/clock.ts';
import { commaSeparated } from '../../shared/comma-separated.ts';
import { readEgressProxy } from '../../shared/egress-proxy.ts';
import type { Logger } from '../../shared/log.ts';
import { createSafeFetch } from '../../shared/safe-fetch.ts';
import { type Sql, wakeAfterCommit } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { createUrlCheck } from '../webhooks/check-url.ts';
import { createDocumentReader } from './documents/document-reader.ts';
import { createEmbedder } from './embedder.ts';
import type { AgentsUsing } from './manage-bases.ts';
import { type FailedSource, startSourceProcessing } from './process-sources.ts';
import { knowledgeRoutes } from './routes.ts';
import { createSearch, type SearchKnowledge } from './search.ts';
import { startSignsIndex } from './signs-index.ts';

export interface KnowledgeModuleDeps {
  sql: Sql;
  /** For searches, which calls wait for; `sql`. */
  callsSql?: Sql;
  clock: Clock;
  log: Logger;
  config: {
    EMBEDDINGS_URL: string;
    EMBEDDINGS_API_KEY: string;
    EMBEDDINGS_MODEL: string;
    FETCH_ALLOW: string;
    EGRESS_PROXY?: string;
  };
  agentsUsing: AgentsUsing;
  /** A source failed and is not tried again. */
  onFailed?: (failed: FailedSource) => void;
}

export interface KnowledgeModule {
  search: SearchKnowledge;
  routes(http: FastifyInstance): void;
  /** Starts what searches need besides; `start` does as well. */
  startSearch(jobsSql?: Sql): void;
  /** Starts processing sources. */
  start(jobsSql?: Sql): void;
  stop(): Promise<void>;
}

/** Knowledge bases, the processing of their sources, and their search. */
export function createKnowledgeModule(deps: KnowledgeModuleDeps): KnowledgeModule {
  const { sql, callsSql = sql, clock, log, config, agentsUsing, onFailed } = deps;
  const { EMBEDDINGS_URL: url, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: model } = config;
  const embedder = url === '' ? null : createEmbedder({ url, apiKey, model, clock });
  let signsIndex: ReturnType<typeof startSignsIndex> | null = null;
  const search = createSearch({
    ...{ sql: callsSql, clock, log, embedder },
    signsIndex: { serves: (passages) => signsIndex?.serves(passages) ?? false },
  });
  const allow = commaSeparated(config.FETCH_ALLOW);
  const fetch = createSafeFetch({ allow, clock, proxy: readEgressProxy(config.EGRESS_PROXY) });
  const checkUrl = createUrlCheck({ allow, clock, protocols: ['https', 'http'] });
  const reader = createDocumentReader({ clock, log });
  let processing: PollingJob | null = null;
  const startSearch = (jobsSql = sql) => {
    if (embedder) signsIndex ??= startSignsIndex({ sql: jobsSql, clock, log });
  };
  return {
    search,
    startSearch,
    routes: (http) =>
      knowledgeRoutes(http, {
        ...{ sql, clock, agentsUsing, checkUrl, search },
        onQueued: () => wakeAfterCommit(sql, 'sources', ''),
      }),
    start(jobsSql = sql) {
      startSearch(jobsSql);
      processing = startSourceProcessing({
        ...{ sql: jobsSql, clock, log, embedder, reader, fetch },
        ...(onFailed ? { onFailed } : {}),
      });
    },
    async stop() {
      reader.close();
      await Promise.all([processing?.stop(), signsIndex?.stop()]);
    },
  };
}
