import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { ControlConfig } from '../config.ts';
import type { Sql } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { type AvailableProviders, availableProviders } from './available-providers.ts';
import { createPreviews } from './previews.ts';
import { startCatalogRefresh } from './refresh-catalog.ts';
import { catalogRoutes } from './routes.ts';
import { cartesiaVoices } from './voice-lists/cartesia.ts';
import { elevenLabsVoices } from './voice-lists/elevenlabs.ts';
import { localVoices } from './voice-lists/local.ts';
import { sarvamVoices } from './voice-lists/sarvam.ts';
import { createVoices, type Voices } from './voices.ts';

export interface CatalogModuleDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  config: ControlConfig;
}

export interface CatalogModule {
  available: AvailableProviders;
  voices: Voices;
  routes(http: FastifyInstance): void;
  /** Starts refreshing the providers' lists of voices. */
  start(): void;
  stop(): Promise<void>;
}

/** What an agent can be made of: models with their prices, languages, and the providers' voices. */
export function createCatalogModule({ sql, clock, log, config }: CatalogModuleDeps): CatalogModule {
  const available = availableProviders(config);
  const lists = {
    remote: [elevenLabsVoices(config), cartesiaVoices(config)],
    maintained: [sarvamVoices(config), localVoices(config)],
  };
  const voices = createVoices({ sql, clock, log, lists, available });
  const preview = createPreviews({ sql, clock, log, voices });
  let refresh: PollingJob | null = null;
  return {
    available,
    voices,
    routes: (http) => catalogRoutes(http, { sql, available, voices, preview }),
    start() {
      const usable = lists.remote.filter(({ provider }) => available.voice.has(provider));
      refresh = startCatalogRefresh({ sql, clock, log, lists: usable });
    },
    async stop() {
      await refresh?.stop();
    },
  };
}
