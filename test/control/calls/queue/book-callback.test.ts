import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { handleBookCallback } from '../../../../control/calls/queue/book-callback.ts';
import type { AgentInput } from '../../../../shared/agent.ts';
import { newId } from '../../../../shared/ids.ts';
import { createAfterCallFixture } from '../after-call/after-call-fixture.ts';
import { type CallFixture, createCallFixture, delivered, log, type Tenant, wholeCall } from '../call-fixture.ts';

let fixture: CallFixture;
let after: Awaited<ReturnType<typeof createAfterCallFixture>>;

const BOOKS: AgentInput['call'] = { auto_reschedule: true, timezone: 'UTC' };
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  fixture = await createCallFixture();
  after = await createAfterCallFixture(fixture);
});

beforeEach(() => {
  after.said.answers = {};
  after.simulator.setMode('normal');
  after.asked.length = 0;
});

/** The agent's local time (UTC) this many hours from now, on the minute. */
const inHours = (hours: number) => new Date(fixture.clock.wall() + hours * HOUR_MS).toISOString().slice(0, 16);

async function live(tenant: Tenant, fields: Partial<CallRow> = {}): Promise<CallRow> {
  const call = await fixture.opened(tenant);
  await ingest({ sql: fixture.sql, clock: fixture.clock, log }, [delivered(wholeCall(call.id)[0]!)]);
  if (Object.keys(fields).length > 0)
    await fixture.sql`update calls set ${fixture.sql(fields as never)} where id = ${call.id}`;
  return fixture.read(call.id);
}

const book = (call: CallRow, when: string, note = 'about shoes') =>
  handleBookCallback({ sql: fixture.sql, clock: fixture.clock, log }, { call_id: call.id, when, note });

const callbackOf = async (call: CallRow) => fixture.read((await fixture.read(call.id)).rescheduled_to ?? '');
const rescheduled = async (call: CallRow) =>
  (await fixture.timeline(call)).filter(({ type }) => type === 'call.rescheduled');

describe("the agent's tool", () => {
  it('books a call of its own, which waits until its time', async () => {
    const tenant = await fixture.tenant(5, { call: BOOKS });
    const call = await live(tenant, { user_data: { name: 'Ravi', age: 40 } });
    const when = inHours(30);
    const reply = await book(call, when);
    expect(reply).toEqual({
      booked: true,
      message: expect.stringMatching(/^\w+day, \d+ \w+ \d{4}, \d\d:\d\d \(UTC\)$/),
    });
    const next = await callbackOf(call);
    const at = new Date(`${when}:00Z`);
    expect(next).toMatchObject({
      status: 'queued',
      direction: 'outbound',
      channel: 'phone',
      agent_id: tenant.agent_id,
      to_number: call.to_number,
      from_number: call.from_number,
      user_data: { name: 'Ravi', age: 40 },
      started_by: call.started_by,
      not_before_at: at,
      queued_at: at,
      rescheduled_from: call.id,
      rescheduled_to: null,
    });
    const [queued, ...more] = await fixture.timeline(next);
    const data = { position: 1, by: call.started_by, rescheduled_from: call.id };
    expect([queued, more]).toMatchObject([{ type: 'call.queued', data }, []]);
    const [event] = await rescheduled(call);
    expect(event).toMatchObject({
      level: 'info',
      data: { call_id: next.id, at: at.toISOString().replace('Z', '+00:00'), source: 'tool', note: 'about shoes' },
    });
  });

  it('books once for the same time, and moves a queued callback to another', async () => {
    const call = await live(await fixture.tenant(5, { call: BOOKS }));
    const first = inHours(30);
    expect(await Promise.all([book(call, first), book(call, first)])).toMatchObject([
      { booked: true },
      { booked: true },
    ]);
    const next = await callbackOf(call);
    const second = inHours(50);
    expect(await book(call, second)).toMatchObject({ booked: true });
    expect(await callbackOf(call)).toMatchObject({ id: next.id, not_before_at: new Date(`${second}:00Z`) });
    expect(await rescheduled(call)).toHaveLength(2);
    const [{ count }] = await fixture.sql<[{ count: number }]>`
      select count(*)::integer as count from calls where rescheduled_from = ${call.id}`;
    expect(count).toBe(1);
    await fixture.sql`update calls set status = 'ringing' where id = ${next.id}`;
    expect(await book(call, inHours(60))).toEqual({ booked: false, message: 'the call back was made already' });
  });

  it('calls an inbound caller back on the number they called from', async () => {
    const tenant = await fixture.tenant(5, { call: BOOKS });
    const call = await live(tenant, { direction: 'inbound', from_number: '+919899999999', to_number: tenant.number });
    expect((await book(call, inHours(2))).booked).toBe(true);
    expect(await callbackOf(call)).toMatchObject({
      direction: 'outbound',
      to_number: '+919899999999',
      from_number: tenant.number,
    });
  });

  it.each<[string, AgentInput['call'], Partial<CallRow>, () => string, string]>([
    ['an agent that books none', {}, {}, () => inHours(2), 'call backs are not booked here'],
    ['a time that has passed', BOOKS, {}, () => inHours(-2), 'that time has passed'],
    [
      'a time too far ahead',
      { ...BOOKS, reschedule_max_days: 2 },
      {},
      () => inHours(50),
      'that is too late: at most 2 days ahead',
    ],
    ['words', BOOKS, {}, () => 'tomorrow', 'the time cannot be read; write it as YYYY-MM-DDTHH:MM'],
    [
      'a withheld number',
      BOOKS,
      { direction: 'inbound', from_number: '' },
      () => inHours(2),
      'the number of the caller is not known',
    ],
    ['a browser', BOOKS, { channel: 'web' }, () => inHours(2), 'there is no telephone number to call'],
    ['a call that is over', BOOKS, { status: 'completed' }, () => inHours(2), 'the call is over'],
  ])('refuses %s', async (_, settings, fields, when, words) => {
    const call = await live(await fixture.tenant(5, { call: settings }), fields);
    expect(await book(call, when())).toEqual({ booked: false, message: words });
    expect((await fixture.read(call.id)).rescheduled_to).toBe(null);
    expect(await rescheduled(call)).toEqual([]);
  });

  it('refuses unknown calls', async () => {
    const stranger = { id: newId() } as CallRow;
    expect(await book(stranger, inHours(2))).toEqual({ booked: false, message: 'the call is over' });
    expect(await book({ id: "x' or 1=1" } as CallRow, inHours(2))).toMatchObject({ booked: false });
  });

  it('books at most three callbacks in a chain', async () => {
    const tenant = await fixture.tenant(20, { call: BOOKS });
    let call = await live(tenant);
    for (let made = 0; made < 3; made++) {
      expect(await book(call, inHours(2 + made))).toMatchObject({ booked: true });
      const next = await callbackOf(call);
      await fixture.sql`update calls set status = 'in-progress' where id = ${next.id}`;
      call = await fixture.read(next.id);
    }
    expect(await book(call, inHours(9))).toEqual({ booked: false, message: 'at most 3 call backs follow one call' });
  });
});

describe('the check after the call', () => {
  const TALK = ['agent: Hello', 'user: call me again later please'];
  const answer = (when: string) => JSON.stringify({ asked: true, when, note: 'wants the list' });

  async function finished(tenant: Tenant): Promise<CallRow> {
    const call = await after.talked(tenant, TALK);
    const worker = after.work();
    const done = await after.completed(call);
    await worker.stop();
    return done;
  }

  it('books a requested callback before the call completes', async () => {
    const when = inHours(5);
    after.said.answers['call back'] = answer(when);
    const call = await finished(await fixture.tenant(5, { call: BOOKS }));
    const next = await callbackOf(call);
    expect(next).toMatchObject({ status: 'queued', not_before_at: new Date(`${when}:00Z`), rescheduled_from: call.id });
    expect((await fixture.types(call)).slice(-3)).toEqual(['call.ended', 'call.rescheduled', 'call.completed']);
    const [event] = await rescheduled(call);
    expect(event).toMatchObject({
      level: 'info',
      data: { call_id: next.id, source: 'post_call', note: 'wants the list' },
    });
    const { data } = (await after.event(call, 'call.completed'))!;
    expect(data.call).toMatchObject({ rescheduled_to: next.id });
  });

  it('warns of a time that cannot be booked', async () => {
    const when = inHours(24 * 20);
    after.said.answers['call back'] = answer(when);
    const call = await finished(await fixture.tenant(5, { call: BOOKS }));
    expect(call.rescheduled_to).toBe(null);
    const [event] = await rescheduled(call);
    expect(event).toMatchObject({
      level: 'warning',
      message: 'no call back was booked: that is too late: at most 7 days ahead',
      data: { call_id: '', at: `${when}:00.000+00:00`, source: 'post_call', note: 'wants the list' },
    });
  });

  it.each([
    ['none was requested', '{"asked": false}'],
    ['no time was named', '{"asked": true, "when": "", "note": "sometime"}'],
  ])('books nothing when %s', async (_, answer) => {
    after.said.answers['call back'] = answer;
    const call = await finished(await fixture.tenant(5, { call: BOOKS }));
    expect([call.rescheduled_to, await rescheduled(call)]).toEqual([null, []]);
  });

  it('is not made when a machine answered', async () => {
    const tenant = await fixture.tenant(5, { call: BOOKS });
    const call = await fixture.opened(tenant);
    const [started, ...rest] = wholeCall(call.id, { hangup_reason: 'voicemail', answered_by: 'machine' });
    await ingest(
      { sql: fixture.sql, clock: fixture.clock, log },
      [started!, ...rest].map((event) => delivered(event)),
    );
    expect(await fixture.read(call.id)).toMatchObject({ status: 'completed', answered_by: 'machine' });
    expect(after.asked).toEqual([]);
  });

  it('is not made when the agent booked one itself', async () => {
    const call = await live(await fixture.tenant(5, { call: BOOKS }));
    await book(call, inHours(3));
    const rest = wholeCall(call.id)
      .slice(1)
      .map((event) => delivered(event));
    await ingest({ sql: fixture.sql, clock: fixture.clock, log }, rest);
    expect(await fixture.read(call.id)).toMatchObject({ status: 'completed', rescheduled_to: expect.any(String) });
    expect(after.asked).toEqual([]);
  });

  it('that fails is a warning, and the call completes', async () => {
    after.simulator.setMode('broken');
    const call = await finished(await fixture.tenant(5, { call: BOOKS }));
    expect(await after.event(call, 'error')).toMatchObject({
      level: 'warning',
      message: 'call back check failed: unavailable',
    });
  });
});
