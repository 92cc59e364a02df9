import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ingest, startIngest } from '../../../../control/calls/events/ingest.ts';
import { type Bus, connectBus } from '../../../../shared/bus/bus.ts';
import { startTestNats } from '../../../support/nats.ts';
import { type CallFixture, createCallFixture, log, type Tenant, wholeCall } from '../call-fixture.ts';

/** Two control processes on one bus and one database. */

let fixture: CallFixture;
let tenant: Tenant;
let buses: [engine: Bus, first: Bus, second: Bus];

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100);
  const { url } = await startTestNats();
  buses = await Promise.all([
    connectBus({ url, name: 'engine', log, streamTimeoutMs: 60_000 }),
    connectBus({ url, name: 'first control', log }),
    connectBus({ url, name: 'second control', log }),
  ]);
  await buses[1].prepare();
});
afterAll(() => Promise.all(buses.map((bus) => bus.close())));

const deps = () => ({ sql: fixture.sql, clock: fixture.clock, log });

/** A control process that has received a call's first event, and writes it only after `goOn`. */
async function holdFirstEvent(bus: Bus) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let held = 0;
  const consumer = bus.consumeEvents('control', 1, async (events) => {
    held += events.length;
    await released;
    await ingest(deps(), events);
  });
  await vi.waitFor(() => expect(held).toBe(1), { timeout: 60_000 });
  const stopped = consumer.stop();
  return {
    async goOn() {
      release();
      await stopped;
    },
  };
}

it('applies events in order after an outage of 40 seconds, also those that another process holds', async () => {
  const [engine, first, second] = buses;
  const call = await fixture.opened(tenant);
  const [started, ...rest] = wholeCall(call.id);
  await engine.publishEvent(started!);
  const held = await holdFirstEvent(first);
  for (const event of rest) await engine.publishEvent(event);
  fixture.clock.shift(40_000);
  const other = startIngest(second, deps());
  await vi.waitFor(async () => expect((await fixture.read(call.id)).media_seq).toBe(5), { timeout: 60_000 });
  await held.goOn();
  await other.stop();

  const after = await fixture.read(call.id);
  expect(after).toMatchObject({ status: 'completed', duration_seconds: 12 });
  expect(after.cost_paise).toBeGreaterThan(0);
  const written = await fixture.sql<{ source_seq: number }[]>`
    select source_seq from call_events where call_id = ${call.id} and source = 'media' order by seq`;
  expect(written.map(({ source_seq }) => source_seq)).toEqual([1, 2, 3, 4, 5]);
});
