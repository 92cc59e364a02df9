import { mkdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { connectBus } from '../shared/bus/bus.ts';
import { systemClock } from '../shared/clock.ts';
import { type Closing, closeInOrder } from '../shared/closing.ts';
import { newId } from '../shared/ids.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { watchParent } from '../shared/parent-watch.ts';
import { openRecordingStore } from '../shared/recordings/store-settings.ts';
import { createAdmission } from './admission.ts';
import { createEquipment } from './call/equipment.ts';
import type { MediaConfig } from './config.ts';
import { createEngine } from './engine.ts';
import { createBrowserMedia } from './leg/browser-media.ts';
import { createMetronome } from './playout/metronome.ts';
import { createHealth } from './provider/health.ts';
import { createPlaces } from './provider/places.ts';
import { createRelay } from './relay.ts';
import { warmUpWords } from './reply/warm-up.ts';
import { createPieceWriter } from './report/piece-writer.ts';
import { startServer } from './server.ts';
import { type EngineLoad, joinSiblings, loadOfAll, type Siblings, shortCounts } from './siblings.ts';
import { rankThreads } from './thread-ranks.ts';
import { loadVad } from './turn/vad.ts';
import { createUncaught } from './uncaught.ts';
import { openWebDoor } from './web-door.ts';

/** What is not stored when we leave is lost. */
const RECORDINGS_WITHIN_MS = 5_000;
/** Of each part. What takes longer hangs, and would keep this process for ever. */
const CLOSES_WITHIN_MS = RECORDINGS_WITHIN_MS + 1_000;

/**
 * One media engine as this process: starts, says so in one line, and leaves in order. Rejects when it cannot start. What is
 * thrown and not caught makes it leave as on SIGTERM, with exit code 1, so that whoever supervises starts another.
 *
 * @param place among the engines that share the port, from 0; null when it is alone.
 */
export async function runEngine(config: MediaConfig, log: Logger, place: number | null): Promise<void> {
  const clock = systemClock;
  const engineId = newId();
  const recordings = createPieceWriter({ store: openRecordingStore(config, clock), clock, log });
  if (config.TAPES_DIR !== '') await mkdir(config.TAPES_DIR, { recursive: true, mode: 0o700 });
  const bus = await connectPatiently();
  await bus.prepare();
  const vad = await loadVad({ clock, log });
  const metronome = createMetronome(clock, (error) =>
    log.error({ error: errorText(error) }, 'a call stumbled on a beat'),
  );
  const equipment = await createEquipment({ config, clock, log, bus });
  const places = createPlaces({ board: bus.places, limits: config.PROVIDER_LIMITS, clock, log });
  const health = createHealth({ clock, log });
  let siblings: Siblings | null = null;
  const engine = createEngine({
    id: engineId,
    publicUrl: config.PUBLIC_ENGINE_URL,
    bus,
    equipment,
    places,
    health,
    vad,
    metronome,
    admission: createAdmission({ maxCalls: config.MAX_CALLS, judges: config.ADMISSION === 'judged' }),
    busyShare: createBusyShare(),
    tapesDir: config.TAPES_DIR,
    onCall: (callId, here) => siblings?.tellCall(callId, here),
    recordings,
    clock,
    log,
  });
  warmUpWords();
  rankThreads(log);
  const ready = () => engine.accepting() && bus.connected();
  const relay =
    place === null
      ? undefined
      : createRelay({
          siblings: {
            holderOf: (callId) => siblings?.holderOf(callId) ?? null,
            withRoom: () => siblings?.withRoom() ?? [],
          },
          isHere: engine.holds,
          ready,
          tokenSecret: config.MEDIA_TOKEN_SECRET,
          clock,
          log,
        });
  const load = (): EngineLoad => {
    const own = engine.load();
    const room = bus.connected() ? own.room : 0;
    return { ...own, room, lag_counts: shortCounts(metronome.lagCounts), relayed: relay?.streams ?? 0 };
  };
  const server = await startServer({
    host: config.MEDIA_HOST,
    port: config.MEDIA_PORT,
    tokenSecret: config.MEDIA_TOKEN_SECRET,
    clock,
    log,
    onStream: (stream) => engine.take(stream),
    web: (app, shared) =>
      openWebDoor(app, {
        media: createBrowserMedia({
          host: config.WEB_MEDIA_HOST || config.MEDIA_HOST,
          // A port of UDP cannot be shared: every engine has the next one.
          port: config.WEB_MEDIA_PORT === 0 ? 0 : config.WEB_MEDIA_PORT + (place ?? 0),
          announced: config.WEB_MEDIA_ADDRESS,
          clock,
          log,
        }),
        tokenSecret: config.MEDIA_TOKEN_SECRET,
        ...shared,
        clock,
        log,
        onStream: (stream) => engine.take(stream),
        tapes: config.TAPES_DIR !== '',
        ready,
        relay,
      }),
    awaits: (callId) => engine.awaits(callId),
    tapes: config.TAPES_DIR !== '',
    ready,
    metrics: () => (siblings ? metricsOfAll() : { ...engine.load(), lag_counts: [...metronome.lagCounts] }),
    siblings: relay && { relay, ready: () => (siblings?.room() ?? 0) > 0 },
  });
  log.info({ port: server.port, engine_id: engineId }, 'media is ready');

  /** What the siblings told is a second old at most. */
  function metricsOfAll(): object {
    const own = { engine_id: engineId, pid: process.pid, private_port: server.privatePort, load: load() };
    const all = [own, ...(siblings?.all() ?? [])];
    return {
      ...loadOfAll(all.map((each) => each.load)),
      engines: all.map(({ load: { lag_counts: _counts, ...rest }, ...engine }) => ({ ...engine, ...rest })),
    };
  }

  let leaving = false;
  let exitCode = 0;
  const leave = async (why: string, patienceMs: number, all: boolean) => {
    leaving = true;
    log.info({ why }, 'media is leaving');
    // A connection that comes goes to a sibling then, as long as there is one to take it.
    if (!all && siblings && siblings.room() > 0) server.leavePort();
    try {
      await Promise.all([engine.drain(patienceMs), relay?.drained(patienceMs)]);
    } catch (error) {
      log.error({ error: errorText(error) }, 'the calls could not be led out in order');
    }
    const parts: Closing[] = [
      ['recordings', () => recordings.close(RECORDINGS_WITHIN_MS)],
      ['server', () => server.close()],
      ['health', () => health.close()],
      ['places', () => places.close()],
      ['metronome', () => metronome.stop()],
      ['voice activity', () => vad.close()],
      ['turn model', () => equipment.turnModel?.close()],
      ['bus', () => bus.close()],
    ];
    await closeInOrder(parts, { withinMs: CLOSES_WITHIN_MS, clock, log });
    process.exit(exitCode);
  };
  process.on(
    'uncaughtException',
    createUncaught({
      clock,
      log,
      leave() {
        exitCode = 1;
        if (!leaving) void leave('a mistake of ours', config.DRAIN_SECONDS * 1_000, false);
      },
      end: () => process.exit(1),
    }),
  );
  let signals = 0;
  const leaveOnSignal = (why: string, patienceMs: number) => {
    // Whoever asks twice has no patience. The supervisor asks as well, and does not count.
    if (++signals > 1) process.exit(1);
    if (!leaving) void leave(why, patienceMs, false);
  };
  process.on('SIGTERM', () => leaveOnSignal('SIGTERM', config.DRAIN_SECONDS * 1_000));
  process.on('SIGINT', () => leaveOnSignal('SIGINT', 0));
  if (place !== null) {
    // A terminal that closes tells the whole group; to replace engines is the supervisor's business.
    process.on('SIGHUP', () => {});
    siblings = joinSiblings(process, {
      engineId,
      privatePort: server.privatePort,
      load,
      onLeave(patienceMs, all) {
        if (!leaving) void leave('the supervisor', patienceMs, all);
      },
      onAlone() {
        if (!leaving) void leave('the supervisor is gone', config.DRAIN_SECONDS * 1_000, true);
      },
    });
  }
  watchParent(() => leaveOnSignal('the parent is gone', 0));

  /** The bus may start after us: it gets 30 seconds. */
  async function connectPatiently() {
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
function createBusyShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return Number.isFinite(utilization) ? utilization : 0;
  };
}
