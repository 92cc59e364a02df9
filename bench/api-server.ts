import fastify from 'fastify';
import { buildApp } from '../control/app.ts';
import { readControlConfig } from '../control/config.ts';
import { connectDatabase } from '../control/db/connect.ts';
import { onePool } from '../control/db/pools.ts';
import type { Bus } from '../shared/bus/bus.ts';
import { systemClock } from '../shared/clock.ts';
import { createLogger } from '../shared/log.ts';

/**
 * What api-process.ts starts: the API as in control/main.ts, without engines, and a bare Fastify route that responds with a given
 * payload. Controlled by its parent.
 */

const config = readControlConfig(process.env);
const sql = connectDatabase({ url: config.DATABASE_URL, name: 'bench' });
let statements = 0;
sql.options.debug = () => void statements++;
const bus: Partial<Bus> = { connected: () => true };
const log = createLogger('control', 'error');
const app = await buildApp({ pools: onePool(sql), bus: bus as Bus, clock: systemClock, log, config });
const api = await app.http.listen({ host: '127.0.0.1', port: 0 });

let payload: unknown = {};
const bareApp = fastify({ logger: false });
bareApp.put('/bare', async (request) => {
  payload = request.body;
  return {};
});
bareApp.get('/bare', async () => payload);
const bare = await bareApp.listen({ host: '127.0.0.1', port: 0 });

process.send?.({ api, bare });
// CPU time is more reliable than wall time on a shared machine.
process.on('message', () => {
  process.send?.({ cpu_us: process.cpuUsage().user + process.cpuUsage().system, statements });
});
process.on('disconnect', () => process.exit(0));
