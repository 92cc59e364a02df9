import { startRunWorker } from '../../control/agent-tests/run-worker.ts';
import { readControlConfig } from '../../control/config.ts';
import { connectDatabase } from '../../control/db/connect.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { createMemoryStore } from './memory-store.ts';

/** A process that carries out the runs of agent tests as control does: `<database> <model's URL> <its key>`. */
const [url = '', modelUrl = '', modelKey = ''] = process.argv.slice(2);

startRunWorker({
  ...{ sql: connectDatabase({ url, max: 2 }), clock: systemClock, log: createLogger('control', 'silent') },
  settings: readControlConfig({
    ...{ DATABASE_URL: url, MEDIA_TOKEN_SECRET: 'a secret of the tests', RECORDINGS_DIR: 'x' },
    ...{ OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: modelKey },
  }),
  ...{ testModel: null, bus: {} as never, recordings: createMemoryStore(), writeLog: () => {} },
  searchKnowledge: async () => ({ items: [], hits: 0, embed_ms: 0, search_ms: 0 }),
  times: { interval_ms: 100, lease_ms: 60_000 },
});
process.send?.('ready');
