import { beforeAll, expect, it } from 'vitest';
import { createEngineRegistry } from '../../../control/calls/engines/engine-registry.ts';
import { carrierUrls } from '../../../control/carriers/carrier-urls.ts';
import { wakeUpsOf } from '../../../control/db/connect.ts';
import { shareWakeUps } from '../../../control/db/wake-ups.ts';
import { startDispatcher } from '../../../control/dispatch/dispatcher.ts';
import { connectBus } from '../../../shared/bus/bus.ts';
import { afterFile } from '../../support/after-file.ts';
import { startTestNats } from '../../support/nats.ts';
import { until } from '../../support/until.ts';
import { type CallFixture, createCallFixture, createTestCarrier, log } from '../calls/call-fixture.ts';

/** Longer than the test may last: waiting for a poll fails the test. */
const NEVER_MS = 3_600_000;

let placing: CallFixture;
let dialling: CallFixture;
let nats: Awaited<ReturnType<typeof startTestNats>>;
const carrier = createTestCarrier();

/** What a process shares with the others: the database and the bus. */
async function startProcess(name: string, given?: { url: string }): Promise<CallFixture> {
  const fixture = await createCallFixture(given);
  const bus = await connectBus({ url: nats.url, name, log });
  const shared = shareWakeUps(wakeUpsOf(fixture.sql), { bus, clock: fixture.clock, log });
  // The bus has the subscription when it answers.
  await bus.prepare();
  afterFile(async () => {
    shared.stop();
    await bus.close();
  });
  return fixture;
}

beforeAll(async () => {
  nats = await startTestNats();
  placing = await startProcess('placing');
  dialling = await startProcess('dialling', placing);
  const { sql, clock } = dialling;
  const dispatcher = startDispatcher({
    ...{ sql, clock, log, carriers: carrier.carriers, intervalMs: NEVER_MS, streamUrl: () => '' },
    addresses: carrierUrls('http://127.0.0.1:1', 'ws://127.0.0.1:2'),
    engines: createEngineRegistry('ws://127.0.0.1:2', clock),
  });
  afterFile(() => dispatcher.stop());
});

it('a call that one process places is dialled by another one at once', async () => {
  const tenant = await placing.tenant();
  // The first may be found by the dispatcher's first look.
  for (const count of [1, 2]) {
    await placing.queue(tenant);
    await until(() => carrier.dialled.length === count, `dial ${count}`, 60_000);
  }
});

it('a call is placed although the bus is away', async () => {
  const tenant = await placing.tenant();
  await nats.stop();
  const call = await placing.queue(tenant);
  await nats.restart();
  expect(await placing.read(call.id)).toMatchObject({ status: 'queued' });
});
