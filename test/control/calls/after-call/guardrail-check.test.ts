import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AfterCallDeps } from '../../../../control/calls/after-call/after-call-worker.ts';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { decideAppeal } from '../../../../control/guardrails/incidents.ts';
import { type CallFixture, createCallFixture, type Tenant } from '../call-fixture.ts';
import { createAfterCallFixture } from './after-call-fixture.ts';

let fixture: CallFixture;
let after: Awaited<ReturnType<typeof createAfterCallFixture>>;

const DAY_MS = 24 * 3_600_000;
const THREAT = 'Pay today or you will be sorry';
const TALK = ['user: Hello', `agent: ${THREAT}`, 'agent: Take two of these pills'];

beforeAll(async () => {
  fixture = await createCallFixture();
  after = await createAfterCallFixture(fixture);
});

beforeEach(async () => {
  await fixture.sql`delete from guardrail_rules`;
  after.said.answers = {};
  after.simulator.setMode('normal');
  after.asked.length = 0;
});

const broken = (...found: [rule: number, quote: string][]) =>
  JSON.stringify({ broken: found.map(([rule, quote]) => ({ rule, quote, confidence: 0.9 })) });

async function finished(tenant: Tenant, more: Partial<AfterCallDeps> = {}): Promise<CallRow> {
  const call = await after.talked(tenant, TALK);
  expect(call.status).toBe('ended');
  const worker = after.work({}, more);
  const done = await after.completed(call);
  await worker.stop();
  return done;
}

const incidentsOf = (call: CallRow) =>
  fixture.sql<Record<string, unknown>[]>`select * from guardrail_incidents where call_id = ${call.id} order by id`;
const agentOf = async (tenant: Tenant) =>
  (await fixture.sql<Record<string, unknown>[]>`select * from agents where id = ${tenant.agent_id}`)[0]!;

describe('the guardrail check', () => {
  it('asks once for all rules, finds nothing in a good call, and is not charged', async () => {
    await after.rule();
    await after.rule({ name: 'No advice' });
    await after.rule({ name: 'Off', enabled: false });
    after.said.answers.guardrails = broken();
    const call = await finished(await fixture.tenant());
    expect(after.asked).toEqual(['guardrails']);
    expect(await incidentsOf(call)).toEqual([]);
    expect(call.analysis_cost_paise).toBe(0);
    expect(await fixture.sql`select 1 from ledger where call_id = ${call.id} and note = 'post-call analytics'`).toEqual(
      [],
    );
  });

  it('writes an incident and its event before the call completes', async () => {
    const rule_id = await after.rule();
    after.said.answers.guardrails = broken([1, THREAT]);
    const tenant = await fixture.tenant();
    const call = await finished(tenant);
    const [incident] = await incidentsOf(call);
    expect(incident).toMatchObject({
      rule_id,
      rule_name: 'No threats',
      category: 'abuse',
      severity: 'violation',
      agent_id: tenant.agent_id,
      agent_name: 'Asha',
      quote: THREAT,
      confidence: 0.9,
      action: 'notice',
      strike: 1,
      status: 'open',
    });
    expect((await fixture.types(call)).slice(-3)).toEqual(['call.ended', 'guardrail.violation', 'call.completed']);
    expect(await after.event(call, 'guardrail.violation')).toMatchObject({
      level: 'error',
      data: {
        ...{ incident_id: incident!.id, rule_id, rule_name: 'No threats', severity: 'violation' },
        ...{ quote: THREAT, confidence: 0.9, action: 'notice', strike: 1 },
      },
    });
    expect((await agentOf(tenant)).status).toBe('active');
  });

  it('counts no strike for a warning, and freezes no agent', async () => {
    await after.rule({ severity: 'warning', strikes: 1 });
    after.said.answers.guardrails = broken([1, THREAT]);
    const tenant = await fixture.tenant();
    const call = await finished(tenant);
    expect(await incidentsOf(call)).toMatchObject([{ severity: 'warning', action: 'warning', strike: 0 }]);
    expect(await after.event(call, 'guardrail.violation')).toMatchObject({ level: 'warning', data: { strike: 0 } });
    expect((await agentOf(tenant)).status).toBe('active');
  });

  it('ignores what the agent did not say', async () => {
    await after.rule();
    after.said.answers.guardrails = broken([1, 'I will come to your house']);
    const call = await finished(await fixture.tenant());
    expect(await incidentsOf(call)).toEqual([]);
  });

  it('freezes the agent on the strike set by its rule, and a dismissed incident unfreezes it', async () => {
    await after.rule({ strikes: 2 });
    after.said.answers.guardrails = broken([1, THREAT]);
    const tenant = await fixture.tenant();
    await fixture.sql`update agents set status = 'paused' where id = ${tenant.agent_id}`;
    const first = await onceMore(tenant);
    expect(await incidentsOf(first)).toMatchObject([{ strike: 1, action: 'notice' }]);
    const second = await onceMore(tenant);
    const [incident] = await incidentsOf(second);
    expect(incident).toMatchObject({ strike: 2, action: 'frozen' });
    expect((await after.event(second, 'guardrail.violation'))!.data).toMatchObject({ action: 'frozen', strike: 2 });
    expect(await agentOf(tenant)).toMatchObject({
      status: 'frozen',
      frozen_reason: 'No threats',
      frozen_incident_id: incident!.id,
      frozen_from: 'paused',
      frozen_at: expect.any(Date),
    });
    // Frozen already: a further incident is reported and changes nothing.
    const third = await onceMore(tenant);
    expect(await incidentsOf(third)).toMatchObject([{ strike: 3, action: 'notice' }]);

    await fixture.sql`update guardrail_incidents set status = 'appealed' where id = ${incident!.id as string}`;
    const actor = { kind: 'service', id: 'operator', name: 'operator' } as const;
    await fixture.sql.begin((tx) =>
      decideAppeal(tx, {
        incident_id: incident!.id as string,
        to: 'dismissed',
        answer: 'ok',
        actor,
        at_ms: Date.now(),
      }),
    );
    expect(await agentOf(tenant)).toMatchObject({ status: 'paused', frozen_at: null, frozen_incident_id: '' });
    const fourth = await onceMore(tenant);
    expect(await incidentsOf(fourth)).toMatchObject([{ strike: 3, action: 'frozen' }]);
  });

  /** A paused or frozen agent takes no new call, but one that is live ends. */
  async function onceMore(tenant: Tenant): Promise<CallRow> {
    const { status } = await agentOf(tenant);
    await fixture.sql`update agents set status = 'active' where id = ${tenant.agent_id}`;
    const call = await after.talked(tenant, TALK);
    await fixture.sql`update agents set status = ${status as string} where id = ${tenant.agent_id}`;
    const worker = after.work();
    const done = await after.completed(call);
    await worker.stop();
    return done;
  }

  it('ignores strikes after thirty days, and counts by rule and agent', async () => {
    await after.rule({ strikes: 2 });
    await after.rule({ strikes: 2, name: 'No advice', category: 'regulated_advice' });
    const tenant = await fixture.tenant();
    after.said.answers.guardrails = broken([1, THREAT]);
    const first = await finished(tenant);
    const old = new Date(Date.now() - 31 * DAY_MS);
    await fixture.sql`update guardrail_incidents set created_at = ${old} where call_id = ${first.id}`;
    after.said.answers.guardrails = broken([1, THREAT], [2, 'Take two of these pills']);
    const second = await finished(tenant);
    expect((await incidentsOf(second)).map(({ strike }) => strike)).toEqual([1, 1]);
    expect((await fixture.types(second)).filter((type) => type === 'guardrail.violation')).toHaveLength(2);
    const other = await fixture.agent(tenant.workspace_id);
    const third = await finished({ ...tenant, agent_id: other, number: tenant.number });
    expect((await incidentsOf(third)).map(({ strike }) => strike)).toEqual([1, 1]);
  });

  it("that fails does not hold up the call, and is not on the customer's timeline", async () => {
    await after.rule();
    after.simulator.setMode('broken');
    after.lines.length = 0;
    const call = await finished(await fixture.tenant());
    expect(await fixture.types(call)).not.toContain('error');
    expect(after.lines).toEqual(['guardrail check failed']);
  });

  it('is made by the configured guardrail model', async () => {
    await after.rule();
    after.said.answers.guardrails = broken([1, THREAT]);
    const guardrailModel = { provider: 'openai', model: 'gpt-4.1-mini' } as const;
    const call = await finished(await fixture.tenant(5, { llm: { provider: 'groq' } }), { guardrailModel });
    expect(await incidentsOf(call)).toHaveLength(1);
  });
});
