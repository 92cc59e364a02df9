import { mkdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { connectBus } from '../shared/bus/bus.ts';
import { systemClock } from '../shared/clock.ts';
import { newId } from '../shared/ids.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { watchParent } from '../shared/parent-watch.ts';
import { openRecordingStore } from '../shared/recordings/store-settings.ts';
import { closeInOrder, type ShutdownStep } from '../shared/shutdown.ts';
import { createAdmission } from './admission.ts';
import { openBrowserGateway } from './browser-gateway.ts';
import { createProviderFactory } from './call/provider-factory.ts';
import type { MediaConfig } from './config.ts';
import { createEngine } from './engine.ts';
import { createBrowserMedia } from './leg/browser-media.ts';
import {
  combineLoads,
  type EngineLoad,
  joinPeerProcesses,
  type PeerProcesses,
  withoutTrailingZeros,
} from './peer-processes.ts';
import { createMediaClock } from './playout/media-clock.ts';
import { createConcurrencyPermits } from './provider/concurrency-permits.ts';
import { createHealth } from './provider/health.ts';
import { warmUpTextProcessing } from './reply/warm-up.ts';
import { createChunkWriter } from './report/chunk-writer.ts';
import { startServer } from './server.ts';
import { createStreamRelay } from './stream-relay.ts';
import { lowerOtherThreadsPriority } from './thread-priority.ts';
import { loadVad } from './turn/vad.ts';
import { createUncaughtErrorHandler } from './uncaught-errors.ts';

/** What is not stored when we leave is lost. */
const RECORDINGS_DEADLINE_MS = 5_000;
/** Of each part. What takes longer hangs, and would keep this process for ever. */
const CLOSE_DEADLINE_MS = RECORDINGS_DEADLINE_MS + 1_000;

/**
 * One media engine as this process: starts, says so in one line, and leaves in order. Rejects when it cannot start. What is
 * thrown and not caught makes it leave as on SIGTERM, with exit code 1, so that whoever supervises starts another.
 *
 * @param index among the engines that share the port, from 0; null when it is alone.
 */
export async function runEngine(config: MediaConfig, log: Logger, index: number | null): Promise<void> {
  const clock = systemClock;
  const engineId = newId();
  const recordings = createChunkWriter({ store: openRecordingStore(config, clock), clock, log });
  if (config.TAPES_DIR !== '') await mkdir(config.TAPES_DIR, { recursive: true, mode: 0o700 });
  const bus = await connectWithRetry();
  await bus.prepare();
  const vad = await loadVad({ clock, log });
  const mediaClock = createMediaClock(clock, (error) =>
    log.error({ error: errorText(error) }, 'a call stumbled on a beat'),
  );
  const providerFactory = await createProviderFactory({ config, clock, log, bus });
  const permits = createConcurrencyPermits({ registry: bus.permits, limits: config.PROVIDER_LIMITS, clock, log });
  const health = createHealth({ clock, log });
  let peers: PeerProcesses | null = null;
  const engine = createEngine({
    id: engineId,
    publicUrl: config.PUBLIC_ENGINE_URL,
    bus,
    providerFactory,
    permits,
    health,
    vad,
    mediaClock,
    admission: createAdmission({ maxCalls: config.MAX_CALLS, adaptive: config.ADMISSION === 'judged' }),
    threadUtilization: createThreadUtilization(),
    capturesDir: config.TAPES_DIR,
    onCall: (callId, here) => peers?.reportCall(callId, here),
    recordings,
    clock,
    log,
  });
  warmUpTextProcessing();
  lowerOtherThreadsPriority(log);
  const ready = () => engine.accepting() && bus.connected();
  const relay =
    index === null
      ? undefined
      : createStreamRelay({
          peers: {
            ownerOf: (callId) => peers?.ownerOf(callId) ?? null,
            withHeadroom: () => peers?.withHeadroom() ?? [],
          },
          hasCall: engine.hasCall,
          ready,
          tokenSecret: config.MEDIA_TOKEN_SECRET,
          clock,
          log,
        });
  const load = (): EngineLoad => {
    const own = engine.load();
    const room = bus.connected() ? own.headroom : 0;
    return { ...own, room, lag_counts: withoutTrailingZeros(mediaClock.lagCounts), relayed: relay?.streams ?? 0 };
  };
  const server = await startServer({
    host: config.MEDIA_HOST,
    port: config.MEDIA_PORT,
    tokenSecret: config.MEDIA_TOKEN_SECRET,
    clock,
    log,
    onStream: (stream) => engine.acceptStream(stream),
    browsers: (app, shared) =>
      openBrowserGateway(app, {
        media: createBrowserMedia({
          host: config.WEB_MEDIA_HOST || config.MEDIA_HOST,
          // A port of UDP cannot be shared: every engine has the next one.
          port: config.WEB_MEDIA_PORT === 0 ? 0 : config.WEB_MEDIA_PORT + (index ?? 0),
          announcedAddress: config.WEB_MEDIA_ADDRESS,
          clock,
          log,
        }),
        tokenSecret: config.MEDIA_TOKEN_SECRET,
        ...shared,
        clock,
        log,
        onStream: (stream) => engine.acceptStream(stream),
        captures: config.TAPES_DIR !== '',
        ready,
        relay,
      }),
    awaitsStream: (callId) => engine.awaitsStream(callId),
    captures: config.TAPES_DIR !== '',
    ready,
    metrics: () => (peers ? combinedMetrics() : { ...engine.load(), lag_counts: [...mediaClock.lagCounts] }),
    peers: relay && { relay, ready: () => (peers?.headroom() ?? 0) > 0 },
  });
  log.info({ port: server.port, engine_id: engineId }, 'media is ready');

  /** What the siblings told is a second old at most. */
  function combinedMetrics(): object {
    const own = { engine_id: engineId, pid: process.pid, private_port: server.privatePort, load: load() };
    const all = [own, ...(peers?.all() ?? [])];
    return {
      ...combineLoads(all.map((each) => each.load)),
      engines: all.map(({ load: { lag_counts: _counts, ...rest }, ...engine }) => ({ ...engine, ...rest })),
    };
  }

  let shuttingDown = false;
  let exitCode = 0;
  const shutDown = async (why: string, patienceMs: number, all: boolean) => {
    shuttingDown = true;
    log.info({ why }, 'media is leaving');
    // A connection that comes goes to a sibling then, as long as there is one to take it.
    if (!all && peers && peers.headroom() > 0) server.closePublicPort();
    try {
      await Promise.all([engine.drain(patienceMs), relay?.drained(patienceMs)]);
    } catch (error) {
      log.error({ error: errorText(error) }, 'the calls could not be led out in order');
    }
    const parts: ShutdownStep[] = [
      ['recordings', () => recordings.close(RECORDINGS_DEADLINE_MS)],
      ['server', () => server.close()],
      ['health', () => health.close()],
      ['places', () => permits.close()],
      ['metronome', () => mediaClock.stop()],
      ['voice activity', () => vad.close()],
      ['turn model', () => providerFactory.turnDetector?.close()],
      ['bus', () => bus.close()],
    ];
    await closeInOrder(parts, { withinMs: CLOSE_DEADLINE_MS, clock, log });
    process.exit(exitCode);
  };
  process.on(
    'uncaughtException',
    createUncaughtErrorHandler({
      clock,
      log,
      shutDown() {
        exitCode = 1;
        if (!shuttingDown) void shutDown('a mistake of ours', config.DRAIN_SECONDS * 1_000, false);
      },
      exit: () => process.exit(1),
    }),
  );
  let signals = 0;
  const shutDownOnSignal = (why: string, patienceMs: number) => {
    // Whoever asks twice has no patience. The supervisor asks as well, and does not count.
    if (++signals > 1) process.exit(1);
    if (!shuttingDown) void shutDown(why, patienceMs, false);
  };
  process.on('SIGTERM', () => shutDownOnSignal('SIGTERM', config.DRAIN_SECONDS * 1_000));
  process.on('SIGINT', () => shutDownOnSignal('SIGINT', 0));
  if (index !== null) {
    // A terminal that closes tells the whole group; to replace engines is the supervisor's business.
    process.on('SIGHUP', () => {});
    peers = joinPeerProcesses(process, {
      engineId,
      privatePort: server.privatePort,
      load,
      onShutDown(patienceMs, all) {
        if (!shuttingDown) void shutDown('the supervisor', patienceMs, all);
      },
      onSupervisorGone() {
        if (!shuttingDown) void shutDown('the supervisor is gone', config.DRAIN_SECONDS * 1_000, true);
      },
    });
  }
  watchParent(() => shutDownOnSignal('the parent is gone', 0));

  /** The bus may start after us: it gets 30 seconds. */
  async function connectWithRetry() {
    const deadlineMs = clock.now() + 30_000;
    for (;;) {
      try {
        return await connectBus({ url: config.NATS_URL, name: `media ${engineId}`, log });
      } catch (error) {
        if (clock.now() > deadlineMs) throw new Error(`no bus at ${config.NATS_URL}: ${errorText(error)}`);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }
}

/** By the event loop's own account: what it did not spend waiting. */
function createThreadUtilization(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return Number.isFinite(utilization) ? utilization : 0;
  };
}
