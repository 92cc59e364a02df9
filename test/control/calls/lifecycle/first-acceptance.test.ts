import { beforeAll, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { writeDialOutcome, writeFirstAcceptance } from '../../../../control/calls/lifecycle/dial-outcome.ts';
import { dequeueNext } from '../../../../control/calls/queue/call-queue.ts';
import { newId } from '../../../../shared/ids.ts';
import { type CallFixture, createCallFixture, type Tenant } from '../call-fixture.ts';

let fixture: CallFixture;
let tenant: Tenant;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100, { webhook_url: 'https://agent.example/hook' });
});

/** A call that is being dialled. */
async function dialled(): Promise<CallRow> {
  await fixture.queue(tenant);
  const call = await fixture.sql.begin((tx) => dequeueNext(tx, tenant.workspace_id, fixture.clock.wall()));
  return call!;
}
const ids = () => ({ provider_call_id: `CA${newId()}`, provider_request_id: `R${newId()}` });

/** What is written of a call, without what differs between any two. */
async function writtenOf({ id }: CallRow) {
  const { provider_call_id, provider_request_id, placed_at, status, dial_state, dial_due_at, event_seq } =
    await fixture.read(id);
  const timeline = await fixture.timeline({ workspace_id: tenant.workspace_id, id } as CallRow);
  const deliveries = await fixture.sql`
    select event_type, event_seq from webhook_deliveries where call_id = ${id} order by event_seq`;
  return {
    row: { provider_call_id, provider_request_id, placed_at, status, dial_state, dial_due_at, event_seq },
    events: timeline.map(({ seq, type, message, data }) => ({ seq, type, message, data })),
    deliveries: deliveries.map((row) => ({ ...row })),
  };
}

it('writes with one statement what the answer to any dial request writes', async () => {
  const { sql } = fixture;
  const [quick, usual] = [await dialled(), await dialled()];
  const nowMs = fixture.clock.wall();
  const [ofQuick, ofUsual] = [ids(), ids()];
  let statements = 0;
  sql.options.debug = () => void statements++;
  expect(await writeFirstAcceptance(sql, quick, ofQuick, nowMs)).toBe(true);
  sql.options.debug = false;
  expect(statements).toBe(1);
  await writeDialOutcome(sql, tenant.workspace_id, usual.id, { accepted: true, ...ofUsual }, nowMs);
  const expected = await writtenOf(usual);
  expect(await writtenOf(quick)).toEqual({ ...expected, row: { ...expected.row, ...ofQuick } });
  expect(expected.events.at(-1)).toMatchObject({ type: 'call.placed', seq: 3 });
});

it.each<Partial<CallRow>>([
  { status: 'busy' },
  { hangup_requested_reason: 'hung up by Ravi' },
  { placed_at: new Date() },
  { provider_call_id: 'CA-1' },
  { dial_state: 'slowed' },
  { dial_tries: 1 },
  { event_seq: 7 },
])('writes nothing when %o came before it', async (change) => {
  const call = await dialled();
  await fixture.sql`update live_calls set ${fixture.sql(change as never)} where id = ${call.id}`;
  const before = await writtenOf(call);
  expect(await writeFirstAcceptance(fixture.sql, call, ids(), fixture.clock.wall())).toBe(false);
  expect(await writtenOf(call)).toEqual(before);
});
