import type { FastifyInstance } from 'fastify';
import type { IncidentsDeps } from './incidents.ts';
import { guardrailRoutes } from './routes.ts';

/** The rules that agents are held to, and the incidents found in their calls. */
export const createGuardrailsModule = (deps: IncidentsDeps): { routes(http: FastifyInstance): void } => ({
  routes: (http) => guardrailRoutes(http, deps),
});
