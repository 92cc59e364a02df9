import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { SYNTHESIZERS } from '../../shared/providers/registry.ts';
import type { ControlConfig } from '../config.ts';
import type { Sql } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { type AvailableProviders, availableProviders } from './available-providers.ts';
import { createPreviews } from './previews.ts';
import { startCatalogRefresh } from './refresh-catalog.ts';
import { catalogRoutes } from './routes.ts';
import type { OpenVoiceList, VoiceList } from './voice-lists/voice-list.ts';
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
  start(jobsSql?: Sql): void;
  stop(): Promise<void>;
}

/** What an agent can be made of: models with their prices, languages, and the providers' voices. */
export async function createCatalogModule({ sql, clock, log, config }: CatalogModuleDeps): Promise<CatalogModule> {
  const available = availableProviders(config);
  const lists = await voiceLists(config);
  const voices = createVoices({ sql, clock, log, lists, available });
  const preview = createPreviews({ sql, clock, log, voices });
  let refresh: PollingJob | null = null;
  return {
    available,
    voices,
    routes: (http) => catalogRoutes(http, { sql, available, voices, preview }),
    start(jobsSql = sql) {
      const usable = lists.filter(({ remote, provider }) => remote && available.voice.has(provider));
      refresh = startCatalogRefresh({ sql: jobsSql, clock, log, lists: usable });
    },
    async stop() {
      await refresh?.stop();
    },
  };
}

/** Of every synthesizer, found by the name in its manifest. */
function voiceLists(config: ControlConfig): Promise<VoiceList[]> {
  return Promise.all(
    SYNTHESIZERS.map(async ({ name }) => {
      const path = `./voice-lists/${name.replaceAll('_', '-')}.ts`;
      const { voiceList }: { voiceList: OpenVoiceList } = await import(path);
      return voiceList(config);
    }),
  );
}
