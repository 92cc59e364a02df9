import type { FastifyInstance } from 'fastify';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Clock } from '../../shared/clock.ts';
import type { EngineRegistry } from '../calls/engines/engine-registry.ts';
import type { Carriers } from '../carriers/carrier.ts';
import type { ControlConfig } from '../config.ts';
import type { Sql } from '../db/connect.ts';
import { participantRoutes } from './participant-routes.ts';
import { webCallRoutes } from './routes.ts';
import { parseIceUrls } from './web-session.ts';

export interface WebCallsModuleDeps {
  sql: Sql;
  clock: Clock;
  config: ControlConfig;
  engines: EngineRegistry;
  bus: Pick<Bus, 'sendLiveOrder'>;
  carriers: Carriers;
}

/** @throws Error when ICE_SERVERS is invalid. */
export function createWebCallsModule({ sql, clock, config, engines, bus, carriers }: WebCallsModuleDeps): {
  routes(http: FastifyInstance): void;
} {
  const settings = {
    mediaTokenSecret: config.MEDIA_TOKEN_SECRET,
    iceUrls: parseIceUrls(config.ICE_SERVERS),
    turnSecret: config.TURN_SECRET,
    assignEngine: engines.assign,
  };
  return {
    routes(http) {
      webCallRoutes(http, { sql, clock, engines, ...settings });
      participantRoutes(http, { sql, clock, engines, bus, carriers, ...settings });
    },
  };
}
