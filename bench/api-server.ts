import fastify from 'fastify';
import { buildApp } from '../control/app.ts';
import { readControlConfig } from '../control/config.ts';
import { connectDatabase } from '../control/db/connect.ts';
import type { Bus } from '../shared/bus/bus.ts';
import { systemClock } from '../shared/clock.ts';
import { createLogger } from '../shared/log.ts';

/**
 * What bench/api.ts measures, as a process of its own: the API as control/main.ts runs it, without engines to talk to, and beside it
 * a bare Fastify route that answers a payload it is given. Told by its parent, ended by it.
 */

const config = readControlConfig(process.env);
const sql = connectDatabase({ url: config.DATABASE_URL, name: 'bench' });
const bus: Partial<Bus> = { connected: () => true };
const log = createLogger('control', 'error');
const app = await buildApp({ sql, bus: bus as Bus, clock: systemClock, log, config });
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
// Processor time tells more than the clock on a machine that others use too.
process.on('message', () => process.send?.({ cpu_us: process.cpuUsage().user + process.cpuUsage().system }));
process.on('disconnect', () => process.exit(0));
