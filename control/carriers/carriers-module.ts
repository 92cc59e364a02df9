import type { FastifyInstance } from 'fastify';
import { carrierManifest } from '../../shared/carriers/registry.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { ControlConfig } from '../config.ts';
import type { Sql } from '../db/connect.ts';
import { createCallbackReplays } from './callback-replays.ts';
import type { Carriers } from './carrier.ts';
import { type CarrierUrls, carrierUrls } from './carrier-urls.ts';
import { configuredCarriers } from './configured-carriers.ts';
import type { CarrierEventHandler, TransferEventHandler } from './event-handlers.ts';
import { carrierRoutes } from './routes.ts';
import { transferRoutes } from './transfer-routes.ts';

export interface CarriersDeps {
  config: ControlConfig;
  log: Logger;
  sql: Sql;
  clock: Clock;
  /** For tests and benchmarks, instead of the configured ones. */
  carriers?: Carriers;
}

/** What `calls`, which stands above `carriers`, does with their events. */
export interface CarrierEventHandlers {
  carrierEvents: CarrierEventHandler;
  transferEvents: TransferEventHandler;
}

export interface CarriersModule {
  carriers: Carriers;
  addresses: CarrierUrls;
  routes(http: FastifyInstance, handlers: CarrierEventHandlers): void;
  /** Opens the event connections of carriers without callbacks. */
  start(handlers: CarrierEventHandlers): void;
  stop(): Promise<void>;
}

/** @throws Error when a carrier is configured that must call back, and PUBLIC_API_URL is missing. */
export async function createCarriersModule(deps: CarriersDeps): Promise<CarriersModule> {
  const { config, log, sql, clock, carriers = await configuredCarriers(config, { sql }) } = deps;
  const publicApiUrl = config.PUBLIC_API_URL;
  const calledBack = [...carriers.keys()].filter((name) => carrierManifest(name)?.capabilities.events !== 'connection');
  if (calledBack.length > 0 && publicApiUrl === '') {
    throw new Error(`PUBLIC_API_URL is missing: ${calledBack.join(' and ')} must be told where to call back`);
  }
  const replays = createCallbackReplays({ sql, clock, log });
  let connections: { stop(): Promise<void> }[] = [];
  return {
    carriers,
    addresses: carrierUrls(publicApiUrl, config.PUBLIC_MEDIA_URL),
    routes(http, { carrierEvents, transferEvents }) {
      carrierRoutes(http, { carriers, events: carrierEvents, publicApiUrl, replays });
      transferRoutes(http, { carriers, events: transferEvents, publicApiUrl, replays });
    },
    start({ carrierEvents, transferEvents }) {
      connections = [...carriers.values()].flatMap(
        (carrier) => carrier.listen?.(carrierEvents, log, transferEvents) ?? [],
      );
    },
    async stop() {
      await Promise.all(connections.map((connection) => connection.stop()));
    },
  };
}
