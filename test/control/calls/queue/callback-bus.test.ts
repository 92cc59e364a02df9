import { afterAll, beforeAll, expect, it } from 'vitest';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { handleBookCallback } from '../../../../control/calls/queue/book-callback.ts';
import { type Bus, connectBus } from '../../../../shared/bus/bus.ts';
import { createBookCallback, runRescheduleTool } from '../../../../shared/reply/reschedule-tool.ts';
import { startTestNats } from '../../../support/nats.ts';
import { type CallFixture, createCallFixture, delivered, log, wholeCall } from '../call-fixture.ts';

let fixture: CallFixture;
let engine: Bus;
let control: Bus;

beforeAll(async () => {
  fixture = await createCallFixture();
  const nats = await startTestNats();
  engine = await connectBus({ url: nats.url, name: 'engine', log });
  control = await connectBus({ url: nats.url, name: 'control', log });
});
afterAll(() => Promise.all([engine.close(), control.close()]));

it("the agent's tool books over the bus, and gets an error when no control process is there", async () => {
  const tenant = await fixture.tenant(5, { call: { auto_reschedule: true } });
  const call = await fixture.opened(tenant);
  await ingest({ sql: fixture.sql, clock: fixture.clock, log }, [delivered(wholeCall(call.id)[0]!)]);
  const book = createBookCallback(engine, call.id, { auto_reschedule: true })!;
  const day = new Date(Date.now() + 3 * 24 * 3_600_000).toISOString().slice(0, 10);
  const toolCall = {
    id: 'c1',
    name: 'reschedule_call',
    arguments: JSON.stringify({ when: `${day}T11:00`, note: 'x' }),
  };

  expect(await runRescheduleTool(toolCall, book)).toMatchObject({ status: 0 });
  control.serveCallbacks((request) => handleBookCallback({ sql: fixture.sql, clock: fixture.clock, log }, request));
  // NATS must have the subscription first.
  await expect
    .poll(() => runRescheduleTool(toolCall, book))
    .toEqual({ status: 200, result: expect.stringMatching(/^The call back is booked: .* 11:00 \(Asia\/Kolkata\)\.$/) });
  expect(await fixture.read((await fixture.read(call.id)).rescheduled_to!)).toMatchObject({ status: 'queued' });
  const past = { ...toolCall, arguments: '{"when":"2020-01-01T11:00"}' };
  await expect
    .poll(() => runRescheduleTool(past, book))
    .toEqual({ status: 409, result: 'The call back is not booked: that time has passed.' });
  expect(createBookCallback(engine, call.id, { auto_reschedule: false })).toBeUndefined();
});
