import { fileURLToPath } from 'node:url';
import { systemClock } from '../shared/clock.ts';
import { createLogger, errorText } from '../shared/log.ts';
import { watchParent } from '../shared/parent-watch.ts';
import { readMediaConfig } from './config.ts';
import { ENGINE_INDEX, startSupervisor } from './supervisor.ts';

/** The media program: one engine, or with `MEDIA_PROCESSES` the supervisor of several. */

const config = (() => {
  try {
    return readMediaConfig();
  } catch (error) {
    console.error(`media cannot start: ${errorText(error)}`);
    process.exit(1);
  }
})();
const log = createLogger('media', config.LOG_LEVEL);

process.on('unhandledRejection', (error) => log.error({ error: errorText(error) }, 'a mistake of ours went unhandled'));

try {
  const place = process.env[ENGINE_INDEX];
  if (place === undefined && config.MEDIA_PROCESSES > 1) {
    await supervise();
  } else {
    // A supervisor needs nothing of what this brings into memory.
    const { runEngine } = await import('./engine-process.ts');
    await runEngine(config, log, place === undefined ? null : Number(place));
  }
} catch (error) {
  log.fatal({ error: errorText(error) }, 'media cannot start');
  process.exit(1);
}

async function supervise(): Promise<void> {
  if (config.MEDIA_PORT === 0) throw new Error('several engines need a MEDIA_PORT to share');
  const drainMs = config.DRAIN_SECONDS * 1_000;
  const supervisor = startSupervisor({
    processes: config.MEDIA_PROCESSES,
    program: fileURLToPath(import.meta.url),
    drainMs,
    clock: systemClock,
    log,
  });
  let leaving = false;
  const leave = async (why: string, patienceMs: number) => {
    if (leaving) {
      supervisor.kill();
      process.exit(1);
    }
    leaving = true;
    log.info({ why }, 'media is leaving');
    await supervisor.shutDown(patienceMs);
    process.exit(0);
  };
  process.on('SIGTERM', () => void leave('SIGTERM', drainMs));
  process.on('SIGINT', () => void leave('SIGINT', 0));
  process.on('SIGHUP', () => void supervisor.replaceAll());
  watchParent(() => void leave('the parent is gone', 0));
  try {
    await supervisor.ready();
  } catch (error) {
    supervisor.kill();
    throw error;
  }
  log.info({ port: config.MEDIA_PORT, processes: config.MEDIA_PROCESSES }, 'media is ready');
}
