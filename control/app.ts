import type { FastifyInstance } from 'fastify';
import type { Bus } from '../shared/bus/bus.ts';
import type { Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import { agentsUsing } from './agents/agents-using.ts';
import { createSoundReader } from './agents/ambient-reading.ts';
import { ambientRoutes } from './agents/ambient-routes.ts';
import { createSounds } from './agents/ambient-sounds.ts';
import { agentRoutes } from './agents/routes.ts';
import { serveKnowledge } from './calls/call-knowledge.ts';
import { createCallsRoom } from './calls/calls-room.ts';
import { failQueuedCallsOf } from './calls/queue.ts';
import type { ReaperTimes } from './calls/reaper.ts';
import { callRoutes } from './calls/routes.ts';
import { carrierAddresses } from './carriers/addresses.ts';
import { configuredCarriers } from './carriers/configured.ts';
import { carrierRoutes } from './carriers/routes.ts';
import { transferRoutes } from './carriers/transfer-routes.ts';
import type { ControlConfig } from './config.ts';
import type { Sql } from './db/connect.ts';
import { databaseAnswers } from './db/reachable.ts';
import { startDispatcher } from './dispatch/dispatcher.ts';
import { healthRoutes } from './http/health.ts';
import { createHttp } from './http/server.ts';
import { createKnowledgeRoom } from './knowledge/knowledge-room.ts';
import { knowledgeRoutes } from './knowledge/routes.ts';
import { createKeyFinder } from './workspaces/keys.ts';

export interface AppDeps {
  sql: Sql;
  /** Connected and prepared. */
  bus: Bus;
  clock: Clock;
  log: Logger;
  config: ControlConfig;
  /** Shorter ones, for tests of what happens when somebody falls silent. */
  reaperTimes?: Partial<ReaperTimes>;
}

export interface App {
  /** Not listening yet. */
  http: FastifyInstance;
  /** Begins what goes on without requests: dialling, engines' questions and events, the reaper. */
  start(): void;
  /** Ends what goes on without requests, before bus and database are closed. Close `http` first. */
  stop(): Promise<void>;
}

/** The only wiring: every room gets what it needs from here, and news travels upward through here. */
export async function buildApp({ sql, bus, clock, log, config, reaperTimes = {} }: AppDeps): Promise<App> {
  const carriers = configuredCarriers(config);
  if (carriers.size > 0 && config.PUBLIC_API_URL === '') {
    throw new Error(`PUBLIC_API_URL is missing: ${[...carriers.keys()].join(' and ')} must be told where to call back`);
  }
  const addresses = carrierAddresses(config.PUBLIC_API_URL, config.PUBLIC_MEDIA_URL);
  const mediaTokenSecret = config.MEDIA_TOKEN_SECRET;

  const http = await createHttp({ log, findCaller: createKeyFinder({ sql, clock, log }) });
  const calls = createCallsRoom({ sql, clock, log, bus, carriers, addresses, mediaTokenSecret, reaperTimes });

  const knowledge = createKnowledgeRoom({ sql, clock, log, config });
  const sounds = createSounds({ sql, clock, readSound: createSoundReader({ clock, log }) });

  healthRoutes(http, {
    database: () => databaseAnswers(sql),
    bus: async () => bus.connected(),
  });
  agentRoutes(http, {
    sql,
    clock,
    onAgentDeleted: async (tx, workspaceId, agentId) => {
      await failQueuedCallsOf(tx, workspaceId, agentId, clock.wall());
    },
  });
  ambientRoutes(http, sounds);
  knowledgeRoutes(http, { sql, clock, agentsUsing, onQueued: knowledge.onQueued, search: knowledge.search });
  callRoutes(http, { sql, clock, log, bus, carriers, recordingsDir: config.RECORDINGS_DIR });
  carrierRoutes(http, { carriers, news: calls.news, publicApiUrl: config.PUBLIC_API_URL });
  transferRoutes(http, { carriers, news: calls.transferNews, publicApiUrl: config.PUBLIC_API_URL });

  let listeners: { stop(): Promise<void> }[] = [];
  let dispatcher: { stop(): Promise<void> } | null = null;
  return {
    http,
    start() {
      calls.start();
      listeners = [...carriers.values()].flatMap(
        (carrier) => carrier.listen?.(calls.news, log, calls.transferNews) ?? [],
      );
      serveKnowledge(bus, { sql, search: knowledge.search });
      bus.serveSounds(sounds.part);
      knowledge.start();
      dispatcher = startDispatcher({ sql, clock, log, carriers, addresses, streamAddress: calls.dialStreamAddress });
    },
    async stop() {
      // No new dial first: what was dialled is still listened to.
      await dispatcher?.stop();
      await Promise.all(listeners.map((listener) => listener.stop()));
      await Promise.all([calls.stop(), knowledge.stop()]);
    },
  };
}
