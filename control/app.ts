import type { FastifyInstance } from 'fastify';
import type { Bus } from '../shared/bus/bus.ts';
import type { Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import type { AccountsDeps } from './accounts/accounts-room.ts';
import { createOauthFinder } from './accounts/find-oauth-token.ts';
import { createSessionFinder } from './accounts/find-session.ts';
import { startForgetting } from './accounts/forget-old.ts';
import { linkPages } from './accounts/link-pages.ts';
import { consentPage } from './accounts/oauth-consent.ts';
import { oauthRoutes } from './accounts/oauth-routes.ts';
import { createPasswords } from './accounts/password.ts';
import { accountRoutes } from './accounts/routes.ts';
import { sessionCookies } from './accounts/session-cookies.ts';
import { signInRoutes } from './accounts/sign-in-routes.ts';
import { agentsUsing } from './agents/agents-using.ts';
import { createSoundReader } from './agents/ambient-reading.ts';
import { ambientRoutes } from './agents/ambient-routes.ts';
import { createSounds } from './agents/ambient-sounds.ts';
import { configuredComposer } from './agents/composer.ts';
import { agentRoutes } from './agents/routes.ts';
import { MAX_AGENTS } from './agents/save-agent.ts';
import { countAgents, searchAgents } from './agents/search-agents.ts';
import { callerIdRoutes } from './caller-id/routes.ts';
import { serveKnowledge } from './calls/call-knowledge.ts';
import { createCallsRoom } from './calls/calls-room.ts';
import { cancelQueuedCalls } from './calls/cancel-queued.ts';
import { failQueuedCallsOf } from './calls/queue.ts';
import type { ReaperTimes } from './calls/reaper.ts';
import { callRoutes } from './calls/routes.ts';
import { searchCalls } from './calls/search-calls.ts';
import { countLiveCalls, countQueuedCalls } from './calls/slots.ts';
import { carrierAddresses } from './carriers/addresses.ts';
import { configuredCarriers } from './carriers/configured.ts';
import { carrierRoutes } from './carriers/routes.ts';
import { transferRoutes } from './carriers/transfer-routes.ts';
import type { ControlConfig } from './config.ts';
import type { Sql } from './db/connect.ts';
import { databaseAnswers } from './db/reachable.ts';
import { secretBoxOf } from './db/secret-box.ts';
import { startDispatcher } from './dispatch/dispatcher.ts';
import { guardrailRoutes } from './guardrails/routes.ts';
import { findByPrefix } from './http/authenticate.ts';
import { readOrigins } from './http/cors.ts';
import { healthRoutes } from './http/health.ts';
import { createIdempotency } from './http/idempotency.ts';
import { createRateLimiter, reserveIn } from './http/rate-limit.ts';
import { createHttp } from './http/server.ts';
import { createKnowledgeRoom } from './knowledge/knowledge-room.ts';
import { knowledgeRoutes } from './knowledge/routes.ts';
import { searchBases } from './knowledge/search-bases.ts';
import { kycStatusOf } from './kyc/kyc-status.ts';
import { kycRoutes } from './kyc/routes.ts';
import { startOutbox } from './mail/outbox.ts';
import { configuredPostman } from './mail/postman.ts';
import { searchNumbers } from './numbers/search-numbers.ts';
import { startHousekeeping } from './observability/housekeeping.ts';
import { observabilityRoutes } from './observability/routes.ts';
import { createServerLog, lineOfRequest } from './observability/server-log.ts';
import { endAgentAddress } from './webhooks/own-addresses.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { createWebhooksRoom } from './webhooks/webhooks-room.ts';
import { inviteRoutes } from './workspaces/invite-routes.ts';
import { keyRoutes } from './workspaces/key-routes.ts';
import { createKeyFinder } from './workspaces/keys.ts';
import { lookupRoutes } from './workspaces/lookup-routes.ts';
import { memberRoutes } from './workspaces/member-routes.ts';
import { openWorkspace } from './workspaces/open-workspace.ts';
import { workspaceRoutes } from './workspaces/routes.ts';

export interface AppDeps {
  sql: Sql;
  /** Connected and prepared. */
  bus: Bus;
  clock: Clock;
  log: Logger;
  config: ControlConfig;
  /** Shorter ones, for tests of what happens when somebody falls silent. */
  reaperTimes?: Partial<ReaperTimes>;
  /** log2 of the work of hashing a password; less, for tests. */
  passwordCost?: number;
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
export async function buildApp({
  sql,
  bus,
  clock,
  log,
  config,
  reaperTimes = {},
  passwordCost,
}: AppDeps): Promise<App> {
  const carriers = configuredCarriers(config);
  if (carriers.size > 0 && config.PUBLIC_API_URL === '') {
    throw new Error(`PUBLIC_API_URL is missing: ${[...carriers.keys()].join(' and ')} must be told where to call back`);
  }
  const addresses = carrierAddresses(config.PUBLIC_API_URL, config.PUBLIC_MEDIA_URL);
  const mediaTokenSecret = config.MEDIA_TOKEN_SECRET;

  const findCaller = findByPrefix({
    svc_: createKeyFinder({ sql, clock, log }),
    svcs_: createSessionFinder({ sql, clock, log }),
    svco_: createOauthFinder({ sql, clock, log }),
  });
  const serverLog = createServerLog({ sql, clock, log });
  const http = await createHttp({
    log,
    findCaller,
    rateLimiter: createRateLimiter(clock, reserveIn(sql)),
    idempotency: createIdempotency({ sql, clock }),
    consoleOrigins: readOrigins(config.CONSOLE_ORIGINS),
    trustedProxies: config.TRUSTED_PROXIES,
    onAnswered(answered) {
      const line = lineOfRequest(answered);
      if (line) serverLog.write(line);
    },
  });
  const calls = createCallsRoom({ sql, clock, log, bus, carriers, addresses, mediaTokenSecret, reaperTimes });

  const knowledge = createKnowledgeRoom({ sql, clock, log, config });
  const box = secretBoxOf(config.SECRETS_KEY, config.MEDIA_TOKEN_SECRET);
  const webhooks = createWebhooksRoom({
    sql,
    clock,
    log,
    box,
    config,
    onFailed: ({ workspace_id, call_id, agent_id, given_up, status_code, latency_ms, ...data }) =>
      serverLog.write({
        ...{ workspace_id, call_id, agent_id, source: 'webhook', level: given_up ? 'error' : 'warning' },
        message: given_up ? 'a webhook was given up' : 'a webhook failed and is tried again',
        ...(status_code === null ? {} : { status: status_code }),
        duration_ms: latency_ms,
        data,
      }),
  });
  const sounds = createSounds({ sql, clock, readSound: createSoundReader({ clock, log }) });

  const accounts: AccountsDeps = {
    sql,
    clock,
    log,
    passwords: createPasswords({ cost: passwordCost }),
    box,
    publicUrl: config.PUBLIC_API_URL || `http://${config.API_HOST}:${config.API_PORT}`,
    openWorkspace,
    // Wallet and welcome credits come here with their room.
    onWorkspaceCreated: webhooks.onWorkspaceCreated,
    onWorkspaceClosed: async (tx, workspaceId, atMs) => {
      await cancelQueuedCalls(tx, workspaceId, atMs);
    },
  };
  sessionCookies(http);
  signInRoutes(http, accounts);
  accountRoutes(http, accounts);
  const links = linkPages(http, accounts);
  consentPage(http, accounts);
  oauthRoutes(http, accounts);
  healthRoutes(http, {
    database: () => databaseAnswers(sql),
    bus: async () => bus.connected(),
  });
  const consoleUrl = config.CONSOLE_ORIGINS.split(',')[0]!.trim() || accounts.publicUrl;
  agentRoutes(http, {
    sql,
    clock,
    onAgentDeleted: async (tx, workspaceId, agentId) => {
      await failQueuedCallsOf(tx, workspaceId, agentId, clock.wall());
      await endAgentAddress(tx, workspaceId, agentId);
    },
    composer: configuredComposer(config, { clock, log }),
    consoleUrl,
  });
  ambientRoutes(http, sounds);
  webhookRoutes(http, webhooks);
  knowledgeRoutes(http, { sql, clock, agentsUsing, onQueued: knowledge.onQueued, search: knowledge.search });
  observabilityRoutes(http, { sql });
  workspaceRoutes(http, {
    sql,
    clock,
    kycStatus: kycStatusOf,
    counts: { liveCalls: countLiveCalls, queuedCalls: countQueuedCalls, agents: countAgents, maxAgents: MAX_AGENTS },
  });
  memberRoutes(http, { sql, clock });
  inviteRoutes(http, { ...accounts, consoleUrl });
  kycRoutes(http, { sql, clock });
  callerIdRoutes(http, { sql, clock });
  guardrailRoutes(http, { sql, clock });
  keyRoutes(http, { sql, clock });
  lookupRoutes(http, {
    sql,
    rooms: { agents: searchAgents, calls: searchCalls, knowledge_bases: searchBases, numbers: searchNumbers },
  });
  callRoutes(http, { sql, clock, log, bus, carriers, recordingsDir: config.RECORDINGS_DIR });
  carrierRoutes(http, { carriers, news: calls.news, publicApiUrl: config.PUBLIC_API_URL });
  transferRoutes(http, { carriers, news: calls.transferNews, publicApiUrl: config.PUBLIC_API_URL });

  let listeners: { stop(): Promise<void> }[] = [];
  let dispatcher: { stop(): Promise<void> } | null = null;
  let outbox: { stop(): Promise<void> } | null = null;
  let forgetting: { stop(): Promise<void> } | null = null;
  let housekeeping: { stop(): Promise<void> } | null = null;
  return {
    http,
    start() {
      calls.start();
      listeners = [...carriers.values()].flatMap(
        (carrier) => carrier.listen?.(calls.news, log, calls.transferNews) ?? [],
      );
      serveKnowledge(bus, { sql, search: knowledge.search });
      bus.serveSounds(sounds.part);
      outbox = startOutbox({ sql, clock, log, send: configuredPostman(config) });
      forgetting = startForgetting({ sql, clock, log });
      housekeeping = startHousekeeping({ sql, clock, log });
      knowledge.start();
      webhooks.start();
      dispatcher = startDispatcher({ sql, clock, log, carriers, addresses, streamAddress: calls.dialStreamAddress });
    },
    async stop() {
      // No new dial first: what was dialled is still listened to.
      await dispatcher?.stop();
      await Promise.all(listeners.map((listener) => listener.stop()));
      await Promise.all([links.settled(), outbox?.stop(), forgetting?.stop()]);
      await Promise.all([calls.stop(), knowledge.stop(), webhooks.stop(), housekeeping?.stop(), serverLog.stop()]);
    },
  };
}
