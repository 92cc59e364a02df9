import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../shared/ids.ts';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';

/** Decisions of the service's team are emailed to the workspace, in the transaction of the decision. */
let api: TestApi;
let team: OperatorCommand;

beforeAll(async () => {
  api = await startTestApi();
  team = createOperatorCommand(api.sql);
});

const emailsOf = async ({ workspace_id }: { workspace_id: string }) => [
  ...(await api.sql<{ recipient: string; subject: string; body: string }[]>`
    select recipient, subject, body from mail_outbox where workspace_id = ${workspace_id} order by id, recipient`),
];

async function submitKyc(owner: UserClient): Promise<void> {
  await api.sql`
    insert into kyc (workspace_id, status, submitted_at) values (${owner.workspace_id}, 'submitted', now())
    on conflict (workspace_id) do update set status = 'submitted', submitted_at = now()`;
}

async function requestLimit(owner: UserClient): Promise<string> {
  const { status, body } = await owner.send('POST', '/workspace/limits/requests', {
    requested_limit: 40,
    reason: 'A campaign in May needs more lines than we have now.',
  });
  expect(status).toBe(201);
  return body.id;
}

async function insertCallerId(owner: UserClient): Promise<string> {
  const id = newId();
  const [numbers, logo] = [['+911140000001'], Buffer.from('x')];
  await api.sql`
    insert into caller_id_requests
      (workspace_id, id, numbers, display_name, call_reason, logo, logo_type, status, fee_paise, currency, created_by, created_at)
    values (${owner.workspace_id}, ${id}, ${numbers}, 'Acme Clinic', 'Appointments', ${logo}, 'image/png', 'submitted', 0,
      'INR', 'Asha', now())`;
  return id;
}

async function insertAppeal(owner: UserClient): Promise<string> {
  const row = {
    ...{ workspace_id: owner.workspace_id, id: newId(), rule_id: 'a'.repeat(32), rule_name: 'No medical advice' },
    ...{ category: 'regulated_advice', severity: 'violation', agent_id: 'b'.repeat(32), agent_name: 'Asha' },
    ...{
      call_id: newId(),
      quote: 'what was said',
      confidence: 0.9,
      action: 'notice',
      strike: 1,
      created_at: new Date(),
    },
    ...{ status: 'appealed', appeal_text: 'It was the leaflet.', appealed_at: new Date(), appealed_by: 'Asha' },
  };
  await api.sql`insert into guardrail_incidents ${api.sql(row)}`;
  return row.id;
}

describe('the owner gets an email', () => {
  it('when business details are rejected, and when they are approved', async () => {
    const owner = await api.signUp();
    await submitKyc(owner);
    await team.operator(`kyc reject ${owner.workspace_id} 'the PAN card cannot be read'`);
    await submitKyc(owner);
    await team.operator(`kyc approve ${owner.workspace_id}`);
    const [rejected, approved] = await emailsOf(owner);
    expect(rejected).toMatchObject({ recipient: owner.email, subject: 'Your business details were not approved' });
    expect(rejected!.body).toContain('The reason:\n\nthe PAN card cannot be read');
    expect(approved).toMatchObject({ recipient: owner.email, subject: 'Your business details are approved' });
    expect(approved!.body).toContain('workspace "Acme"');
    expect(approved!.body).toContain('The workspace is active');
  });

  it('when a request for more live calls is decided', async () => {
    const owner = await api.asUser('owner');
    await team.operator(`limit decline ${await requestLimit(owner)} 'please tell us more'`);
    await team.operator(`limit approve ${await requestLimit(owner)}`);
    const emails = await emailsOf(owner);
    expect(emails.map(({ subject }) => subject)).toEqual([
      'Your limit of live calls stays',
      'Your limit of live calls is raised',
    ]);
    expect(emails[0]!.body).toContain('The answer:\n\nplease tell us more');
    expect(emails[1]!.body).not.toContain('The answer:');
  });

  it('at each step of a caller-id request', async () => {
    const owner = await api.asUser('owner');
    const id = await insertCallerId(owner);
    await team.operator(`caller-id review ${id}`);
    await team.operator(`caller-id reject ${id} 'the logo is not yours'`);
    const emails = await emailsOf(owner);
    expect(emails.map(({ subject }) => subject)).toEqual([
      'Your caller id is being reviewed',
      'Your caller id was not approved',
    ]);
    expect(emails[1]!.body).toContain('the logo is not yours');
  });

  it('when an appeal is decided, without anything said in the call', async () => {
    const owner = await api.asUser('owner');
    await team.operator(`appeal uphold ${await insertAppeal(owner)} 'the rule is clear'`);
    await team.operator(`appeal dismiss ${await insertAppeal(owner)} 'you are right'`);
    const emails = await emailsOf(owner);
    expect(emails.map(({ subject }) => subject)).toEqual(['Your appeal was decided', 'Your appeal was right']);
    expect(emails[0]!.body).toContain('the rule is clear');
    for (const { body } of emails) expect(body).not.toMatch(/what was said|leaflet/);
  });
});

it('goes to the alert addresses instead, one email each', async () => {
  const owner = await api.asUser('owner');
  await owner.send('PATCH', '/workspace', { alert_emails: ['ops@example.com', 'boss@example.com'] });
  await team.operator(`limit approve ${await requestLimit(owner)}`);
  expect((await emailsOf(owner)).map(({ recipient }) => recipient).toSorted()).toEqual([
    'boss@example.com',
    'ops@example.com',
  ]);
});

it('is rolled back with the decision', async () => {
  const owner = await api.asUser('owner');
  const id = await requestLimit(owner);
  await team.operator(`limit approve ${id}`);
  expect(await team.refusal(`limit approve ${id}`)).toContain('no open limit request');
  expect(await team.refusal(`kyc approve ${owner.workspace_id}`)).toContain('the KYC is');
  expect(await emailsOf(owner)).toHaveLength(1);
});
