import type { FastifyInstance } from 'fastify';
import type { PollingJob } from '../db/polling-job.ts';
import { buyNumber } from './buy-number.ts';
import { createNumbers } from './manage-numbers.ts';
import { numberRoutes } from './routes.ts';
import { type InventoryDeps, searchInventory } from './search-inventory.ts';
import { startOrderWorker } from './settle-orders.ts';

export interface NumbersModule {
  routes(http: FastifyInstance): void;
  start(): void;
  stop(): Promise<void>;
}

/** The workspace's phone numbers, and buying them at the carriers. */
export function createNumbersModule(deps: InventoryDeps): NumbersModule {
  let orders: PollingJob | null = null;
  const numbers = createNumbers({ ...deps, onReleasing: () => orders?.wake() });
  return {
    routes: (http) =>
      numberRoutes(http, {
        numbers,
        buy: (request) => buyNumber(deps, request),
        search: (workspaceId, query) => searchInventory(deps, workspaceId, query),
      }),
    start() {
      orders = startOrderWorker(deps);
    },
    async stop() {
      await orders?.stop();
    },
  };
}
