import type { FastifyInstance } from 'fastify';
import { createNumbers, type ManageNumbersDeps } from './manage-numbers.ts';
import { numberRoutes } from './routes.ts';

/** The workspace's phone numbers. */
export const createNumbersModule = (deps: ManageNumbersDeps): { routes(http: FastifyInstance): void } => ({
  routes: (http) => numberRoutes(http, createNumbers(deps)),
});
