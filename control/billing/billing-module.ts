import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../shared/clock.ts';
import type { Sql } from '../db/connect.ts';
import { billingRoutes } from './routes.ts';

/** The wallet and ledger of a workspace, its plan, usage and coupons. */
export const createBillingModule = (deps: { sql: Sql; clock: Clock }): { routes(http: FastifyInstance): void } => ({
  routes: (http) => billingRoutes(http, deps),
});
