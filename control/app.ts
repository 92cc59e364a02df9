import type { FastifyInstance } from 'fastify';
import type { Bus } from '../shared/bus/bus.ts';
import type { Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import type { AccountsDeps } from './accounts/accounts-deps.ts';
import { startCredentialCleanup } from './accounts/credential-cleanup.ts';
import { emailLinkPages } from './accounts/email-link-pages.ts';
import { createOauthTokenFinder } from './accounts/find-oauth-token.ts';
import { createSessionFinder } from './accounts/find-session.ts';
import { consentPage } from './accounts/oauth-consent.ts';
import { oauthRoutes } from './accounts/oauth-routes.ts';
import { createPasswords } from './accounts/password.ts';
import { accountRoutes } from './accounts/routes.ts';
import { sessionCookies } from './accounts/session-cookies.ts';
import { signInRoutes } from './accounts/sign-in-routes.ts';
import { countAgents, searchAgents } from './agents/agent-lookups.ts';
import { agentsUsing } from './agents/agents-using.ts';
import { createAmbientDecoder } from './agents/ambient-decoder.ts';
import { ambientRoutes } from './agents/ambient-routes.ts';
import { createAmbientSounds } from './agents/ambient-sounds.ts';
import { configuredPromptGenerator } from './agents/configured-prompt-generator.ts';
import { agentRoutes } from './agents/routes.ts';
import { MAX_AGENTS } from './agents/save-agent.ts';
import { searchBatches } from './batches/batch-lookups.ts';
import { createBatchesModule } from './batches/batches-module.ts';
import { billingRoutes } from './billing/routes.ts';
import { openWelcomeWallet } from './billing/welcome-credits.ts';
import { callerIdRoutes } from './caller-id/routes.ts';
import { searchCalls } from './calls/call-lookups.ts';
import { createCallsModule } from './calls/calls-module.ts';
import type { ReaperTimes } from './calls/lifecycle/reaper.ts';
import { cancelQueuedCallsOfWorkspace, failQueuedCallsOfAgent } from './calls/queue/bulk-cancel.ts';
import { countLiveCalls, countQueuedCalls } from './calls/queue/call-concurrency.ts';
import type { Carriers } from './carriers/carrier.ts';
import { createCarriersModule } from './carriers/carriers-module.ts';
import type { ControlConfig } from './config.ts';
import type { Sql } from './db/connect.ts';
import { isDatabaseReachable } from './db/connect.ts';
import { secretBoxFromSetting } from './db/secret-box.ts';
import { createDispatchModule } from './dispatch/dispatch-module.ts';
import { guardrailRoutes } from './guardrails/routes.ts';
import { findByPrefix } from './http/authenticate.ts';
import { consolePages } from './http/console.ts';
import { parseOrigins } from './http/cors.ts';
import { healthRoutes } from './http/health.ts';
import { createIdempotency } from './http/idempotency.ts';
import { createRateLimiter, createRequestReserver } from './http/rate-limit.ts';
import { createHttpApp } from './http/server.ts';
import { createKnowledgeModule } from './knowledge/knowledge-module.ts';
import { knowledgeRoutes } from './knowledge/routes.ts';
import { searchBases } from './knowledge/search-bases.ts';
import { kycStatusOf } from './kyc/kyc-module.ts';
import { kycRoutes } from './kyc/routes.ts';
import { configuredMailTransport } from './mail/mail-transport.ts';
import { startOutbox } from './mail/outbox.ts';
import { searchNumbers } from './numbers/search-numbers.ts';
import { startHousekeeping } from './observability/housekeeping.ts';
import { liveRoutes } from './observability/live-routes.ts';
import { metricsRoute } from './observability/metrics.ts';
import { observabilityRoutes } from './observability/routes.ts';
import { createServerLog } from './observability/server-log.ts';
import { createWebCallsModule } from './web-calls/web-calls-module.ts';
import { failDeliveriesToAgentUrl } from './webhooks/configured-urls.ts';
import { createWebhooksModule } from './webhooks/webhooks-module.ts';
import { consoleUrlOf } from './workspaces/console-url.ts';
import { invitePages } from './workspaces/invite-pages.ts';
import { inviteRoutes } from './workspaces/invite-routes.ts';
import { keyRoutes } from './workspaces/key-routes.ts';
import { createKeyFinder } from './workspaces/keys.ts';
import { lookupRoutes } from './workspaces/lookup-routes.ts';
import { memberRoutes } from './workspaces/member-routes.ts';
import { openWorkspace } from './workspaces/create-workspace.ts';
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
  /** Memory for hashing a password; less for tests. */
  passwordMemoryKib?: number;
  /** For tests and benchmarks, instead of those the settings name. */
  carriers?: Carriers;
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
  passwordMemoryKib,
  carriers: givenCarriers,
}: AppDeps): Promise<App> {
  const carrierModule = await createCarriersModule({
    ...{ config, log },
    ...(givenCarriers ? { carriers: givenCarriers } : {}),
  });
  const { carriers, addresses } = carrierModule;

  const findKey = createKeyFinder({ sql, clock, log });
  const findCaller = findByPrefix({
    svc_: findKey,
    svcs_: createSessionFinder({ sql, clock, log }),
    svco_: createOauthTokenFinder({ sql, clock, log }),
  });
  const serverLog = createServerLog({ sql, clock, log });
  const http = await createHttpApp({
    log,
    findPrincipal: findCaller,
    rateLimiter: createRateLimiter(clock, createRequestReserver(sql)),
    idempotency: createIdempotency({ sql, clock }),
    consoleOrigins: parseOrigins(config.CONSOLE_ORIGINS),
    trustedProxies: config.TRUSTED_PROXIES,
    onResponse: serverLog.logRequest,
  });

  const knowledge = createKnowledgeModule({
    ...{ sql, clock, log, config },
    onFailed: ({ workspace_id, ...data }) =>
      serverLog.write({ workspace_id, source: 'job', level: 'error', message: 'a source failed', data: { ...data } }),
  });
  const calls = createCallsModule({
    ...{ sql, clock, log, config, bus, carriers, addresses, reaperTimes },
    searchKnowledge: knowledge.search,
    writeLog: (line) => serverLog.write({ ...line, source: 'call' }),
    writeJobLog: (line) => serverLog.write({ ...line, source: 'job' }),
  });

  // Before all other routes: it counts their requests.
  metricsRoute(http, { sql, clock, log, engines: () => calls.engines.state(), busConnected: () => bus.connected() });

  const box = secretBoxFromSetting(config.SECRETS_KEY, config.MEDIA_TOKEN_SECRET);
  const webhooks = createWebhooksModule({
    sql,
    clock,
    log,
    box,
    config,
    onFailed: ({ workspace_id, call_id, agent_id, is_final: given_up, status_code, latency_ms, ...data }) =>
      serverLog.write({
        ...{ workspace_id, call_id, agent_id, source: 'webhook', level: given_up ? 'error' : 'warning' },
        message: given_up ? 'a webhook was given up' : 'a webhook failed and is tried again',
        ...(status_code === null ? {} : { status: status_code }),
        duration_ms: latency_ms,
        data,
      }),
  });
  const batches = createBatchesModule({
    ...{ sql, clock, log, checkUrl: webhooks.checkUrl },
    writeLog: (line) => serverLog.write({ ...line, source: 'batch' }),
  });
  const webCalls = createWebCallsModule({ sql, clock, config, engines: calls.engines });
  const dispatch = createDispatchModule({
    ...{ sql, clock, log, carriers, addresses, engines: calls.engines, streamUrl: calls.dialStreamUrl },
    writeLog: (line) => serverLog.write({ ...line, source: 'call' }),
  });
  const sounds = createAmbientSounds({ sql, clock, decode: createAmbientDecoder({ clock, log }) });

  const accounts: AccountsDeps = {
    sql,
    clock,
    log,
    passwords: createPasswords({ memoryKib: passwordMemoryKib }),
    box,
    publicUrl: config.PUBLIC_API_URL || `http://${config.API_HOST}:${config.API_PORT}`,
    openWorkspace,
    onWorkspaceCreated: async (tx, { id, at_ms }) => {
      await openWelcomeWallet(tx, id, at_ms);
      await webhooks.onWorkspaceCreated(tx, { id });
    },
    onWorkspaceClosed: async (tx, workspaceId, atMs) => {
      await cancelQueuedCallsOfWorkspace(tx, workspaceId, atMs);
    },
  };
  sessionCookies(http);
  signInRoutes(http, accounts);
  accountRoutes(http, accounts);
  const links = emailLinkPages(http, accounts);
  consentPage(http, accounts);
  oauthRoutes(http, accounts);
  healthRoutes(http, {
    database: () => isDatabaseReachable(sql),
    bus: async () => bus.connected(),
  });
  const consoleUrl = consoleUrlOf(config);
  agentRoutes(http, {
    sql,
    clock,
    onAgentDeleted: async (tx, workspaceId, agentId) => {
      await failQueuedCallsOfAgent(tx, workspaceId, agentId, clock.wall());
      await failDeliveriesToAgentUrl(tx, workspaceId, agentId);
    },
    promptGenerator: configuredPromptGenerator(config, { clock, log }),
    consoleUrl,
    checkAddress: webhooks.checkUrl,
  });
  ambientRoutes(http, sounds);
  webhooks.routes(http);
  knowledgeRoutes(http, { sql, clock, agentsUsing, onQueued: knowledge.onQueued, search: knowledge.search });
  observabilityRoutes(http, { sql });
  liveRoutes(http, { sql, clock });
  workspaceRoutes(http, {
    sql,
    clock,
    kycStatus: kycStatusOf,
    counts: { liveCalls: countLiveCalls, queuedCalls: countQueuedCalls, agents: countAgents, maxAgents: MAX_AGENTS },
  });
  memberRoutes(http, { sql, clock });
  inviteRoutes(http, { ...accounts, consoleUrl });
  invitePages(http, { ...accounts, consoleUrl });
  billingRoutes(http, { sql, clock });
  kycRoutes(http, { sql, clock });
  callerIdRoutes(http, { sql, clock });
  guardrailRoutes(http, { sql, clock });
  keyRoutes(http, { sql, clock, onRevoked: findKey.clearCache });
  lookupRoutes(http, {
    sql,
    sources: {
      ...{ agents: searchAgents, calls: searchCalls, batches: searchBatches },
      ...{ knowledge_bases: searchBases, numbers: searchNumbers },
    },
  });
  calls.routes(http);
  batches.routes(http);
  webCalls.routes(http);
  const mediaOrigins = [config.PUBLIC_MEDIA_URL, ...config.ENGINE_ORIGINS.split(',')];
  await consolePages(http, { dir: config.CONSOLE_DIR, mediaOrigins });
  carrierModule.routes(http, calls);

  let outbox: { stop(): Promise<void> } | null = null;
  let forgetting: { stop(): Promise<void> } | null = null;
  let housekeeping: { stop(): Promise<void> } | null = null;
  return {
    http,
    start() {
      calls.start();
      carrierModule.start(calls);
      bus.serveAmbientSounds(sounds.part);
      outbox = startOutbox({
        ...{ sql, clock, log, send: configuredMailTransport(config) },
        onFailed: ({ workspace_id, ...data }) =>
          serverLog.write({
            workspace_id,
            source: 'job',
            level: 'error',
            message: 'a letter was given up',
            data: { ...data },
          }),
      });
      forgetting = startCredentialCleanup({ sql, clock, log });
      housekeeping = startHousekeeping({ sql, clock, log });
      knowledge.start();
      webhooks.start();
      batches.start();
      dispatch.start();
    },
    async stop() {
      // No new dial first: what was dialled is still listened to.
      await Promise.all([batches.stop(), dispatch.stop()]);
      await carrierModule.stop();
      await Promise.all([links.settled(), outbox?.stop(), forgetting?.stop()]);
      await Promise.all([calls.stop(), knowledge.stop(), webhooks.stop(), housekeeping?.stop(), serverLog.stop()]);
    },
  };
}
