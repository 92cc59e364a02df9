import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentForCall, agentOfCall } from '../../../control/agents/agent-for-call.ts';
import { basesOfCall } from '../../../control/agents/agent-lookups.ts';
import { createCanaries } from '../../../control/agents/canary.ts';
import { isInShare } from '../../../control/agents/canary-share.ts';
import { createAgentSaver } from '../../../control/agents/save-agent.ts';
import { planAfterCall } from '../../../control/calls/after-call/after-call-plan.ts';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { createEngineRegistry } from '../../../control/calls/engines/engine-registry.ts';
import { openHandoff } from '../../../control/calls/engines/open-handoff.ts';
import { openSession } from '../../../control/calls/engines/sessions.ts';
import { handleInboundCall } from '../../../control/calls/lifecycle/inbound-call.ts';
import { placeWebCall } from '../../../control/calls/lifecycle/place-web-call.ts';
import { bookCallback } from '../../../control/calls/queue/book-callback.ts';
import { placeCallsIn } from '../../../control/calls/queue/place-call.ts';
import { type AgentInput, agentConfigSchema } from '../../../shared/agent.ts';
import { toolHeaders } from '../../support/tool-headers.ts';
import { type CallFixture, carrierCallback, createCallFixture, log, type Tenant } from './call-fixture.ts';

/** Which version of its agent a call is made with, and what of it the call uses. */

let fixture: CallFixture;
const actor = { kind: 'user', id: 'tester', name: 'tests' } as const;

beforeAll(async () => {
  fixture = await createCallFixture();
});

function canaries() {
  const { sql, clock } = fixture;
  const saver = createAgentSaver({ sql, clock, toolHeaders, onAgentDeleted: async () => {} });
  const checkProviders = async (_workspace: string, config: AgentForCall['config']) => ({ config, warnings: [] });
  return { saver, ...createCanaries({ sql, clock, saver, checkProviders, toolHeaders }) };
}

/** An agent in use with version 2, whose version 1 is a canary. */
async function withCanary(percent = 50, canary: Partial<AgentInput> = {}, inUse: Partial<AgentInput> = {}) {
  const tenant = await fixture.tenant(50, { system_prompt: 'The canary.', ...canary });
  await startCanary(tenant, percent, inUse);
  return tenant;
}

/** Makes the agent's first version its canary, beside a second one that is in use. */
async function startCanary(
  { workspace_id, agent_id }: Omit<Tenant, 'number'>,
  percent: number,
  inUse: Partial<AgentInput> = {},
) {
  const config = agentConfigSchema.parse({ name: 'Asha', system_prompt: 'In use.', ...inUse });
  await canaries().saver.update(agent_id, { workspace_id, actor, config }, null);
  // Later than calls before it.
  fixture.clock.shift(1_000);
  await canaries().put({ workspace_id, agent_id, actor }, { version: 1, percent });
}

const drop = ({ workspace_id, agent_id }: Tenant) => canaries().drop({ workspace_id, agent_id, actor });
const versionFor = ({ agent_id }: Tenant, { id }: Pick<CallRow, 'id'>, percent = 50) =>
  isInShare(agent_id, id, percent) ? 1 : 2;

/** The first of these that was made with this version. */
async function madeWith(version: number, make: () => Promise<CallRow>): Promise<CallRow> {
  for (;;) {
    const call = await make();
    if (call.agent_version === version) return call;
  }
}

describe('a new call', () => {
  it('is placed with the version that its id decides', async () => {
    const tenant = await withCanary();
    const calls = await Promise.all(Array.from({ length: 40 }, () => fixture.queue(tenant)));
    expect(calls.map((call) => call.agent_version)).toEqual(calls.map((call) => versionFor(tenant, call)));
    expect(new Set(calls.map((call) => call.agent_version)).size).toBe(2);
    expect((await fixture.read(calls[0]!.id)).agent_version).toBe(calls[0]!.agent_version);
  });

  it('of a batch is too', async () => {
    const tenant = await withCanary();
    const calls = Array.from({ length: 40 }, () => ({ to_number: '+919811112222', user_data: {} }));
    const placed = await placeCallsIn(fixture.sql, fixture.clock.wall(), { ...tenant, actor, calls });
    expect(placed.map((call) => call.agent_version)).toEqual(placed.map((call) => versionFor(tenant, call)));
    expect(new Set(placed.map((call) => call.agent_version)).size).toBe(2);
  });

  it('that comes in, or from a browser, is too', async () => {
    const tenant = await withCanary();
    const { sql, clock } = fixture;
    const engines = { ...createEngineRegistry('wss://media.example/', clock), headroom: () => 10 };
    for (let nth = 0; nth < 6; nth++) {
      const callback = carrierCallback({
        ...{ provider_call_id: `CA-${tenant.agent_id}-${nth}`, from_number: '+919811112222', status: 'ringing' },
        to_number: tenant.number,
      });
      await handleInboundCall(
        { sql, clock, log, engines, streamUrl: () => 'wss://media.example/' },
        'twilio',
        callback,
      );
      await placeWebCall({ sql, clock, engines }, { ...tenant, user_data: {}, provider: '', actor });
    }
    const calls = await sql<CallRow[]>`select * from calls where workspace_id = ${tenant.workspace_id}`;
    expect(calls).toHaveLength(12);
    expect(calls.map((call) => call.agent_version)).toEqual(calls.map((call) => versionFor(tenant, call)));
  });

  it('says which variables of its own version are missing', async () => {
    const tenant = await withCanary(50, { welcome_message: 'Hello {pet}' }, { welcome_message: 'Hello {name}' });
    for (const [version, name] of [
      [1, 'pet'],
      [2, 'name'],
      [1, 'pet'],
    ] as const) {
      const call = await madeWith(version, () => fixture.queue(tenant));
      expect((await fixture.timeline(call))[0]!.data).toMatchObject({ missing: [name] });
    }
  });

  it('that calls back is decided by its own id', async () => {
    const call = { auto_reschedule: true, callback_start: '00:00', callback_end: '23:59' };
    const tenant = await withCanary(50, { call }, { call });
    const first = await fixture.ringing(tenant);
    const when = `${new Date(fixture.clock.wall() + 86_400_000).toISOString().slice(0, 10)}T12:00`;
    const outcome = await fixture.sql.begin((tx) =>
      bookCallback(tx, first, { when, note: '', source: 'tool' }, fixture.clock.wall()),
    );
    if ('refused' in outcome) throw new Error(outcome.refused);
    expect(outcome.booked.agent_version).toBe(versionFor(tenant, outcome.booked));
  });
});

async function sessionOf(call: CallRow) {
  const request = { call_id: call.id, nonce: 'n'.repeat(16), engine_id: 'e', carrier: 'twilio' };
  const { provider_call_id } = call;
  const { session } = await openSession({ ...fixture, log }, { ...request, provider_call_id });
  return JSON.parse(session!.agent_json);
}

describe('a call of the canary', () => {
  it("has its settings; what the agent is known by stays the agent's", async () => {
    const tenant = await withCanary(50, { name: 'Earlier' });
    const call = await madeWith(1, () => fixture.ringing(tenant));
    expect(await sessionOf(call)).toMatchObject({ system_prompt: 'The canary.', name: 'Asha' });
    const other = await madeWith(2, () => fixture.ringing(tenant));
    expect((await sessionOf(other)).system_prompt).toBe('In use.');
  });

  it('that waits while the canary is dropped has the settings in use', async () => {
    const tenant = await withCanary();
    const call = await madeWith(1, () => fixture.ringing(tenant));
    await drop(tenant);
    expect((await sessionOf(call)).system_prompt).toBe('In use.');
  });

  it('is not one that was placed when the same version was in use', async () => {
    const tenant = await fixture.tenant(5, { system_prompt: 'The canary.' });
    const call = await fixture.ringing(tenant);
    await startCanary(tenant, 99);
    expect((await sessionOf(call)).system_prompt).toBe('In use.');
  });

  it('is analysed as its version says', async () => {
    const analytics = { summarize: true };
    const tenant = await withCanary(50, { analytics });
    const transcript = [{ role: 'user' as const, text: 'Hello', at: 1, interrupted: false }];
    const plan = async (call: CallRow) => fixture.sql.begin((tx) => planAfterCall(tx, { ...call, transcript }));
    const own = await plan(await madeWith(1, () => fixture.queue(tenant)));
    expect(own?.analytics).toMatchObject(analytics);
    expect((await plan(await madeWith(2, () => fixture.queue(tenant))))?.analytics ?? null).toBeNull();
  });

  it('searches the knowledge bases of its version', async () => {
    const tenant = await withCanary();
    const bases = ['a'.repeat(32)];
    await fixture.sql`
      update agent_canaries set config = jsonb_set(config, '{knowledge_base_ids}', ${fixture.sql.json(bases)})
      where agent_id = ${tenant.agent_id}`;
    expect(await basesOfCall(fixture.sql, await madeWith(1, () => fixture.queue(tenant)))).toEqual(bases);
    expect(await basesOfCall(fixture.sql, await madeWith(2, () => fixture.queue(tenant)))).toEqual([]);
  });

  it('is handed on as its version says, to the version in use of the other agent', async () => {
    const from = await withCanary(50);
    const { workspace_id } = from;
    const target = await fixture.agent(workspace_id, { system_prompt: 'The canary.' });
    await startCanary({ workspace_id, agent_id: target }, 99, { system_prompt: 'Billing.' });
    const handoffs = [{ agent_id: target, name: 'Billing' }];
    await fixture.sql`
      update agent_canaries set config = jsonb_set(config, '{call,handoffs}', ${fixture.sql.json(handoffs)})
      where agent_id = ${from.agent_id}`;
    const open = async (call: CallRow) =>
      openHandoff(
        { ...fixture, log, toolHeaders },
        { call_id: call.id, from_agent_id: from.agent_id, agent_id: target },
      );
    const own = await open(await madeWith(1, () => fixture.ringing(from)));
    expect(JSON.parse(own.agent!.agent_json).system_prompt).toBe('Billing.');
    const refused = await open(await madeWith(2, () => fixture.ringing(from)));
    expect(refused.refused).toBe('this agent does not hand calls to that one');
  });

  it('is found as its version for every call of a set', async () => {
    const tenant = await withCanary();
    const call = await madeWith(1, () => fixture.queue(tenant));
    const agent = await fixture.sql.begin((tx) => agentOfCall(tx, call));
    expect(agent).toMatchObject({ version: 1, config: { system_prompt: 'The canary.' } });
  });
});
