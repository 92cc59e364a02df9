import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createEngineRegistry } from '../../../../control/calls/engines/engine-registry.ts';
import { startIngest } from '../../../../control/calls/events/ingest.ts';
import { createReaper } from '../../../../control/calls/lifecycle/reaper.ts';
import { carrierUrls } from '../../../../control/carriers/carrier-urls.ts';
import { startDispatcher } from '../../../../control/dispatch/dispatcher.ts';
import type { ManagedServer } from '../../../../dev/managed-server.ts';
import { startPostgres } from '../../../../dev/postgres.ts';
import { type Bus, connectBus } from '../../../../shared/bus/bus.ts';
import { makeFastFolder } from '../../../support/fast-folder.ts';
import { startTestNats } from '../../../support/nats.ts';
import { copyPreparedPostgres } from '../../../support/prepared-postgres.ts';
import { type CallFixture, createCallFixture, createTestCarrier, log, wholeCall } from '../call-fixture.ts';

let server: ManagedServer;
let fixture: CallFixture;
let bus: Bus;
const folder = makeFastFolder('antiphon-restart-');

beforeAll(async () => {
  await copyPreparedPostgres(join(folder, 'postgres'));
  server = await startPostgres({ dataDir: join(folder, 'postgres'), unsafeButFast: true });
  fixture = await createCallFixture(server);
  const { url } = await startTestNats();
  bus = await connectBus({ url, name: 'control', log, streamTimeoutMs: 60_000 });
  await bus.prepare();
});
afterAll(async () => {
  await bus.close();
  await fixture.sql.end({ timeout: 2 });
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 100 });

it('loses no event, no call and no dial when PostgreSQL is restarted', async () => {
  const { sql, clock } = fixture;
  const tenant = await fixture.tenant(10);
  const call = await fixture.opened(tenant);
  const { carriers, dialled } = createTestCarrier();
  const ingesting = startIngest(bus, { sql, clock, log });
  const reaper = createReaper({ sql, clock, log, bus, carriers, times: { interval_ms: 100 } });
  reaper.start();
  const addresses = carrierUrls('http://127.0.0.1:1', 'ws://127.0.0.1:2');
  const where = { addresses, streamUrl: () => '', engines: createEngineRegistry('', clock) };
  const dispatcher = startDispatcher({ sql, clock, log, carriers, ...where, intervalMs: 200 });
  const events = wholeCall(call.id);
  for (const event of events.slice(0, 2)) await bus.publishEvent(event);
  await eventually(async () => expect((await fixture.read(call.id)).media_seq).toBe(2));

  const restarted = server.restart();
  for (const event of events.slice(2)) await bus.publishEvent(event);
  bus.sendHeartbeat({ engine_id: 'engine-1', at_ms: Date.now(), call_ids: [call.id] });
  await restarted;

  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('completed'));
  const written = await sql`select source_seq from call_events where call_id = ${call.id} and source = 'media'`;
  expect(written.map(({ source_seq }) => source_seq).sort()).toEqual([1, 2, 3, 4, 5]);
  await fixture.queue(tenant);
  await eventually(async () => expect(dialled).toHaveLength(1));
  await dispatcher.stop();
  await reaper.stop();
  await ingesting.stop();
});
