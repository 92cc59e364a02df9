import type { FastifyInstance } from 'fastify';
import type { Bus } from '../../shared/bus/bus.ts';
import { commaSeparated } from '../../shared/comma-separated.ts';
import type { Logger } from '../../shared/log.ts';
import { carriersThat } from '../carriers/carriers-in-use.ts';
import type { Voices } from '../catalog/voices.ts';
import type { ControlConfig } from '../config.ts';
import type { Sql } from '../db/connect.ts';
import { createUrlCheck } from '../webhooks/check-url.ts';
import { createAmbientDecoder } from './ambient-decoder.ts';
import { ambientRoutes } from './ambient-routes.ts';
import { createAmbientSounds } from './ambient-sounds.ts';
import { createProviderCheck } from './check-providers.ts';
import { configuredPromptGenerator } from './prompt-generator.ts';
import { type AgentsDeps, agentRoutes } from './routes.ts';
import { carriersOfAgent } from './store.ts';

export interface AgentsModuleDeps extends Omit<AgentsDeps, 'promptGenerator' | 'checkProviders' | 'checkToolUrl'> {
  log: Logger;
  config: ControlConfig;
  bus: Pick<Bus, 'serveAmbientSounds'>;
  voices: Voices;
}

/** Agents with their versions, shares, pins, prices and prompts, and the background sounds of their calls. */
export function createAgentsModule(deps: AgentsModuleDeps): {
  routes(http: FastifyInstance): void;
  /** Starts serving the sounds that calls play. */
  start(callsSql?: Sql): void;
} {
  const { sql, clock, log, config, bus, available, voices } = deps;
  const decode = createAmbientDecoder({ clock, log });
  const promptGenerator = configuredPromptGenerator(config, { clock, log });
  const checkProviders = createProviderCheck({
    ...{ sql, available, voices, carriersOfAgent },
    showsCallReason: carriersThat('callReason', config).length > 0,
    transfers: carriersThat('transfers', config).length > 0,
  });
  const allow = commaSeparated(config.FETCH_ALLOW);
  const checkToolUrl = createUrlCheck({ allow, clock, protocols: ['https', 'http'] });
  return {
    routes(http) {
      agentRoutes(http, { ...deps, promptGenerator, checkProviders, checkToolUrl });
      ambientRoutes(http, createAmbientSounds({ sql, clock, decode }));
    },
    start(callsSql = sql) {
      bus.serveAmbientSounds(createAmbientSounds({ sql: callsSql, clock, decode }).part);
    },
  };
}
