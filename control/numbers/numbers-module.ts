import type { FastifyInstance } from 'fastify';
import { createNumbers } from './manage-numbers.ts';
import { numberRoutes } from './routes.ts';
import { type InventoryDeps, searchInventory } from './search-inventory.ts';

/** The workspace's phone numbers, and those that it could buy. */
export const createNumbersModule = (deps: InventoryDeps): { routes(http: FastifyInstance): void } => ({
  routes: (http) =>
    numberRoutes(http, {
      numbers: createNumbers(deps),
      search: (workspaceId, query) => searchInventory(deps, workspaceId, query),
    }),
});
