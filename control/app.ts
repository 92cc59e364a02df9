import type { FastifyInstance } from 'fastify';
import type { Bus } from '../shared/bus/bus.ts';
import type { Clock } from '../shared/clock.ts';
import type { ProcessMetrics } from '../shared/labelled-metrics.ts';
import type { Logger } from '../shared/log.ts';
import type { TlsCertificate } from '../shared/tls-certificate.ts';
import { createAccountsModule } from './accounts/accounts-module.ts';
import { createPasswords } from './accounts/password.ts';
import { createAgentTestsModule } from './agent-tests/agent-tests-module.ts';
import { agentOfTestCall } from './agent-tests/running-test.ts';
import { agentsUsing, countAgents, countToolUses, mcpServersOf, searchAgents } from './agents/agent-lookups.ts';
import { createAgentsModule } from './agents/agents-module.ts';
import { MAX_AGENTS } from './agents/save-agent.ts';
import { createAlertsModule } from './alerts/alerts-module.ts';
import { searchBatches } from './batches/batch-lookups.ts';
import { createBatchesModule } from './batches/batches-module.ts';
import { creditsForAlert } from './billing/balance.ts';
import { createBillingModule } from './billing/billing-module.ts';
import { openWelcomeWallet } from './billing/welcome-credits.ts';
import { createCallerIdModule } from './caller-id/caller-id-module.ts';
import { callerIdRenewal } from './caller-id/caller-id-renewal.ts';
import { dropNumber } from './caller-id/drop-number.ts';
import { searchCalls } from './calls/call-lookups.ts';
import { createCallsModule } from './calls/calls-module.ts';
import { createBodyCompletion } from './calls/events/completed-event.ts';
import { webhookEvents } from './calls/events/event-records.ts';
import { finishedCalls } from './calls/finished-calls.ts';
import type { ReaperTimes } from './calls/lifecycle/reaper.ts';
import { cancelQueuedCallsOfWorkspace, failQueuedCallsOfAgent } from './calls/queue/bulk-cancel.ts';
import { countLiveCalls, countQueuedCalls } from './calls/queue/call-concurrency.ts';
import type { Carriers } from './carriers/carrier.ts';
import { createCarriersModule } from './carriers/carriers-module.ts';
import { createCatalogModule } from './catalog/catalog-module.ts';
import type { ControlConfig } from './config.ts';
import { isDatabaseReachable, wakeUpsOf } from './db/connect.ts';
import { type Pools, poolStates } from './db/pools.ts';
import { openSecretKeys } from './db/secret-keys.ts';
import { shareWakeUps } from './db/wake-ups.ts';
import { learnRate, readCallsPerSecond } from './dispatch/carrier-rates.ts';
import { createDispatchModule } from './dispatch/dispatch-module.ts';
import { createExportsModule } from './exports/exports-module.ts';
import { createGuardrailsModule } from './guardrails/guardrails-module.ts';
import { apiReference } from './http/api-reference.ts';
import { findByPrefix } from './http/authenticate.ts';
import { consolePages } from './http/console.ts';
import { parseOrigins } from './http/cors.ts';
import { healthRoutes, missingParts, type ReadinessChecks } from './http/health.ts';
import { createIdempotency } from './http/idempotency.ts';
import { createRateLimiter, createRequestReserver } from './http/rate-limit.ts';
import { createHttpApp } from './http/server.ts';
import { searchBases } from './knowledge/knowledge-lookups.ts';
import { createKnowledgeModule } from './knowledge/knowledge-module.ts';
import { createKycModule, kycStatusOf } from './kyc/kyc-module.ts';
import { createMailModule } from './mail/mail-module.ts';
import { createMoneyAuditModule } from './money-audit/money-audit-module.ts';
import { searchNumbers } from './numbers/number-lookups.ts';
import { createNumbersModule } from './numbers/numbers-module.ts';
import { createObservabilityModule } from './observability/observability-module.ts';
import type { MetricsByProcess } from './observability/process-metrics.ts';
import { deleteLogsOfCalls } from './observability/server-log.ts';
import { createPaymentsModule } from './payments/payments-module.ts';
import { createToolHeaders } from './tools/seal-tool-headers.ts';
import { createToolsModule } from './tools/tools-module.ts';
import { createWebCallsModule } from './web-calls/web-calls-module.ts';
import { failDeliveriesToAgentUrl } from './webhooks/configured-urls.ts';
import { createWebhooksModule } from './webhooks/webhooks-module.ts';
import { billingUrlOf, consoleUrlOf } from './workspaces/console-url.ts';
import { openWorkspace } from './workspaces/create-workspace.ts';
import { createWorkspacesModule } from './workspaces/workspaces-module.ts';

export interface AppDeps {
  pools: Pools;
  /** Connected and prepared. */
  bus: Bus;
  clock: Clock;
  log: Logger;
  config: ControlConfig;
  /** Shorter times, for tests. */
  reaperTimes?: Partial<ReaperTimes>;
  /** Memory for hashing a password; less for tests. */
  passwordMemoryKib?: number;
  /** For tests and benchmarks, instead of the configured carriers. */
  carriers?: Carriers;
  /** Where the program has several processes. */
  program?: Program;
  /** For TLS. */
  certificate?: TlsCertificate | undefined;
}

/** The other processes of the program, for one that serves the API. */
export interface Program {
  /** The metrics of all. */
  metrics(): Promise<MetricsByProcess>;
  /** Whether the process for calls responds. */
  callsRespond(): Promise<boolean>;
}

export interface App {
  /** Not listening yet. */
  http: FastifyInstance;
  /** Of this process. */
  metrics(): Promise<ProcessMetrics>;
  /** See `ObservabilityModule`. */
  metricsText(processes?: () => Promise<MetricsByProcess>): Promise<string>;
  /** What this process needs and does not have; empty: it is ready. */
  missing(): Promise<string[]>;
  /** Starts what requests need besides; `start` does as well. */
  startRequests(): void;
  /** Starts what runs without requests: dialling, the engines' requests and events, background jobs. */
  start(): void;
  /** Stops what runs without requests. Close `http` before it, bus and database after it. */
  stop(): Promise<void>;
}

/** Wires the modules: each gets what it needs from here, and calls modules above it through functions handed in here. */
export async function buildApp({ reaperTimes = {}, passwordMemoryKib, ...deps }: AppDeps): Promise<App> {
  const { pools, bus, clock, log, config, certificate } = deps;
  const { api, jobs, reports } = pools;
  const base = { sql: api, clock, log, config };
  const { box } = await openSecretKeys(config);
  const toolHeaders = createToolHeaders(box);
  const publicUrl =
    config.PUBLIC_API_URL || `${certificate ? 'https' : 'http'}://${config.API_HOST}:${config.API_PORT}`;
  const consoleUrl = consoleUrlOf(config);
  const passwords = createPasswords({ memoryKib: passwordMemoryKib });

  const observability = createObservabilityModule({
    ...{ sql: reports, jobsSql: jobs, clock, log },
    engines: () => calls.engines.state(),
    busConnected: () => bus.connected(),
    poolStates: () => poolStates(pools),
    ...(deps.program ? { processes: deps.program.metrics } : {}),
    eventBacklog: async () => bus.events.backlog(),
    deadLetterDays: config.DEAD_LETTER_DAYS,
    metricsElsewhere: config.METRICS_PORT !== 0,
  });
  const { serverLog } = observability;
  const jobFailed = (message: string, { workspace_id, ...data }: { workspace_id: string }) =>
    serverLog.write({ workspace_id, source: 'job', level: 'error', message, data: { ...data } });

  const carriersModule = await createCarriersModule({
    ...{ config, log, clock, sql: pools.calls },
    ...(deps.carriers ? { carriers: deps.carriers } : {}),
  });
  const { carriers, addresses } = carriersModule;
  const knowledge = createKnowledgeModule({
    ...{ ...base, callsSql: pools.calls, agentsUsing },
    onFailed: (failed) => jobFailed('processing a source failed', failed),
  });
  const calls = createCallsModule({
    ...{ ...base, bus, carriers, addresses, reaperTimes, searchKnowledge: knowledge.search, sql: pools.calls, pools },
    toolHeaders,
    agentOfTestCall: (callId) => agentOfTestCall(pools.calls, callId),
    slowDown: (provider) => learnRate(pools.calls, provider, null, clock.wall()),
    writeLog: (line) => serverLog.write({ ...line, source: 'call' }),
    writeJobLog: (line) => serverLog.write({ ...line, source: 'job' }),
    deleteLogs: deleteLogsOfCalls,
  });
  const dispatch = createDispatchModule({
    ...{ ...base, sql: pools.calls, carriers, addresses, engines: calls.engines, streamUrl: calls.dialStreamUrl },
    carrierEvents: calls.carrierEvents,
    callsPerSecond: readCallsPerSecond(config.CALLS_PER_SECOND),
    writeLog: (line) => serverLog.write({ ...line, source: 'call' }),
  });
  const webhooks = createWebhooksModule({
    ...{ ...base, box, bodyCompletion: createBodyCompletion },
    onFailed: ({ workspace_id, call_id, agent_id, is_final, status_code, latency_ms, ...data }) =>
      serverLog.write({
        ...{ workspace_id, call_id, agent_id, source: 'webhook', level: is_final ? 'error' : 'warning' },
        message: is_final ? 'webhook delivery failed' : 'webhook delivery failed and will be retried',
        ...(status_code === null ? {} : { status: status_code }),
        ...{ duration_ms: latency_ms, data },
      }),
  });
  const { checkUrl } = webhooks;
  const batches = createBatchesModule({
    ...{ ...base, checkUrl },
    writeLog: (line) => serverLog.write({ ...line, source: 'batch' }),
  });
  const numbers = createNumbersModule({
    ...{ ...base, carriers, onReleased: dropNumber },
    writeLog: (line) => serverLog.write({ ...line, source: 'job' }),
  });
  const mail = createMailModule({
    ...{ ...base, sql: jobs },
    attach: (workspaceId, { id }) => billing.attachedDocument(workspaceId, id),
    onFailed: (failed) => jobFailed('sending an email failed', failed),
  });
  const alerts = createAlertsModule({
    ...{ sql: jobs, clock, log, consoleUrl },
    ...{ creditsOf: creditsForAlert, finishedCallsOf: finishedCalls },
  });
  const billing = createBillingModule({
    ...{ sql: api, clock, log, exchangeRateUrl: config.EXCHANGE_RATE_URL },
    subjects: [callerIdRenewal, numbers.renewal],
    billingUrl: billingUrlOf(consoleUrl),
    writeLog: (line) => serverLog.write({ ...line, source: 'job' }),
  });
  const payments = createPaymentsModule({
    ...{ ...base, consoleUrl },
    writeLog: (line) => serverLog.write({ ...line, source: 'job' }),
  });
  const moneyAudit = createMoneyAuditModule({ sql: jobs, clock, log, gateways: payments.gateways });
  const accounts = createAccountsModule({
    ...{ sql: api, clock, log, passwords, box, publicUrl, openWorkspace },
    verifiedEmailRequired: config.VERIFIED_EMAIL === 'required',
    sessionMaxDays: config.SESSION_MAX_DAYS,
    async onWorkspaceCreated(tx, { id, at_ms }) {
      await openWelcomeWallet(tx, id, at_ms);
      await webhooks.onWorkspaceCreated(tx, { id });
    },
    async onWorkspaceClosed(tx, workspaceId, atMs) {
      await cancelQueuedCallsOfWorkspace(tx, workspaceId, atMs);
    },
  });
  const workspaces = createWorkspacesModule({
    ...{ sql: api, clock, log, passwords, publicUrl, consoleUrl, kycStatus: kycStatusOf },
    counts: { liveCalls: countLiveCalls, queuedCalls: countQueuedCalls, agents: countAgents, maxAgents: MAX_AGENTS },
    searchSources: {
      ...{ agents: searchAgents, calls: searchCalls, batches: searchBatches },
      ...{ knowledge_bases: searchBases, numbers: searchNumbers },
    },
  });
  const catalog = await createCatalogModule(base);
  const agents = createAgentsModule({
    ...{ ...base, bus, consoleUrl, checkUrl, available: catalog.available, voices: catalog.voices, toolHeaders },
    reportsSql: reports,
    async onAgentDeleted(tx, workspaceId, agentId) {
      await failQueuedCallsOfAgent(tx, workspaceId, agentId, clock.wall());
      await failDeliveriesToAgentUrl(tx, workspaceId, agentId);
    },
  });

  const agentTests = createAgentTestsModule({
    ...{ ...base, bus, searchKnowledge: knowledge.search, toolHeaders },
    writeLog: (line) => serverLog.write({ ...line, source: 'test' }),
  });

  const workspaceExports = createExportsModule({ ...base, reportsSql: reports });

  const http = await createHttpApp({
    log,
    findPrincipal: findByPrefix({ svc_: workspaces.findKey, ...accounts.finders }),
    rateLimiter: createRateLimiter(clock, createRequestReserver(api)),
    idempotency: createIdempotency({ sql: api, clock }),
    consoleOrigins: parseOrigins(config.CONSOLE_ORIGINS),
    trustedProxies: config.TRUSTED_PROXIES,
    onResponse: serverLog.logRequest,
    webhookEvents,
    uploadMemoryMb: config.UPLOAD_MEMORY_MB,
    ...{ publicUrl, clock, certificate },
  });
  // First, because it counts the requests of the routes that follow.
  observability.routes(http);
  accounts.routes(http);
  const readiness: ReadinessChecks = {
    database: () => isDatabaseReachable(pools.calls),
    bus: async () => bus.connected(),
    ...(deps.program ? { 'process for calls': deps.program.callsRespond } : {}),
  };
  healthRoutes(http, readiness);
  for (const { routes } of [agents, catalog, webhooks, knowledge, workspaces, calls, batches, agentTests]) routes(http);
  workspaceExports.routes(http);
  billing.routes(http);
  for (const create of [createKycModule, createCallerIdModule, createGuardrailsModule]) {
    create({ sql: api, clock }).routes(http);
  }
  createToolsModule({ ...base, countToolUses, toolHeaders, findMcpServers: mcpServersOf(api) }).routes(http);
  numbers.routes(http);
  payments.routes(http);
  createWebCallsModule({ ...base, engines: calls.engines, bus, carriers }).routes(http);
  await apiReference(http);
  await consolePages(http, {
    dir: config.CONSOLE_DIR,
    mediaOrigins: [config.PUBLIC_MEDIA_URL, ...config.ENGINE_ORIGINS.split(',')],
    checkoutOrigins: payments.pageOrigins,
  });
  carriersModule.routes(http, calls);

  let wakeUps: { stop(): void } | null = null;
  const startRequests = () => {
    wakeUps = shareWakeUps(wakeUpsOf(jobs), { bus, clock, log });
    calls.followEngines();
    knowledge.startSearch(jobs);
  };
  return {
    http,
    metrics: observability.metrics,
    metricsText: observability.metricsText,
    missing: () => missingParts(readiness),
    startRequests,
    start() {
      startRequests();
      calls.start();
      carriersModule.start(calls);
      agents.start(pools.calls);
      for (const each of [numbers, payments, billing, agentTests, catalog, accounts, knowledge, webhooks, batches]) {
        each.start(jobs);
      }
      workspaceExports.start(jobs);
      for (const each of [alerts, moneyAudit, mail, observability, dispatch]) each.start();
    },
    async stop() {
      await Promise.all([agentTests.stop(), workspaceExports.stop()]);
      // Dialling first; the events of what was dialled are still handled.
      await Promise.all([batches.stop(), dispatch.stop()]);
      await numbers.stop();
      await payments.stop();
      await billing.stop();
      await Promise.all([alerts.stop(), moneyAudit.stop()]);
      await carriersModule.stop();
      await Promise.all([accounts.stop(), mail.stop()]);
      await Promise.all([calls.stop(), catalog.stop(), knowledge.stop(), webhooks.stop()]);
      wakeUps?.stop();
      // Last, because the others write to the server logs.
      await observability.stop();
    },
  };
}
