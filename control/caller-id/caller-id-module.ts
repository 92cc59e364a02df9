import type { FastifyInstance } from 'fastify';
import type { CallerIdDeps } from './request-caller-id.ts';
import { callerIdRoutes } from './routes.ts';

/** Requests that phones show a name and a logo for a workspace's numbers. */
export const createCallerIdModule = (deps: CallerIdDeps): { routes(http: FastifyInstance): void } => ({
  routes: (http) => callerIdRoutes(http, deps),
});
