import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { openRecordingStore } from '../../shared/recordings/store-settings.ts';
import type { Sql } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { startExportWorker } from './export-worker.ts';
import { erasureRoutes, exportRoutes } from './routes.ts';

export interface ExportsDeps {
  sql: Sql;
  /** Reads what is exported. */
  reportsSql: Sql;
  clock: Clock;
  log: Logger;
  config: Parameters<typeof openRecordingStore>[0];
}

/** Archives of all that a workspace has. */
export function createExportsModule({ sql, reportsSql, clock, log, config }: ExportsDeps) {
  const store = openRecordingStore(config, clock);
  let worker: PollingJob | null = null;
  return {
    routes(http: FastifyInstance): void {
      exportRoutes(http, { sql, clock, store });
      erasureRoutes(http, { sql, clock });
    },
    start(jobsSql = sql): void {
      worker = startExportWorker({ sql: jobsSql, reportsSql, clock, log, store });
    },
    async stop(): Promise<void> {
      await worker?.stop();
    },
  };
}
