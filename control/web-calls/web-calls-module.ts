import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../shared/clock.ts';
import type { EngineRegistry } from '../calls/engines/engine-registry.ts';
import type { ControlConfig } from '../config.ts';
import type { Sql } from '../db/connect.ts';
import { webCallRoutes } from './routes.ts';
import { parseIceUrls } from './web-session.ts';

export interface WebCallsModuleDeps {
  sql: Sql;
  clock: Clock;
  config: ControlConfig;
  engines: EngineRegistry;
}

/** @throws Error when ICE_SERVERS is invalid. */
export function createWebCallsModule({ sql, clock, config, engines }: WebCallsModuleDeps): {
  routes(http: FastifyInstance): void;
} {
  const settings = {
    mediaTokenSecret: config.MEDIA_TOKEN_SECRET,
    iceUrls: parseIceUrls(config.ICE_SERVERS),
    turnSecret: config.TURN_SECRET,
    assignEngine: engines.assign,
  };
  return { routes: (http) => webCallRoutes(http, { sql, clock, engines, ...settings }) };
}
