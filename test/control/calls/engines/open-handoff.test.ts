import { beforeAll, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { openHandoff } from '../../../../control/calls/engines/open-handoff.ts';
import { searchForCall } from '../../../../control/calls/engines/serve-knowledge.ts';
import { createSearch } from '../../../../control/knowledge/search.ts';
import type { AgentInput } from '../../../../shared/agent.ts';
import { openHandoffReplyCodec, openHandoffRequestCodec } from '../../../../shared/bus/messages.ts';
import { createRequestKey } from '../../../../shared/bus/seal-for-engine.ts';
import { MAX_HANDOFFS } from '../../../../shared/handoff.ts';
import { toolHeaders } from '../../../support/tool-headers.ts';
import { type CallFixture, createCallFixture, log } from '../call-fixture.ts';

let fixture: CallFixture;

beforeAll(async () => {
  fixture = await createCallFixture();
});

interface Scene {
  call: CallRow;
  workspace_id: string;
  from: string;
  to: string;
}

/** A live call of an agent that hands calls to another one. */
async function scene(other: Partial<AgentInput> = {}, own: Partial<AgentInput> = {}): Promise<Scene> {
  const tenant = await fixture.tenant();
  const { workspace_id } = tenant;
  const to = await fixture.agent(workspace_id, { system_prompt: 'You know bills.', ...other });
  const call = { ...own.call, handoffs: [{ agent_id: to, name: 'Billing' }] };
  const from = await fixture.agent(workspace_id, { ...own, call });
  return { call: await fixture.ringing({ ...tenant, agent_id: from }), workspace_id, from, to };
}

async function open({ call, from, to }: Scene, more: object = {}) {
  const request = openHandoffRequestCodec.encode({ call_id: call.id, from_agent_id: from, agent_id: to, ...more });
  const deps = { sql: fixture.sql, clock: fixture.clock, log, toolHeaders };
  const reply = await openHandoff(deps, openHandoffRequestCodec.decode(request));
  return openHandoffReplyCodec.decode(openHandoffReplyCodec.encode(reply));
}

const refusal = async (at: Scene, more?: object) => (await open(at, more)).refused;

describe('the agent that a call is handed to', () => {
  it('comes with its settings, and what the credits pay for at its price', async () => {
    const { refused, agent } = await open(await scene());
    expect(refused).toBe('');
    expect(JSON.parse(agent!.agent_json).system_prompt).toBe('You know bills.');
    expect(agent!.paid_seconds).toBeGreaterThan(60);
  });

  it("comes with the values of its tools' headers sealed for the engine", async () => {
    const tools = [
      { name: 'book', description: 'Books.', url: 'https://a.example.com/', headers: { key: 'a secret' } },
    ];
    const key = createRequestKey();
    const at = await scene({ tools });
    const { agent } = await open(at, { public_key: key.publicKey });
    expect(agent!.agent_json).not.toContain('a secret');
    expect(key.open(agent!.sealed_headers!, at.call.id)).toContain('a secret');
  });

  it('may hand the call back, and on', async () => {
    const at = await scene();
    expect(await refusal({ ...at, from: at.to, to: at.from })).toMatch('does not hand calls to that one');
    await open(at);
    await fixture.sql`
      update agents set call = jsonb_set(call, '{handoffs}', ${fixture.sql.json([{ agent_id: at.from, name: 'First' }])})
      where workspace_id = ${at.workspace_id} and id = ${at.to}`;
    expect(await refusal({ ...at, from: at.to, to: at.from })).toBe('');
  });

  it('may look into its knowledge bases from then on', async () => {
    const at = await scene();
    const deps = { sql: fixture.sql, search: createSearch({ ...fixture, log, embedder: null }) };
    const request = { call_id: at.call.id, query: 'x', limit: 4, within_ms: 20_000, agent_id: at.to };
    expect((await searchForCall(deps, request)).error).toBe('the call was not handed to this agent');
    await open(at);
    expect((await searchForCall(deps, request)).error).toBe('the agent has no knowledge bases');
    const handedBack = { ...request, agent_id: at.from };
    expect((await searchForCall(deps, handedBack)).error).toBe('the agent has no knowledge bases');
  });
});

describe('a handoff is refused', () => {
  it('of a call that is not known or over, or to an agent that is not named', async () => {
    const at = await scene();
    expect(await refusal(at, { call_id: 'x' })).toBe('the call is not known');
    expect(await refusal(at, { call_id: 'f'.repeat(32) })).toBe('the call is not known');
    const other = await scene();
    expect(await refusal({ ...at, to: other.to })).toMatch('does not hand calls to that one');
    expect(await refusal({ ...at, from: other.from, to: other.to })).toMatch('does not hand calls to that one');
    await fixture.sql`update live_calls set status = 'ended' where id = ${at.call.id}`;
    expect(await refusal(at)).toBe('the call is ended');
  });

  it('to an agent that is paused, deleted, speaks itself, or redacts what the call does not', async () => {
    const paused = await scene({ status: 'paused' });
    expect(await refusal(paused)).toBe('it is paused');
    await fixture.sql`delete from agent_versions where workspace_id = ${paused.workspace_id} and agent_id = ${paused.to}`;
    await fixture.sql`delete from agents where workspace_id = ${paused.workspace_id} and id = ${paused.to}`;
    expect(await refusal(paused)).toBe('it was deleted');
    expect(await refusal(await scene({ call: { redact_cards: true } }))).toMatch('redacts numbers');
    const both = { call: { redact_cards: true } };
    expect(await refusal(await scene(both, both))).toBe('');
  });

  it('without credits for it, and after too many agents', async () => {
    const poor = await scene();
    await fixture.sql`update wallets set paid_paise = 0 where workspace_id = ${poor.workspace_id}`;
    expect(await refusal(poor)).toBe('there are not enough credits for it');
    const at = await scene();
    const many = Array.from({ length: MAX_HANDOFFS }, (_, n) => String(n));
    await fixture.sql`update live_calls set handoff_agent_ids = ${many} where id = ${at.call.id}`;
    expect(await refusal(at)).toBe('too many agents have had this call');
  });
});
