import { beforeAll, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { createLockedCalls } from '../../../../control/calls/events/locked-calls.ts';
import type { AgentInput } from '../../../../shared/agent.ts';
import type { CallEvent } from '../../../../shared/bus/messages.ts';
import {
  type CallFixture,
  createCallFixture,
  delivered,
  log,
  mediaEvent,
  type Tenant,
  wholeCall,
} from '../call-fixture.ts';

/** Ends of many calls in one batch. */

let fixture: CallFixture;

beforeAll(async () => {
  fixture = await createCallFixture();
});

/** A connected call whose next event is the fourth. */
async function connected(tenant: Tenant): Promise<CallRow> {
  const call = await fixture.opened(tenant);
  await give(wholeCall(call.id).slice(0, 3));
  return fixture.read(call.id);
}

const connectedCalls = async (tenant: Tenant, count: number) => {
  const calls: CallRow[] = [];
  while (calls.length < count) calls.push(await connected(tenant));
  return calls;
};

/** The last words and the end. */
function lastEvents({ id }: CallRow, ending: Parameters<typeof wholeCall>[1] = {}): CallEvent[] {
  const line = { role: 'agent' as const, text: 'Goodbye', at_ms: 1_790_000_000_000, interrupted: false };
  return [
    mediaEvent(id, 4, 'agent.reply', { transcript: [line], latency_ms: 300, at_ms: 1_790_000_000_000 }),
    { ...wholeCall(id, ending).at(-1)!, at_ms: 1_790_000_001_000 },
  ];
}

async function give(events: readonly CallEvent[], redelivered = false) {
  const { sql, clock } = fixture;
  const deliveries = events.map((event) => delivered(event, redelivered));
  await ingest({ sql, clock, log, locked: createLockedCalls(clock) }, deliveries);
  return deliveries.map(({ answer }) => answer);
}

const ledgerOf = ({ workspace_id }: Tenant) => fixture.sql<
  { call_id: string; seq: number; amount_paise: number; balance_after_paise: number }[]
>`
  select call_id, seq, amount_paise, balance_after_paise from ledger
  where workspace_id = ${workspace_id} and kind = 'call' order by seq`;

it('charges each call once and completes it, whatever the workspace', async () => {
  const tenants = [await fixture.tenant(), await fixture.tenant()];
  const calls = (await Promise.all(tenants.map((tenant) => connectedCalls(tenant, 3)))).flat();
  const events = calls.flatMap((call) => lastEvents(call));
  expect(new Set(await give(events))).toEqual(new Set(['done']));
  expect(new Set(await give(events, true))).toEqual(new Set(['done']));
  for (const tenant of tenants) {
    const rows = await ledgerOf(tenant);
    expect(rows.map(({ call_id }) => call_id).sort()).toEqual(
      calls
        .filter(({ workspace_id }) => workspace_id === tenant.workspace_id)
        .map(({ id }) => id)
        .sort(),
    );
    const [wallet] = await fixture.sql<{ credits: number; seq: number }[]>`
      select paid_paise + free_paise as credits, seq from wallets where workspace_id = ${tenant.workspace_id}`;
    expect(wallet).toEqual({ credits: rows.at(-1)!.balance_after_paise, seq: rows.at(-1)!.seq });
    for (const [nth, row] of rows.entries()) {
      if (nth === 0) continue;
      expect(row.seq).toBe(rows[nth - 1]!.seq + 1);
      expect(row.balance_after_paise).toBe(rows[nth - 1]!.balance_after_paise + row.amount_paise);
    }
  }
  for (const { id } of calls) {
    const call = await fixture.read(id);
    expect(call).toMatchObject({ status: 'completed', finished: true, media_seq: 5, cost_paise: 110 });
    expect(call.transcript.map(({ text }) => text)).toEqual(['Hello', 'Hi there', 'Goodbye']);
    expect((await fixture.types(call)).slice(-3)).toEqual(['agent.reply', 'call.ended', 'call.completed']);
  }
});

/** All that the end of a call writes, without what differs between two calls. */
async function written({ workspace_id, id }: CallRow) {
  const { sql } = fixture;
  const [call] = await sql`
    select *, null as id, null as created_at, null as queued_at, null as ringing_at, null as placed_at, null as started_at,
      null as completed_at, null as provider_call_id, null as transcript, null as workspace_id, null as agent_id,
      null as from_number
    from calls where id = ${id}`;
  const jobs = await sql`select late, tries from after_calls where call_id = ${id}`;
  const events = await sql`
    select seq, source, source_seq, type, message, level, latency_ms from call_events
    where call_id = ${id} and seq > 4 order by seq`;
  const ledger = await sql`
    select kind, amount_paise, note, by_name, at, plan_seconds, seconds, basis from ledger where call_id = ${id}`;
  const checks = await sql`
    select subject, due_at from alert_checks where workspace_id = ${workspace_id} order by subject`;
  const [wallet] =
    await sql`select paid_paise, free_paise, plan_seconds_left, seq from wallets where workspace_id = ${workspace_id}`;
  return { call, jobs, events, ledger, checks, wallet };
}

const analytics = { analytics: { summary: true } } as Partial<AgentInput>;
const extraction = {
  analytics: { extractions: [{ key: 'name', type: 'text', description: 'the name' }] },
} as unknown as Partial<AgentInput>;

it.each([
  ['a call that needs nothing', {}, {}],
  ['a call that is analysed', analytics, {}],
  ['a call of which something is extracted', extraction, {}],
  ['a call that failed', analytics, { hangup_by: 'service', hangup_reason: 'error: media' }],
  ['a call of unknown usage', {}, { provider_usage_json: '[]' }],
  ['a call without a connected second', {}, { duration_seconds: 0 }],
  ['a call that a machine answered', {}, { answered_by: 'machine' }],
] as const)('writes %s as it does alone', async (_, agent, ending) => {
  const [one, together, other] = [
    await fixture.tenant(5, agent),
    await fixture.tenant(5, agent),
    await fixture.tenant(),
  ];
  const [alone, inSet, beside] = [await connected(one), await connected(together), await connected(other)];
  // What was delivered before is written one by one.
  await give(lastEvents(alone, ending), true);
  await give([...lastEvents(inSet, ending), ...lastEvents(beside)]);
  expect(await written(inSet)).toEqual(await written(alone));
});

it('writes as many statements for many calls as for two', async () => {
  const tenant = await fixture.tenant(20);
  const [few, many] = [await connectedCalls(tenant, 2), await connectedCalls(tenant, 12)];
  const statements = async (calls: CallRow[]) => {
    let count = 0;
    fixture.sql.options.debug = () => void count++;
    await give(calls.flatMap((call) => lastEvents(call)));
    fixture.sql.options.debug = false;
    return count;
  };
  expect(await statements(many)).toBe(await statements(few));
});

it('ends the others when one cannot be written', async () => {
  const { sql } = fixture;
  // Each with a wallet of its own: written one by one, they wait for no other's.
  const [broken, ...others] = [
    await connected(await fixture.tenant()),
    await connected(await fixture.tenant()),
    await connected(await fixture.tenant()),
  ];
  await sql.unsafe(`
    create function refuse_end() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refused before insert on ledger for each row when (new.call_id = '${broken.id}') execute function refuse_end()`);
  const answers = await give(
    [broken, ...others].map((call) => lastEvents(call)[1]!).map((event) => ({ ...event, seq: 4 })),
  );
  expect(answers).toEqual(['again', 'done', 'done']);
  for (const { id } of others) expect((await fixture.read(id)).status).toBe('completed');
  await sql.unsafe('drop trigger refused on ledger');
  expect((await fixture.read(broken.id)).status).toBe('in-progress');
});

it('ends the others while a wallet is locked, and those of its workspace later', async () => {
  const { sql } = fixture;
  const [locked, other] = [await fixture.tenant(), await fixture.tenant()];
  const [waits, goes] = [await connected(locked), await connected(other)];
  await sql.begin(async (tx) => {
    await tx`select from wallets where workspace_id = ${locked.workspace_id} for update`;
    expect(await give([...lastEvents(waits), ...lastEvents(goes)])).toEqual(['again', 'again', 'done', 'done']);
  });
  expect((await fixture.read(goes.id)).status).toBe('completed');
  expect((await fixture.read(waits.id)).status).toBe('in-progress');
  await give(lastEvents(waits), true);
  expect((await fixture.read(waits.id)).status).toBe('completed');
  expect(await ledgerOf(locked)).toHaveLength(1);
});

it('leaves a call with a gap before its end for later', async () => {
  const [gap, whole] = await connectedCalls(await fixture.tenant(), 2);
  await give([lastEvents(gap!)[1]!, ...lastEvents(whole!)]);
  expect((await fixture.read(whole!.id)).status).toBe('completed');
  expect((await fixture.read(gap!.id)).status).toBe('in-progress');
});
