import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import { startBatchJob } from './batch-job.ts';
import type { ManageBatchesDeps } from './manage-batches.ts';
import { batchRoutes } from './routes.ts';

export interface BatchesModule {
  /** The endpoints of the group Batches. */
  routes(http: FastifyInstance): void;
  /** Starts the scheduler. */
  start(jobsSql?: Sql): void;
  stop(): Promise<void>;
}

export function createBatchesModule(deps: ManageBatchesDeps & { log: Logger }): BatchesModule {
  let scheduler: { stop(): Promise<void> } | null = null;
  return {
    routes: (http) => batchRoutes(http, deps),
    start(jobsSql = deps.sql) {
      scheduler = startBatchJob({ ...deps, sql: jobsSql });
    },
    async stop() {
      await scheduler?.stop();
    },
  };
}
