import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../shared/clock.ts';
import type { Sql } from '../db/connect.ts';
import { scenarioRoutes } from './routes.ts';

export interface AgentTestsDeps {
  sql: Sql;
  clock: Clock;
}

/** Scenarios in which agents are tested. */
export function createAgentTestsModule(deps: AgentTestsDeps): { routes(http: FastifyInstance): void } {
  return {
    routes: (http) => scenarioRoutes(http, deps),
  };
}
