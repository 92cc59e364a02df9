import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS, checkedCommand, helpText } from '../../control/operator.ts';
import { FLAGS, OPTIONS } from '../../control/operators/command.ts';
import { newId } from '../../shared/ids.ts';
import { request, startTestApi, type TestApi, type UserClient } from '../support/control-app.ts';
import { jpegFile, SMALL_PDF } from '../support/image-files.ts';
import { multipartForm } from '../support/multipart-form.ts';
import { createOperatorCommand, type OperatorCommand } from '../support/operator-command.ts';

let api: TestApi;
let operator: OperatorCommand['operator'];
let refusal: OperatorCommand['refusal'];
let trailOf: OperatorCommand['trailOf'];
const folder = mkdtempSync(join(tmpdir(), 'antiphon-operator-'));
const NOBODY = 'f'.repeat(32);

beforeAll(async () => {
  api = await startTestApi();
  ({ operator, refusal, trailOf } = createOperatorCommand(api.sql));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stateOf = async (workspaceId: string) => {
  const [row] = await api.sql<{ state: string }[]>`select state from workspaces where id = ${workspaceId}`;
  return row!.state;
};

const upload = async (owner: UserClient, path: string, fields: Record<string, string>, name: string, file: Buffer) => {
  const parts = Object.entries(fields).map(([name, value]) => ({ name, value }));
  const form = multipartForm([...parts, { name, value: file, file_name: 'x' }]);
  const headers = { authorization: `Bearer ${owner.token}`, ...form.headers };
  return (await request(api.http, { method: 'POST', url: `/api/v1${path}`, headers, payload: form.payload })).body;
};

/** A new workspace whose business details wait. */
async function submitted(): Promise<UserClient> {
  const owner = await api.signUp();
  await owner.send('PUT', '/kyc', {
    legal_name: 'Acme',
    business_type: 'individual',
    pan: 'ABCDE1234F',
    address: { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', pincode: '560001' },
    contact_name: 'Asha Rao',
    contact_email: 'asha@acme.example',
    contact_phone: '+919876543210',
    use_case: 'Reminders',
  });
  await upload(owner, '/kyc/documents', { kind: 'identity' }, 'file', SMALL_PDF);
  expect((await owner.send('POST', '/kyc/submit')).status).toBe(200);
  return owner;
}

describe('the help', () => {
  it('lists every command by its group', () => {
    const help = helpText('./operator');
    for (const { name } of COMMANDS) expect(help).toContain(`\n  ${name}`);
    expect(help.indexOf('\nPhone numbers\n  number add NUMBER')).toBeGreaterThan(0);
    for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });

  it('shows what a command, or each of a subject, takes', () => {
    expect(helpText('./operator', ['number', 'connect'])).toBe(
      'number connect NUMBER --agent ID\n    connect a number to an agent\n' +
        '    example: ./operator number connect +911140000002 --agent AGENT\n',
    );
    expect(helpText('./operator', ['kyc'])).toContain('example: ./operator kyc show WORKSPACE\n\nkyc document');
    const whole = COMMANDS.map(({ name }) => helpText('./operator', name.split(' '))).join('');
    for (const option of [...OPTIONS, ...FLAGS]) expect(whole).toContain(`--${option}`);
  });

  it.each(COMMANDS.map((command) => [command.name, command] as const))('has an example of %s', (name, command) => {
    const words = command.example.match(/'[^']*'|\S+/g)!;
    const { positionals, values } = parseArgs({
      args: words,
      allowPositionals: true,
      options: Object.fromEntries((command.options ?? []).map((option) => [option, { type: 'string' as const }])),
    });
    expect(positionals.slice(0, 2).join(' ')).toBe(name);
    expect(checkedCommand(positionals, values)).toBe(command);
  });

  it('is mentioned when a command is called wrongly', async () => {
    expect(await refusal('dance')).toBe('unknown command "dance"; --help lists all');
    expect(await refusal('app sell')).toBe('unknown command "app sell"; there are app create, app disable');
    expect(await refusal('kyc approve')).toBe('"kyc approve" takes 1 argument: kyc approve WORKSPACE');
    expect(await refusal('limit approve a b c')).toBe(
      '"limit approve" takes 1 to 2 arguments: limit approve REQUEST [ANSWER]',
    );
    expect(await refusal('kyc list', { agent: 'x' })).toBe('"kyc list" takes no --agent: kyc list');
    for (const words of ['kyc approve', 'workspace unsuspend', 'grant list', 'kyc show']) {
      expect(await refusal(`${words} ${NOBODY}`)).toBe(`workspace ${NOBODY} not found`);
    }
  });
});

describe('business details', () => {
  it('are read and approved: the workspace is active', async () => {
    const owner = await submitted();
    const { workspace_id } = owner;
    expect((await owner.send('GET', '/guardrails/rules')).body.code).toBe('workspace_inactive');
    const waiting = (await operator('kyc list')).result;
    expect(waiting.find((row: { workspace_id: string }) => row.workspace_id === workspace_id)).toMatchObject({
      legal_name: 'Acme',
    });
    const { documents, pan } = (await operator(`kyc show ${workspace_id}`)).result;
    expect([pan, documents.length]).toEqual(['ABCDE1234F', 1]);
    const path = join(folder, 'identity.pdf');
    await operator(`kyc document ${workspace_id} ${documents[0].id} ${path}`);
    expect(readFileSync(path).equals(SMALL_PDF)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await refusal(`kyc document ${workspace_id} ${NOBODY} ${path}`)).toBe(`document ${NOBODY} not found`);

    expect((await operator(`kyc approve ${workspace_id}`)).result).toEqual({ workspace_id, kyc_status: 'approved' });
    expect((await owner.send('GET', '/guardrails/rules')).status).toBe(200);
    expect((await owner.send('GET', '/kyc')).body).toMatchObject({
      status: 'approved',
      decided_at: expect.any(String),
    });
    expect(await refusal(`kyc approve ${workspace_id}`)).toBe('the KYC is approved');
    expect(await refusal(`kyc reject ${workspace_id} no`)).toBe('the KYC is approved');
    expect(await trailOf(workspace_id)).toEqual(['kyc.approved', 'kyc.document_downloaded', 'workspace.created']);
  });

  it('are rejected with a reason, and may be submitted again', async () => {
    const owner = await submitted();
    expect(await refusal(`kyc reject ${owner.workspace_id} ''`)).toBe('a reason has 1 to 1000 characters');
    await operator(`kyc reject ${owner.workspace_id} 'the name is another'`);
    expect((await owner.send('GET', '/kyc')).body).toMatchObject({
      status: 'rejected',
      rejection_reason: 'the name is another',
    });
    expect(await stateOf(owner.workspace_id)).toBe('onboarding');
    expect((await owner.send('POST', '/kyc/submit')).status).toBe(200);
    await operator(`kyc approve ${owner.workspace_id}`);
    expect(await stateOf(owner.workspace_id)).toBe('active');
  });

  it('are decided once by two who decide at the same time', async () => {
    const { workspace_id } = await submitted();
    const both = await Promise.all([refusal(`kyc approve ${workspace_id}`), refusal(`kyc reject ${workspace_id} no`)]);
    expect(both.filter((each) => each === 'succeeded')).toHaveLength(1);
  });

  it('of a closed workspace are not approved', async () => {
    const { workspace_id } = await submitted();
    await api.sql`update workspaces set state = 'closed' where id = ${workspace_id}`;
    expect(await refusal(`kyc approve ${workspace_id}`)).toBe('the workspace is closed');
    const [row] = await api.sql`select status from kyc where workspace_id = ${workspace_id}`;
    expect(row).toEqual({ status: 'submitted' });
  });
});

describe('a suspension', () => {
  it('closes a workspace until it ends', async () => {
    const owner = await api.asUser('owner');
    const { workspace_id } = owner;
    await operator(`workspace suspend ${workspace_id} 'calls at night'`);
    expect((await owner.send('GET', '/guardrails/rules')).body.code).toBe('workspace_inactive');
    expect(await refusal(`workspace suspend ${workspace_id} again`)).toBe('the workspace is suspended');
    expect((await operator(`workspace unsuspend ${workspace_id}`)).result.state).toBe('active');
    expect((await owner.send('GET', '/guardrails/rules')).status).toBe(200);
    expect(await refusal(`workspace unsuspend ${workspace_id}`)).toBe('the workspace is active');
    const trail = ['workspace.created', 'workspace.suspended', 'workspace.unsuspended'];
    expect(await trailOf(workspace_id)).toEqual(trail);
  });

  it('is not ended by an approval, which holds after it', async () => {
    const { workspace_id } = await submitted();
    await operator(`workspace suspend ${workspace_id} doubtful`);
    await operator(`kyc approve ${workspace_id}`);
    expect(await stateOf(workspace_id)).toBe('suspended');
    await operator(`workspace unsuspend ${workspace_id}`);
    expect(await stateOf(workspace_id)).toBe('active');
    const waiting = await api.signUp();
    await operator(`workspace suspend ${waiting.workspace_id} doubtful`);
    expect((await operator(`workspace unsuspend ${waiting.workspace_id}`)).result.state).toBe('onboarding');
  });
});

describe('requests', () => {
  it('for more live calls are approved and declined', async () => {
    const owner = await api.asUser('owner');
    const ask = async (requested_limit: number) => {
      const sent = { requested_limit, reason: 'a campaign in the spring' };
      return (await owner.send('POST', '/workspace/limits/requests', sent)).body.id as string;
    };
    const first = await ask(20);
    const waiting = (await operator('limit list')).result;
    expect(waiting.find((row: { id: string }) => row.id === first)).toMatchObject({ requested_limit: 20 });
    await operator(`limit approve ${first} 'have fun'`);
    expect(await refusal(`limit approve ${first}`)).toBe(`no open limit request ${first}`);
    const second = await ask(50);
    expect(await refusal(`limit decline ${second} ''`)).toBe('an answer has 1 to 1000 characters');
    await operator(`limit decline ${second} 'not yet'`);
    const [workspace] = await api.sql`select concurrency_limit from workspaces where id = ${owner.workspace_id}`;
    expect(workspace).toEqual({ concurrency_limit: 20 });
    expect((await owner.send('GET', '/workspace/limits/requests')).body).toMatchObject([
      { status: 'declined', answer: 'not yet' },
      { status: 'approved', answer: 'have fun' },
    ]);
    const trail = ['limit_request.approved', 'limit_request.declined', 'workspace.created'];
    expect(await trailOf(owner.workspace_id)).toEqual(trail);
  });

  it('for a caller id are looked at, approved and rejected', async () => {
    const owner = await api.asUser('owner');
    const ask = async (number: string) => {
      await operator(`number add ${number}`, { workspace: owner.workspace_id, provider: 'twilio' });
      const fields = { numbers: number, display_name: 'Acme', call_reason: 'Reminders' };
      return (await upload(owner, '/caller-id', fields, 'logo', jpegFile())).id as string;
    };
    const first = await ask('+918000000001');
    const second = await ask('+918000000002');
    expect((await operator('caller-id list')).text).toContain(first);
    const path = join(folder, 'logo');
    expect((await operator(`caller-id logo ${first} ${path}`)).result.type).toBe('image/jpeg');
    expect(readFileSync(path).equals(jpegFile())).toBe(true);
    expect((await operator(`caller-id review ${first}`)).result.status).toBe('in_review');
    expect((await operator(`caller-id approve ${first}`)).result.status).toBe('active');
    expect(await refusal(`caller-id approve ${first}`)).toBe('the caller-id request is active');
    expect(await refusal(`caller-id reject ${second} ''`)).toBe('a reason has 1 to 1000 characters');
    expect((await operator(`caller-id reject ${second} 'no logo of yours'`)).result.status).toBe('rejected');
    for (const words of ['approve X', 'review X', 'reject X no', 'logo X /dev/null']) {
      const asked = `caller-id ${words.replace('X', NOBODY)}`;
      expect(await refusal(asked)).toBe(`caller-id request ${NOBODY} not found`);
    }
    expect(await trailOf(owner.workspace_id)).toEqual([
      'caller_id.active',
      'caller_id.in_review',
      'caller_id.logo_downloaded',
      'caller_id.rejected',
      'number.added',
      'number.added',
      'workspace.created',
    ]);
  });
});

describe('guardrails', () => {
  it('have rules that the operator adds and changes', async () => {
    const added = (await operator("rule add 'No threats'", { description: 'Never.', category: 'abuse', strikes: '3' }))
      .result;
    expect(added).toMatchObject({ name: 'No threats', severity: 'violation', strikes: 3, enabled: true });
    const set = (await operator(`rule set ${added.id}`, { enabled: 'no', severity: 'warning' })).result;
    expect(set).toMatchObject({ name: 'No threats', severity: 'warning', enabled: false, category: 'abuse' });
    const viewer = await api.asUser('viewer');
    expect((await viewer.send('GET', '/guardrails/rules')).body).toMatchObject([{ id: added.id, enabled: false }]);
    expect((await operator('rule list')).text).toMatch(/ off +warning +abuse +3 {2}No threats$/m);
    expect(await refusal("rule add 'No spam'")).toMatch(/^description: /);
    expect(await refusal(`rule set ${added.id}`, { category: 'rude' })).toMatch(/^category: /);
    expect(await refusal(`rule set ${added.id}`, { strikes: 'many' })).toBe('--strikes is a whole number');
    expect(await refusal(`rule set ${added.id}`, { enabled: 'maybe' })).toBe('--enabled is yes or no');
    expect(await refusal(`rule set ${NOBODY}`)).toBe(`guardrail rule ${NOBODY} not found`);
    const events = await api.sql<{ action: string; changes: Record<string, unknown> }[]>`
      select action, changes from service_events where target_id = ${added.id}`;
    const updated = events.find(({ action }) => action === 'guardrail_rule.updated')!;
    expect(events.map(({ action }) => action).sort()).toEqual(['guardrail_rule.created', 'guardrail_rule.updated']);
    expect(updated.changes).toMatchObject({ enabled: [true, false], severity: ['violation', 'warning'] });
  });

  it('have appeals that are upheld and dismissed, and freezes that are lifted', async () => {
    const owner = await api.asUser('owner');
    const { id: agent_id } = (await owner.send('POST', '/agents', { name: 'Asha' })).body;
    const appealed = async () => {
      const row = {
        workspace_id: owner.workspace_id,
        id: newId(),
        rule_id: NOBODY,
        rule_name: 'No threats',
        category: 'abuse',
        severity: 'violation',
        agent_id,
        agent_name: 'Asha',
        call_id: newId(),
        quote: 'or else',
        confidence: 1,
        action: 'frozen',
        strike: 2,
        created_at: new Date(),
      };
      await api.sql`insert into guardrail_incidents ${api.sql(row)}`;
      await owner.send('POST', `/guardrails/incidents/${row.id}/appeal`, { text: 'The caller said that, not Asha.' });
      return row.id;
    };
    const freeze = (incidentId: string) => api.sql`
      update agents set status = 'frozen', frozen_incident_id = ${incidentId}, frozen_from = 'active' where id = ${agent_id}`;
    const status = async () => (await owner.send('GET', `/agents/${agent_id}`)).body.status;

    const first = await appealed();
    await freeze(first);
    expect((await operator('appeal list')).text).toContain('The caller said that, not Asha.');
    expect((await operator(`appeal dismiss ${first} 'you are right'`)).result.status).toBe('dismissed');
    expect(await status()).toBe('active');
    expect(await refusal(`appeal uphold ${first} no`)).toContain('only an appeal can be decided');
    const second = await appealed();
    await freeze(second);
    expect((await operator(`appeal uphold ${second} 'it was Asha'`)).result.status).toBe('upheld');
    expect(await status()).toBe('frozen');
    await operator(`agent unfreeze ${owner.workspace_id} ${agent_id}`);
    expect(await status()).toBe('active');
    expect(await refusal(`agent unfreeze ${owner.workspace_id} ${agent_id}`)).toBe(
      `no frozen agent ${agent_id} in this workspace`,
    );
    expect(await refusal(`appeal dismiss ${NOBODY} sorry`)).toBe(`incident ${NOBODY} not found`);
    expect(await trailOf(owner.workspace_id)).toEqual([
      'agent.unfrozen',
      'agent.unfrozen',
      'incident.dismissed',
      'incident.upheld',
      'workspace.created',
    ]);
  });
});

describe('workspaces, keys, numbers and models', () => {
  it('are in the audit trail, with masked numbers', async () => {
    const { workspace_id } = (await operator('workspace create Acme')).result;
    expect((await operator('workspace list')).text).toMatch(
      new RegExp(`^${workspace_id}  active +starter .* Acme$`, 'm'),
    );
    const { api_key } = (await operator(`key create ${workspace_id} second`)).result;
    const headers = { 'x-api-key': api_key };
    const payload = { name: 'Asha' };
    const agent = await request(api.http, { method: 'POST', url: '/api/v1/agents', headers, payload });
    await operator('number add +918000000003', { workspace: workspace_id, provider: 'twilio' });
    await operator('number connect +918000000003', { agent: agent.body.id });
    await operator(`workspace models ${workspace_id} groq/llama-3.3-70b-versatile`);
    expect(await refusal(`workspace models ${workspace_id} nobody/x`)).toMatch(/^"nobody/);
    expect(await refusal('number connect +918000000003', { agent: NOBODY })).toContain('not found');
    expect(await refusal('number add +918000000003', { workspace: workspace_id, provider: 'twilio' })).toBe(
      'the number +918000000003 exists already',
    );
    expect(await trailOf(workspace_id)).toEqual([
      'key.created',
      'number.added',
      'number.connected',
      'workspace.created',
      'workspace.updated',
    ]);
    const rows = await api.sql`select * from audit_events where workspace_id = ${workspace_id}`;
    expect(JSON.stringify(rows)).not.toContain('8000000003');
    expect(JSON.stringify(rows)).not.toContain(api_key);
  });
});
