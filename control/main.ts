import cluster from 'node:cluster';
import type { AddressInfo } from 'node:net';
import { getPriority, hostname, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from 'node:tls';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { OpenBusError } from '../shared/bus/access.ts';
import { type Bus, connectBus } from '../shared/bus/bus.ts';
import { busOptions } from '../shared/bus/settings.ts';
import { systemClock } from '../shared/clock.ts';
import { importDeferred } from '../shared/deferred-import.ts';
import { METRICS_TYPE } from '../shared/labelled-metrics.ts';
import { createLogger, errorText, type Logger } from '../shared/log.ts';
import { plainText, startMetricsListener } from '../shared/metrics-listener.ts';
import { watchParent } from '../shared/parent-watch.ts';
import { startTelemetry } from '../shared/telemetry/start-telemetry.ts';
import {
  readCertificate,
  secureContext,
  type TlsCertificate,
  tlsFiles,
  watchCertificate,
} from '../shared/tls-certificate.ts';
import { type Address, API_PROCESS, startApiProcesses } from './api-processes.ts';
import { type App, buildApp, type Program } from './app.ts';
import { type ControlConfig, readControlConfig } from './config.ts';
import { checkSchema, SchemaError } from './db/check-schema.ts';
import { isPooled, type Sql } from './db/connect.ts';
import { closePools, connectPools, type ProcessPart, poolSettings } from './db/pools.ts';
import { requireSecretsKey } from './db/secret-keys.ts';
import type { MetricsByProcess } from './observability/process-metrics.ts';
import { connectChannel } from './process-channel.ts';

/**
 * The control program: starts, logs that it is ready, and stops in order. Exits with 1 when it cannot start, with 3 when the
 * database's schema is not one that it runs on. The process that is started does what happens in calls and in the background, and
 * starts those that serve the API.
 */

/** What is closed at the end, last to first. */
type OpenParts = [what: string, close: () => Promise<unknown>][];

const STARTUP_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = cluster.isWorker ? 8_000 : 12_000;
/** For what is still to be sent. */
const TELEMETRY_TIMEOUT_MS = 2_000;
const SCHEMA_EXIT_CODE = 3;
/** How much the processes for the API give way to the one for calls, where both want a core (nice(2)). */
const API_NICENESS = 10;
const LOWEST_PRIORITY = 19;
/** Of the process for calls, to those that serve the API. */
const PING_WITHIN_MS = 2_000;
/** More than it takes when a process that it asks does not answer, less than a scraper waits (10 s by default). */
const METRICS_WITHIN_MS = 7_000;
const IMPORT_AFTER_MS = 5_000;
const clock = systemClock;

/** A failure that a retry cannot repair. */
class NonRetryableError extends Error {}
const NON_RETRYABLE = [NonRetryableError, SchemaError, OpenBusError];

const config = settings();
const part: ProcessPart = {
  part: cluster.isWorker ? 'api' : config.API_PROCESSES > 0 ? 'calls' : 'all',
  api_processes: config.API_PROCESSES,
};
const name = process.env[API_PROCESS] ?? '';
const log = createLogger(cluster.isWorker ? `control ${name}` : 'control', config.LOG_LEVEL);
process.on('unhandledRejection', (error) => log.error({ error: errorText(error) }, 'unhandled rejection'));

const stopping = new AbortController();
process.on('SIGTERM', () => requestStop('SIGTERM'));
process.on('SIGINT', () => requestStop('SIGINT'));
watchParent(() => requestStop('parent process gone'));

await start(config, log);

async function start(config: ControlConfig, log: Logger): Promise<void> {
  const open: OpenParts = [];
  try {
    const pools = connectPools(config, part);
    open.push(['the database', () => closePools(pools, 3)]);
    if (part.part !== 'api') logConnections(config, log);
    await retryUntilReady('the database', () => checkDatabase(pools.jobs, log));
    const bus = await retryUntilReady('the bus', () => connectToBus(config, log));
    open.push(['the bus', () => bus.close()]);
    const files = tlsFiles(config);
    const certificate = files ? await readCertificate(files) : undefined;
    const program = part.part === 'api' ? otherProcesses(() => app.metrics()) : null;
    const app = await buildApp({ pools, bus, clock, log, config, certificate, ...(program ? { program } : {}) });
    const telemetry = await startTelemetry({
      settings: config,
      program: 'control',
      instanceId: `${hostname()}-${process.pid}`,
      metrics: app.metrics,
      log,
    });
    if (telemetry) open.push(['telemetry', () => telemetry.close(TELEMETRY_TIMEOUT_MS)]);
    open.push(['the background work', () => app.stop()]);
    if (part.part === 'api') app.startRequests();
    else app.start();
    const { address, processes } =
      part.part === 'calls'
        ? await startApi(app, open)
        : { address: await listen(app, open, certificate), processes: undefined };
    if (part.part !== 'api' && config.METRICS_PORT !== 0) await serveMetrics(app, open, processes);
    log.info({ ...address }, part.part === 'api' ? 'the API is ready' : 'control is ready');
    // Calls go before lists and exports, once there is a process that answers at all.
    if (part.part === 'api') setPriority(Math.min(LOWEST_PRIORITY, getPriority() + API_NICENESS));
    // Only requests use those packages.
    if (part.part !== 'calls') importLater(log);
    await untilStopping();
    log.info({ reason: stopping.signal.reason }, 'control is stopping');
    await closeAll(open, log);
    process.exit(0);
  } catch (error) {
    const stopRequested = stopping.signal.aborted;
    if (!stopRequested) log.fatal({ error: errorText(error) }, 'control cannot start');
    await closeAll(open, log);
    process.exit(stopRequested ? 0 : error instanceof SchemaError ? SCHEMA_EXIT_CODE : 1);
  }
}

/** When the requests that waited for this start are answered. */
function importLater(log: Logger): void {
  const timer = setTimeout(() => {
    importDeferred(clock).catch((error: unknown) => {
      log.error({ error: errorText(error) }, 'a package could not be imported');
    });
  }, IMPORT_AFTER_MS);
  timer.unref();
}

async function listen({ http }: App, open: OpenParts, certificate: TlsCertificate | undefined): Promise<Address> {
  await http.listen({ host: config.API_HOST, port: config.API_PORT });
  open.push(['the API', () => http.close()]);
  const { server } = http;
  if (certificate && server instanceof Server) {
    const { stop } = watchCertificate({
      ...{ certificate, clock, log },
      take: (next) => server.setSecureContext(secureContext(next)),
    });
    open.push(["the certificate's files", async () => stop()]);
  }
  const { address: host, port } = http.server.address() as AddressInfo;
  return { host, port };
}

/** Starts the processes that serve the API. */
async function startApi(app: App, open: OpenParts) {
  const metrics = async (): Promise<MetricsByProcess> => ({
    calls: await app.metrics(),
    ...((await processes.ask('metrics')) as MetricsByProcess),
  });
  const processes = startApiProcesses({
    ...{ count: config.API_PROCESSES, program: fileURLToPath(import.meta.url), clock, log },
    answer: async (question) => question === 'ping' || metrics(),
  });
  open.push(['the API', processes.stop]);
  const stopped = untilStopping().then(() => {
    throw new Error('control is stopping');
  });
  return { address: await Promise.race([processes.listening(), stopped]), processes: metrics };
}

/** Serves metrics and health on their own address; this process outlives those of the API. */
async function serveMetrics(app: App, open: OpenParts, processes?: () => Promise<MetricsByProcess>): Promise<void> {
  const listener = await startMetricsListener({
    ...{ host: config.METRICS_HOST, port: config.METRICS_PORT, log },
    endpoints: {
      '/metrics': async () => ({ status: 200, type: METRICS_TYPE, body: await app.metricsText(processes) }),
      '/healthz': async () => plainText(200, 'ok'),
      '/readyz': async () => {
        const missing = await app.missing();
        return missing.length === 0
          ? plainText(200, 'ready')
          : plainText(503, `not ready: no ${missing.join(', no ')}`);
      },
    },
  });
  open.push(['metrics', listener.close]);
}

/** The other processes of the program, for one that serves the API. */
function otherProcesses(metrics: App['metrics']): Program {
  const end = {
    send: (message: unknown, sent: (error: Error | null) => void) => process.send!(message, undefined, undefined, sent),
    on: process.on.bind(process),
  };
  const calls = connectChannel(end, clock, async (question) => question === 'ping' || metrics());
  return {
    metrics: async () =>
      (await calls
        .ask('metrics', METRICS_WITHIN_MS)
        .catch(async () => ({ [name]: await metrics() }))) as MetricsByProcess,
    callsRespond: async () => (await calls.ask('ping', PING_WITHIN_MS)) === true,
  };
}

function logConnections(config: ControlConfig, log: Logger): void {
  const { api_processes } = part;
  const others = Array.from({ length: api_processes }, (): ProcessPart => ({ part: 'api', api_processes }));
  const processes = [part, ...others].map((each) =>
    Object.fromEntries(
      Object.entries(poolSettings(config, each)).map(([pool, { connections }]) => [pool, connections]),
    ),
  );
  const connections = processes.flatMap((pools) => Object.values(pools)).reduce((sum, count) => sum + count, 0);
  log.info({ connections, processes }, 'database connections at most, in total and by process and pool');
}

function settings(): ControlConfig {
  try {
    const config = readControlConfig();
    requireSecretsKey(config);
    return config;
  } catch (error) {
    console.error(`control cannot start: ${errorText(error)}`);
    process.exit(1);
  }
}

function requestStop(reason: string): void {
  // Only Ctrl-C twice, from a person, stops at once; a supervisor may send several signals.
  if (reason === 'SIGINT' && stopping.signal.reason === 'SIGINT') process.exit(1);
  stopping.abort(reason);
}

function untilStopping(): Promise<void> {
  return new Promise((resolve) => {
    if (stopping.signal.aborted) resolve();
    else stopping.signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Checks that this program runs on the database. Only a database that does not answer is worth a retry. */
async function checkDatabase(sql: Sql, log: Logger): Promise<void> {
  try {
    await checkSchema(sql);
    if (isPooled(sql) && !(await hasStatementTimeout(sql))) {
      log.warn({}, 'the database role has no statement_timeout; through a pooler only transactions have one');
    }
  } catch (error) {
    // Class 28: wrong user or password. 3D000: no such database.
    const refused = error instanceof postgres.PostgresError && /^(28|3D)/.test(error.code);
    throw refused ? new NonRetryableError(`the database refused the connection: ${error.message}`) : error;
  }
}

async function hasStatementTimeout(sql: Sql): Promise<boolean> {
  const [row] = await sql<
    { ms: number }[]
  >`select setting::integer as ms from pg_settings where name = 'statement_timeout'`;
  return row!.ms > 0;
}

async function connectToBus(config: ControlConfig, log: Logger): Promise<Bus> {
  const bus = await connectBus({ ...busOptions(config), name: 'antiphon-control', log });
  try {
    await bus.prepare();
    return bus;
  } catch (error) {
    await bus.close();
    throw error;
  }
}

/** Retries for 30 seconds, because a dependency may start later than this process. */
async function retryUntilReady<Result>(what: string, attempt: () => Promise<Result>): Promise<Result> {
  const deadlineMs = clock.now() + STARTUP_TIMEOUT_MS;
  for (let logged = false; ; logged = true) {
    try {
      return await attempt();
    } catch (error) {
      if (stopping.signal.aborted || NON_RETRYABLE.some((kind) => error instanceof kind)) throw error;
      const reason = errorText(error);
      if (clock.now() >= deadlineMs) throw new Error(`${what} was not available for 30 seconds: ${reason}`);
      if (!logged) log.warn({ error: reason }, `waiting for ${what}`);
      await sleep(500, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
}

async function closeAll(open: OpenParts, log: Logger): Promise<void> {
  const deadline = setTimeout(() => {
    log.error({}, 'stopping timed out; exiting');
    process.exit(1);
  }, STOP_TIMEOUT_MS);
  for (const [what, close] of open.toReversed()) {
    await close().catch((error: unknown) => log.warn({ error: errorText(error) }, `${what} did not close cleanly`));
  }
  clearTimeout(deadline);
}
