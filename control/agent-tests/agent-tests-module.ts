import type { FastifyInstance } from 'fastify';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Clock } from '../../shared/clock.ts';
import { commaSeparated } from '../../shared/comma-separated.ts';
import { readEgressProxy } from '../../shared/egress-proxy.ts';
import type { Logger } from '../../shared/log.ts';
import { openRecordingStore } from '../../shared/recordings/store-settings.ts';
import { createSafeFetch } from '../../shared/safe-fetch.ts';
import { createAnalyst } from '../analysis/analyst.ts';
import type { Sql } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import type { SearchKnowledge } from '../knowledge/search.ts';
import type { ToolHeaders } from '../tools/seal-tool-headers.ts';
import { startTestRecordingRetention } from './recording-retention.ts';
import { runRoutes, scenarioRoutes, suggestRoutes } from './routes.ts';
import { startRunWorker, type WriteTestLog } from './run-worker.ts';
import { createSuggester } from './suggest-scenarios.ts';
import { readComposer, readTestModel, type TestModelSettings } from './test-model.ts';

export interface AgentTestsDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  config: TestModelSettings & Parameters<typeof openRecordingStore>[0] & { FETCH_ALLOW: string; EGRESS_PROXY?: string };
  /** Opens header values of MCP servers, whose tools are listed for a run. */
  toolHeaders: Pick<ToolHeaders, 'open'>;
  /** The engines, for runs aloud. */
  bus: Pick<Bus, 'sendHangUp' | 'testCalls'>;
  searchKnowledge: SearchKnowledge;
  writeLog: WriteTestLog;
}

/** Scenarios in which agents are tested, and the runs of them. */
export function createAgentTestsModule(deps: AgentTestsDeps) {
  const { config } = deps;
  const analyst = createAnalyst({ ...deps, settings: config });
  const suggest = createSuggester({ ...deps, analyst, composer: readComposer(config) });
  const testModel = readTestModel(config);
  const recordings = openRecordingStore(config, deps.clock);
  const proxy = readEgressProxy(config.EGRESS_PROXY);
  const safeFetch = createSafeFetch({ allow: commaSeparated(config.FETCH_ALLOW), clock: deps.clock, proxy });
  let jobs: PollingJob[] = [];
  return {
    routes(http: FastifyInstance): void {
      scenarioRoutes(http, deps);
      runRoutes(http, { ...deps, recordings, safeFetch });
      suggestRoutes(http, suggest);
    },
    start(jobsSql = deps.sql): void {
      const background = { ...deps, sql: jobsSql, recordings };
      jobs = [startRunWorker({ ...background, settings: config, testModel }), startTestRecordingRetention(background)];
    },
    async stop(): Promise<void> {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
