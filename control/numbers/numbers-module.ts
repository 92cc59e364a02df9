import type { FastifyInstance } from 'fastify';
import type { RenewalSubject } from '../billing/renewals/renew.ts';
import { type Sql, wakeAfterCommit } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { type AuditDeps, startNumberAudit } from './audit-numbers.ts';
import { buyNumber } from './buy-number.ts';
import { createNumbers } from './manage-numbers.ts';
import { createNumberRenewal } from './number-renewal.ts';
import { createReleaseNumber, type OnNumberReleased } from './release-number.ts';
import { numberRoutes } from './routes.ts';
import { searchInventory } from './search-inventory.ts';
import { startOrderWorker } from './settle-orders.ts';

export interface NumbersModuleDeps extends AuditDeps {
  onReleased: OnNumberReleased;
}

export interface NumbersModule {
  /** The fee of a number, every 30 days. */
  renewal: RenewalSubject;
  routes(http: FastifyInstance): void;
  start(jobsSql?: Sql): void;
  stop(): Promise<void>;
}

/** The workspace's phone numbers, and buying them at the carriers. */
export function createNumbersModule({ onReleased, ...deps }: NumbersModuleDeps): NumbersModule {
  let orders: PollingJob | null = null;
  let audit: PollingJob | null = null;
  const releaseNumber = createReleaseNumber(onReleased);
  const onReleasing = () => wakeAfterCommit(deps.sql, 'number orders', '');
  const numbers = createNumbers({ ...deps, releaseNumber, onReleasing });
  return {
    renewal: createNumberRenewal(releaseNumber),
    routes: (http) =>
      numberRoutes(http, {
        numbers,
        buy: (request) => buyNumber(deps, request),
        search: (workspaceId, query) => searchInventory(deps, workspaceId, query),
      }),
    start(jobsSql = deps.sql) {
      orders = startOrderWorker({ ...deps, sql: jobsSql });
      audit = startNumberAudit({ ...deps, sql: jobsSql });
    },
    async stop() {
      await Promise.all([orders?.stop(), audit?.stop()]);
    },
  };
}
