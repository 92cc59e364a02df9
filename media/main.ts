import { mkdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { connectBus } from '../shared/bus/bus.ts';
import { systemClock } from '../shared/clock.ts';
import { newId } from '../shared/ids.ts';
import { createLogger, errorText } from '../shared/log.ts';
import { watchParent } from '../shared/parent-watch.ts';
import { createAdmission } from './admission.ts';
import { createEquipment } from './call/equipment.ts';
import { readMediaConfig } from './config.ts';
import { createEngine } from './engine.ts';
import { createMetronome } from './playout/metronome.ts';
import { createHealth } from './provider/health.ts';
import { createPlaces } from './provider/places.ts';
import { warmUpWords } from './reply/warm-up.ts';
import { startServer } from './server.ts';
import { loadVad } from './turn/vad.ts';

/** The media engine as a process: starts, says so in one line, and leaves in order. */

const config = (() => {
  try {
    return readMediaConfig();
  } catch (error) {
    console.error(`media cannot start: ${errorText(error)}`);
    process.exit(1);
  }
})();
const log = createLogger('media', config.LOG_LEVEL);
const clock = systemClock;
const engineId = newId();

process.on('unhandledRejection', (error) => log.error({ error: errorText(error) }, 'a mistake of ours went unhandled'));

try {
  await mkdir(config.RECORDINGS_DIR, { recursive: true });
  const bus = await connectPatiently();
  await bus.prepare();
  const vad = await loadVad({ clock, log });
  const metronome = createMetronome(clock, (error) =>
    log.error({ error: errorText(error) }, 'a call stumbled on a beat'),
  );
  const equipment = await createEquipment({ config, clock, log, bus });
  const places = createPlaces({ board: bus.places, limits: config.PROVIDER_LIMITS, clock, log });
  const health = createHealth({ clock, log });
  const engine = createEngine({
    id: engineId,
    bus,
    equipment,
    places,
    health,
    vad,
    metronome,
    admission: createAdmission({ maxCalls: config.MAX_CALLS, judges: config.ADMISSION === 'judged' }),
    busyShare: createBusyShare(),
    recordingsDir: config.RECORDINGS_DIR,
    clock,
    log,
  });
  warmUpWords();
  const server = await startServer({
    host: config.MEDIA_HOST,
    port: config.MEDIA_PORT,
    tokenSecret: config.MEDIA_TOKEN_SECRET,
    clock,
    log,
    onStream: (stream) => engine.take(stream),
    awaits: (callId) => engine.awaits(callId),
    ready: () => engine.accepting() && bus.connected(),
    metrics: () => ({ ...engine.load(), lag_counts: [...metronome.lagCounts] }),
  });
  log.info({ port: server.port, engine_id: engineId }, 'media is ready');

  let leaving = false;
  const leave = async (why: string, patienceMs: number) => {
    if (leaving) process.exit(1);
    leaving = true;
    log.info({ why }, 'media is leaving');
    await engine.drain(patienceMs);
    await server.close();
    health.close();
    await places.close();
    metronome.stop();
    await vad.close();
    await equipment.turnModel?.close();
    await bus.close();
    process.exit(0);
  };
  process.on('SIGTERM', () => void leave('SIGTERM', config.DRAIN_SECONDS * 1_000));
  process.on('SIGINT', () => void leave('SIGINT', 0));
  watchParent(() => void leave('the parent is gone', 0));
} catch (error) {
  log.fatal({ error: errorText(error) }, 'media cannot start');
  process.exit(1);
}

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
