import { mkdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { OpenBusError } from '../shared/bus/access.ts';
import { connectBus } from '../shared/bus/bus.ts';
import { busOptions } from '../shared/bus/settings.ts';
import { engineIdOf } from '../shared/bus/subjects.ts';
import { systemClock } from '../shared/clock.ts';
import { newId } from '../shared/ids.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { startMetricsListener } from '../shared/metrics-listener.ts';
import { watchParent } from '../shared/parent-watch.ts';
import { openRecordingStore } from '../shared/recordings/store-settings.ts';
import { closeInOrder, type ShutdownStep } from '../shared/shutdown.ts';
import { startTelemetry } from '../shared/telemetry/start-telemetry.ts';
import { onlyThisCertificate, readCertificate, tlsFiles } from '../shared/tls-certificate.ts';
import { createAdmission } from './admission.ts';
import { openBrowserGateway } from './browser-gateway.ts';
import { createProviderFactory } from './call/provider-factory.ts';
import type { MediaConfig } from './config.ts';
import { createEngine } from './engine.ts';
import { connectToSupervisor, type EngineLoad, readyText, withoutTrailingZeros } from './engine-channel.ts';
import { createEngineMetrics, engineMetricsText } from './engine-metrics.ts';
import { shortenGarbageCollection } from './garbage-collection.ts';
import { healthEndpoints } from './health-endpoints.ts';
import { createBrowserMedia } from './leg/browser-media.ts';
import { carrierProtocols } from './leg/carrier-protocols.ts';
import { createMediaClock } from './playout/media-clock.ts';
import { createConcurrencyPermits } from './provider/concurrency-permits.ts';
import { createHealth } from './provider/health.ts';
import { warmUpOtherLanguages, warmUpTextProcessing } from './reply/warm-up.ts';
import { createChunkWriter } from './report/recording-chunk-writer.ts';
import { startServer } from './server.ts';
import { serveTestCalls } from './test-caller/serve-test-calls.ts';
import { keepOtherThreadsPriorityLow } from './thread-priority.ts';
import { loadVad } from './turn/vad.ts';
import { createUncaughtErrorHandler } from './uncaught-errors.ts';

/** Recordings that are not stored by then are lost. */
const RECORDINGS_DEADLINE_MS = 5_000;
/** Per shutdown step. */
const CLOSE_DEADLINE_MS = RECORDINGS_DEADLINE_MS + 1_000;
const TELEMETRY_DEADLINE_MS = 2_000;
const BUS_DEADLINE_MS = 30_000;
const BUS_RETRY_MS = 500;

/**
 * Runs one media engine as this process: starts it, logs that it is ready, and shuts it down in order. Rejects when it cannot
 * start. An uncaught error shuts it down as SIGTERM does, with exit code 1, so that its supervisor restarts it.
 *
 * @param index among the engine processes of a supervisor, from 0; null without a supervisor.
 */
export async function runEngine(config: MediaConfig, log: Logger, index: number | null): Promise<void> {
  shortenGarbageCollection();
  const clock = systemClock;
  const files = tlsFiles(config);
  const certificate = files ? await readCertificate(files) : undefined;
  const engineId = engineIdOf(config.NATS_NAME, newId());
  const recordings = createChunkWriter({ store: openRecordingStore(config, clock), clock, log });
  if (config.CAPTURES_DIR !== '') await mkdir(config.CAPTURES_DIR, { recursive: true, mode: 0o700 });
  const bus = await connectWithRetry();
  await bus.prepare();
  const vad = await loadVad(log);
  const mediaClock = createMediaClock(clock, (error) => log.error({ error: errorText(error) }, 'tick handler failed'));
  const providerFactory = await createProviderFactory({ config, clock, log, bus });
  const { workers } = providerFactory;
  const permits = createConcurrencyPermits({ registry: bus.permits, limits: config.PROVIDER_LIMITS, clock, log });
  const health = createHealth({ clock, log });
  const engineMetrics = createEngineMetrics(() => load());
  const engine = createEngine({
    id: engineId,
    bus,
    providerFactory,
    permits,
    health,
    vad,
    mediaClock,
    admission: createAdmission({ maxCalls: config.MAX_CALLS, adaptive: config.ADMISSION === 'adaptive' }),
    threadUtilization: createThreadUtilization(),
    capturesDir: config.CAPTURES_DIR,
    recordings,
    onEvent: engineMetrics.observe,
    clock,
    log,
  });
  const telemetry = await startTelemetry({
    settings: config,
    program: 'media',
    instanceId: engineId,
    metrics: engineMetrics.read,
    log,
  });
  warmUpTextProcessing();
  keepOtherThreadsPriorityLow(workers, { clock, log });
  const ready = () => engine.takesStreams() && bus.connected();
  const load = (): EngineLoad => ({
    ...engine.load(),
    ...(bus.connected() ? {} : { headroom: 0 }),
    lag_counts: withoutTrailingZeros(mediaClock.lagCounts),
    unhealthy_providers: health.unhealthy(),
    workers: workers.map(({ name, running, restarts }) => ({ name, running, restarts })),
  });
  const onStream = engine.acceptStream;
  const captures = config.CAPTURES_DIR !== '';
  const server = await startServer({
    host: config.MEDIA_HOST,
    port: index === null ? config.MEDIA_PORT : config.ENGINE_PORT && config.ENGINE_PORT + index,
    certificate,
    tokenSecret: config.MEDIA_TOKEN_SECRET,
    clock,
    log,
    onStream,
    onUnsupportedStream: engine.endUnsupported,
    browsers: (app, shared) =>
      openBrowserGateway(app, {
        media: createBrowserMedia({
          host: config.WEB_MEDIA_HOST || config.MEDIA_HOST,
          // Processes cannot share a UDP port.
          port: config.WEB_MEDIA_PORT && config.WEB_MEDIA_PORT + (index ?? 0),
          announcedAddress: config.WEB_MEDIA_ADDRESS,
          clock,
          log,
        }),
        tokenSecret: config.MEDIA_TOKEN_SECRET,
        ...shared,
        clock,
        log,
        onStream,
        participants: engine.participants,
        captures,
        ready,
      }),
    awaitsStream: engine.awaitsStream,
    captures,
    protocols: carrierProtocols({ exotelChunkBytes: config.EXOTEL_CHUNK_BYTES }),
    ready,
    accepting: () => engine.accepting() && bus.connected(),
    readyText: () => readyText(workers),
    ...(config.METRICS_PORT === 0 ? { metrics: load, metricsText: () => metricsText() } : {}),
  });
  const metricsText = async () => engineMetricsText([{ port: server.port, metrics: await engineMetrics.read() }]);
  // The supervisor serves those of several engines.
  const ownMetrics =
    config.METRICS_PORT !== 0 && index === null
      ? await startMetricsListener({
          ...{ host: config.METRICS_HOST, port: config.METRICS_PORT, log },
          endpoints: healthEndpoints(
            () => ({
              ready: engine.accepting() && bus.connected(),
              readyText: readyText(workers),
              metrics: load(),
            }),
            metricsText,
          ),
        })
      : null;
  serveTestCalls({
    ...{ bus, providerFactory, permits, vad, mediaClock, clock, log },
    expectCall: engine.expectTestCall,
    address: `${files ? 'wss' : 'ws'}://${ownHost(config.MEDIA_HOST)}:${server.port}`,
    ...(files ? { tls: () => onlyThisCertificate(server.certificate!) } : {}),
    tokenSecret: config.MEDIA_TOKEN_SECRET,
  });
  engine.start(config.PUBLIC_ENGINE_URL.replaceAll('{port}', String(server.port)));
  log.info({ port: server.port, engine_id: engineId }, 'media ready');
  void warmUpOtherLanguages(clock);

  let reportLoad = () => {};
  let shuttingDown = false;
  let exitCode = 0;
  const shutDown = async (reason: string, drainMs: number) => {
    if (shuttingDown) return;
    shuttingDown = true;
    log.info({ reason }, 'media shutting down');
    try {
      // After an uncaught error no further call is to depend on this process.
      const drained = engine.drain(drainMs, server.streamsStarted, exitCode === 0);
      reportLoad();
      await drained;
    } catch (error) {
      log.error({ error: errorText(error) }, 'draining failed');
    }
    const steps: ShutdownStep[] = [
      ['recordings', () => recordings.close(RECORDINGS_DEADLINE_MS)],
      ['server', () => server.close()],
      ['metrics', () => ownMetrics?.close()],
      ['permits', () => permits.close()],
      ['media clock', () => mediaClock.stop()],
      ['turn detector', () => providerFactory.turnDetector?.close()],
      ['bus', () => bus.close()],
      ['telemetry', () => telemetry?.close(TELEMETRY_DEADLINE_MS)],
    ];
    await closeInOrder(steps, { withinMs: CLOSE_DEADLINE_MS, clock, log });
    process.exit(exitCode);
  };
  const drainMs = config.DRAIN_SECONDS * 1_000;
  process.on(
    'uncaughtException',
    createUncaughtErrorHandler({
      clock,
      log,
      shutDown() {
        exitCode = 1;
        void shutDown('uncaught error', drainMs);
      },
      exit: () => process.exit(1),
    }),
  );
  let signals = 0;
  const shutDownOnSignal = (reason: string, drainMs: number) => {
    // The second signal ends the process at once; the supervisor's message does not count.
    if (++signals > 1) process.exit(1);
    void shutDown(reason, drainMs);
  };
  process.on('SIGTERM', () => shutDownOnSignal('SIGTERM', drainMs));
  process.on('SIGINT', () => shutDownOnSignal('SIGINT', 0));
  if (index !== null) {
    // A closing terminal signals the whole process group, but only the supervisor replaces engines.
    process.on('SIGHUP', () => {});
    reportLoad = connectToSupervisor(process, {
      engineId,
      port: server.port,
      load,
      metrics: engineMetrics.read,
      onShutDown: (drainMs) => void shutDown('supervisor', drainMs),
      onSupervisorGone: () => void shutDown('supervisor gone', drainMs),
    });
  }
  watchParent(() => shutDownOnSignal('parent process gone', 0));

  /** NATS may be started after media. */
  async function connectWithRetry() {
    const deadlineMs = clock.now() + BUS_DEADLINE_MS;
    for (;;) {
      try {
        return await connectBus({ ...busOptions(config), name: `media ${engineId}`, engineId, log });
      } catch (error) {
        if (error instanceof OpenBusError) throw error;
        if (clock.now() > deadlineMs) throw new Error(`no bus at ${config.NATS_URL}: ${errorText(error)}`);
        await new Promise((resolve) => setTimeout(resolve, BUS_RETRY_MS));
      }
    }
  }
}

/** How this process reaches itself when it listens on this host. */
function ownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns a function that measures the event loop's utilization since its last call, 0 to 1. */
function createThreadUtilization(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return Number.isFinite(utilization) ? utilization : 0;
  };
}
