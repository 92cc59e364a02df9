import { beforeAll, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { openSession } from '../../../../control/calls/engines/sessions.ts';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { endUnconnected } from '../../../../control/calls/lifecycle/call-state-machine.ts';
import { lockCallById } from '../../../../control/calls/store.ts';
import type { Transaction } from '../../../../control/db/connect.ts';
import type { OpenSessionReply } from '../../../../shared/bus/messages.ts';
import { type CallFixture, createCallFixture, delivered, log, mediaEvent, type Tenant } from '../call-fixture.ts';

let fixture: CallFixture;
let tenant: Tenant;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100);
});

function open({ id, provider_call_id }: CallRow, engine_id = 'engine-1', nonce = 'n'.repeat(16)) {
  const request = { call_id: id, nonce, engine_id, carrier: 'twilio', provider_call_id };
  return openSession({ sql: fixture.sql, clock: fixture.clock, log }, request);
}

/** Opens the session while another transaction holds a row and changes it. */
async function openDuring(call: CallRow, change: (tx: Transaction) => Promise<unknown>): Promise<OpenSessionReply> {
  const { opening } = await fixture.sql.begin(async (tx) => {
    await change(tx);
    const opening = open(call);
    await expect.poll(async () => (await waitingForLocks()).length).toBe(1);
    return { opening };
  });
  return opening;
}

const waitingForLocks = () => fixture.sql`
  select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

describe('a session that is opened while its call changes', () => {
  it('goes to one of two engines that ask at once', async () => {
    const call = await fixture.ringing(tenant);
    const tokens = ['a', 'b', 'c', 'd'].map((name) => open(call, `engine-${name}`, name.repeat(16)));
    const refusals = (await Promise.all(tokens)).map(({ refused }) => refused).sort();
    expect(refusals).toEqual(['', ...Array(3).fill('the token was used before')]);
  });

  it('is refused when a hang-up is requested meanwhile', async () => {
    const call = await fixture.ringing(tenant);
    const reply = await openDuring(
      call,
      (tx) => tx`update live_calls set hangup_requested_reason = 'hung up by Ravi' where id = ${call.id}`,
    );
    expect(reply).toEqual({ refused: 'the call is being hung up' });
    expect((await fixture.read(call.id)).media_nonce).toBeNull();
  });

  it('is refused when the call ends meanwhile, and its row is moved', async () => {
    const call = await fixture.ringing(tenant);
    const end = { status: 'busy', hangup_by: 'carrier', hangup_reason: 'busy' } as const;
    const reply = await openDuring(call, async (tx) => {
      const locked = await lockCallById(tx, call.id);
      await endUnconnected(tx, locked!, { ...end, level: 'info', message: 'busy' }, Date.now());
    });
    expect(reply).toEqual({ refused: 'the call is busy' });
    expect(await fixture.read(call.id)).toMatchObject({ finished: true, media_nonce: null });
  });

  it('is opened when the change meanwhile is none of its own', async () => {
    const call = await fixture.ringing(tenant);
    const reply = await openDuring(
      call,
      (tx) => tx`update live_calls set event_seq = event_seq + 1 where id = ${call.id}`,
    );
    expect(reply.refused).toBe('');
    expect((await fixture.read(call.id)).event_seq).toBe(call.event_seq + 1);
  });

  it('is refused when its agent is deleted meanwhile', async () => {
    const own = { ...tenant, agent_id: await fixture.agent(tenant.workspace_id) };
    const call = await fixture.ringing(own);
    const reply = await openDuring(call, (tx) => tx`delete from agents where id = ${own.agent_id}`);
    expect(reply).toEqual({ refused: 'the agent was deleted' });
    expect((await fixture.read(call.id)).media_nonce).toBeNull();
  });

  it('has two statements, of which one writes', async () => {
    const call = await fixture.ringing(tenant);
    const statements: string[] = [];
    const { options } = fixture.sql;
    const before = options.debug;
    options.debug = (_connection, text) => void statements.push(text.trim().split(/\s/, 1)[0]!);
    try {
      expect((await open(call)).refused).toBe('');
    } finally {
      options.debug = before;
    }
    expect(statements).toEqual(['select', 'with']);
  });
});

it('a call that a crash of the database let forget its engine has it again with the first event, and takes no token', async () => {
  const call = await fixture.opened(tenant);
  await fixture.sql`update live_calls set media_nonce = null, engine_id = '' where id = ${call.id}`;
  const started = mediaEvent(call.id, 1, 'call.started', { data_json: '{"channel":"phone"}' });
  await ingest({ sql: fixture.sql, clock: fixture.clock, log }, [delivered(started)]);
  const again = await fixture.read(call.id);
  expect(again).toMatchObject({ status: 'in-progress', engine_id: 'engine-1' });
  expect(again.media_nonce).not.toBeNull();
  expect((await open(call, 'engine-2')).refused).toBe('the token was used before');
});
