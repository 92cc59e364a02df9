import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { connectBus } from '../shared/bus/bus.ts';
import { busOptions } from '../shared/bus/settings.ts';
import { systemClock } from '../shared/clock.ts';
import { createLogger, errorText } from '../shared/log.ts';
import { watchParent } from '../shared/parent-watch.ts';
import { startTelemetry } from '../shared/telemetry/start-telemetry.ts';
import { readCertificate, tlsFiles } from '../shared/tls-certificate.ts';
import { readMediaConfig } from './config.ts';
import { ENGINE_INDEX, startSupervisor } from './supervisor.ts';
import { startSupervisorServer } from './supervisor-server.ts';

/** The media program: one engine, or with `MEDIA_PROCESSES` the supervisor of several. */

/** For what is still to be sent. */
const TELEMETRY_DEADLINE_MS = 2_000;

const config = (() => {
  try {
    return readMediaConfig();
  } catch (error) {
    console.error(`media cannot start: ${errorText(error)}`);
    process.exit(1);
  }
})();
const log = createLogger('media', config.LOG_LEVEL);

process.on('unhandledRejection', (error) => log.error({ error: errorText(error) }, 'unhandled rejection'));

try {
  const index = process.env[ENGINE_INDEX];
  if (index === undefined && config.MEDIA_PROCESSES > 1) {
    await supervise();
  } else {
    // The supervisor needs none of the memory that this import takes.
    const { runEngine } = await import('./engine-process.ts');
    await runEngine(config, log, index === undefined ? null : Number(index));
  }
} catch (error) {
  log.fatal({ error: errorText(error) }, 'media cannot start');
  process.exit(1);
}

async function supervise(): Promise<void> {
  if (!config.PUBLIC_ENGINE_URL.includes('{port}')) {
    throw new Error('MEDIA_PROCESSES needs a PUBLIC_ENGINE_URL with {port}: each engine has a port of its own');
  }
  const drainMs = config.DRAIN_SECONDS * 1_000;
  // Only its log: the engines have calls and metrics.
  const telemetry = await startTelemetry({
    settings: { ...config, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
    ...{ program: 'media', instanceId: `${hostname()}-supervisor`, metrics: async () => [], log },
  });
  const supervisor = startSupervisor({
    processes: config.MEDIA_PROCESSES,
    program: fileURLToPath(import.meta.url),
    drainMs,
    clock: systemClock,
    log,
    onEngineLost: (engineId) => void reportEngineLost(engineId),
  });
  let shuttingDown = false;
  const shutDown = async (reason: string, drainMs: number) => {
    if (shuttingDown) {
      supervisor.kill();
      process.exit(1);
    }
    shuttingDown = true;
    log.info({ reason }, 'media shutting down');
    await supervisor.shutDown(drainMs);
    await telemetry?.close(TELEMETRY_DEADLINE_MS);
    process.exit(0);
  };
  process.on('SIGTERM', () => void shutDown('SIGTERM', drainMs));
  process.on('SIGINT', () => void shutDown('SIGINT', 0));
  process.on('SIGHUP', () => void supervisor.replaceAll());
  watchParent(() => void shutDown('parent process gone', 0));
  try {
    const files = tlsFiles(config);
    const certificate = files && (await readCertificate(files));
    const address = { host: config.MEDIA_HOST, port: config.MEDIA_PORT };
    const metrics = config.METRICS_PORT === 0 ? null : { host: config.METRICS_HOST, port: config.METRICS_PORT };
    await startSupervisorServer({ ...address, certificate, metrics, clock: systemClock, log }, supervisor);
    await supervisor.ready();
  } catch (error) {
    supervisor.kill();
    throw error;
  }
  log.info({ port: config.MEDIA_PORT, processes: config.MEDIA_PROCESSES }, 'media ready');
}

/** Sends a heartbeat without headroom for a crashed engine, so that control stops routing calls to it at once. */
async function reportEngineLost(engineId: string): Promise<void> {
  try {
    const bus = await connectBus({ ...busOptions(config), name: 'media supervisor', log });
    bus.sendHeartbeat({ engine_id: engineId, at_ms: systemClock.wall(), call_ids: [], headroom: 0 });
    await bus.close();
  } catch (error) {
    log.warn({ engine_id: engineId, error: errorText(error) }, 'crashed engine could not be reported to control');
  }
}
