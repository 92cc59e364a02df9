import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../support/control-app.ts';
import { createWebhookFixture, type WebhookFixture } from './webhook-fixture.ts';

let fixture: WebhookFixture;
let acme: Client;

beforeAll(async () => {
  fixture = await createWebhookFixture();
});
beforeEach(async () => {
  acme = await fixture.client(await fixture.tenant());
});

const URL = 'https://hooks.example/antiphon';
const SECRET = /^whsec_[0-9A-Za-z]{43}$/;
const create = (more: object = {}, client: Client = acme) => client.send('POST', '/webhooks', { url: URL, ...more });

const audited = async (workspace_id: string) => {
  const rows = await fixture.sql`
    select action, target_kind, target_name, changes from audit_events
    where workspace_id = ${workspace_id} and action like 'webhook.%' order by action`;
  return rows.map((row) => ({ ...row }));
};

describe('an endpoint', () => {
  it('returns its secret once, when it is created', async () => {
    const made = await create();
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^we_[0-9a-f]{32}$/),
      url: URL,
      description: '',
      events: ['*'],
      active: true,
      secret_hint: expect.stringMatching(/^whsec_\w{4}…\w{4}$/),
      created_at: expect.stringMatching(/\+05:30$/),
      created_by: 'key of the tests',
      secret: expect.stringMatching(SECRET),
    });
    const { secret, ...shown } = made.body;
    expect(shown.secret_hint).toBe(`whsec_${secret.slice(6, 10)}…${secret.slice(-4)}`);
    expect((await acme.send('GET', '/webhooks')).body).toEqual([shown]);
    const [row] = await fixture.sql`select secret from webhook_endpoints where id = ${made.body.id}`;
    expect(Buffer.from(row!.secret).includes(Buffer.from(secret.slice(6)))).toBe(false);
  });

  it('is changed only in the fields that were sent', async () => {
    const { id } = (await create({ description: 'ours' })).body;
    const changed = await acme.send('PATCH', `/webhooks/${id}`, { events: ['error', '*', 'error'], active: false });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ url: URL, description: 'ours', events: ['error', '*'], active: false });
    expect(changed.body).not.toHaveProperty('secret');
    expect((await acme.send('PATCH', `/webhooks/${id}`, {})).body).toEqual(changed.body);
    expect((await acme.send('GET', '/webhooks')).body).toEqual([changed.body]);
  });

  it('rotates its secret', async () => {
    const made = (await create()).body;
    const rotated = await acme.send('POST', `/webhooks/${made.id}/rotate-secret`);
    expect(rotated.status).toBe(200);
    expect(rotated.body).toEqual({
      ...made,
      secret: expect.stringMatching(SECRET),
      secret_hint: rotated.body.secret_hint,
    });
    expect(rotated.body.secret).not.toBe(made.secret);
    expect((await acme.send('GET', '/webhooks')).body[0].secret_hint).toBe(rotated.body.secret_hint);
  });

  it('can be deleted', async () => {
    const { id } = (await create()).body;
    expect((await acme.send('DELETE', `/webhooks/${id}`)).status).toBe(204);
    expect((await acme.send('GET', '/webhooks')).body).toEqual([]);
    for (const [method, path] of [
      ['DELETE', `/webhooks/${id}`],
      ['PATCH', `/webhooks/${id}`],
      ['POST', `/webhooks/${id}/test`],
      ['POST', `/webhooks/${id}/rotate-secret`],
      ['PATCH', '/webhooks/nonsense'],
    ] as const) {
      const answer = await acme.send(method, path, method === 'PATCH' ? { active: true } : undefined);
      expect([answer.status, answer.body.detail]).toEqual([404, 'webhook endpoint not found']);
    }
  });

  it('belongs to its workspace', async () => {
    const { id } = (await create()).body;
    const other = await fixture.client(await fixture.tenant());
    expect((await other.send('PATCH', `/webhooks/${id}`, { active: false })).status).toBe(404);
    expect((await other.send('DELETE', `/webhooks/${id}`)).status).toBe(404);
    expect((await other.send('POST', `/webhooks/${id}/test`)).status).toBe(404);
    expect((await other.send('POST', `/webhooks/${id}/rotate-secret`)).status).toBe(404);
    expect((await acme.send('GET', '/webhooks')).body).toMatchObject([{ id, active: true }]);
  });

  it('is one of twenty at most, also with concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 23 }, () => create()));
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused.map(({ body }) => body.detail)).toEqual(Array(3).fill('webhook endpoint limit reached (20)'));
    expect((await acme.send('GET', '/webhooks')).body).toHaveLength(20);
  });

  it('writes audit events', async () => {
    const { id } = (await create()).body;
    await acme.send('PATCH', `/webhooks/${id}`, { active: false, url: 'https://hooks.example/other?token=secret' });
    await acme.send('POST', `/webhooks/${id}/rotate-secret`);
    await acme.send('DELETE', `/webhooks/${id}`);
    await acme.send('POST', '/webhooks/default-secret/rotate');
    const target = { target_kind: 'webhook_endpoint', target_name: 'hooks.example', changes: {} };
    expect(await audited(acme.workspace_id)).toEqual([
      { action: 'webhook.created', ...target },
      {
        action: 'webhook.default_secret_rotated',
        target_kind: 'webhook_secret',
        target_name: 'default secret',
        changes: {},
      },
      { action: 'webhook.deleted', ...target },
      { action: 'webhook.secret_rotated', ...target },
      { action: 'webhook.updated', ...target, changes: { active: [true, false], url: ['changed', 'changed'] } },
    ]);
  });

  it.each([
    [{ url: undefined }, 'missing', ['body', 'url']],
    [{ url: 'hooks' }, 'url_parsing', ['body', 'url']],
    [{ url: `https://hooks.example/${'a'.repeat(500)}` }, 'string_too_long', ['body', 'url']],
    [{ description: 'a'.repeat(201) }, 'string_too_long', ['body', 'description']],
    [{ events: [] }, 'too_short', ['body', 'events']],
    [{ events: ['call.dequeued'] }, 'enum', ['body', 'events', 0]],
    [{ events: ['*', 'ping'] }, 'enum', ['body', 'events', 1]],
    [{ active: 'yes' }, 'bool_type', ['body', 'active']],
  ])('refuses %j', async (body, type, loc) => {
    const answer = await create(body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ type, loc }]);
  });
});

describe('a URL', () => {
  it.each([
    'http://hooks.example/',
    'ftp://hooks.example/',
    'https://localhost/',
    'https://intranet/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://10.0.0.1/',
    'https://0x0a.1/',
    'https://167772161/',
    'https://0300.0250.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[::ffff:a00:1]/',
    'https://[fd00::1]/',
    'https://[64:ff9b::a00:1]/',
    'https://192.168.0.1:8443/',
    'https://inside.example/',
    'https://half.example/',
  ])('%s is refused', async (url) => {
    for (const name of ['inside.example', 'localhost', 'intranet', 'printer.local', 'metadata.google.internal']) {
      fixture.names.set(name, ['10.1.2.3']);
    }
    fixture.names.set('half.example', ['93.184.216.34', '169.254.169.254']);
    const { id } = (await create()).body;
    const expected = [{ type: 'value_error', loc: ['body', 'url'], msg: expect.stringContaining('public internet') }];
    const made = await create({ url });
    expect([made.status, made.body.detail]).toMatchObject([422, expected]);
    const changed = await acme.send('PATCH', `/webhooks/${id}`, { url });
    expect([changed.status, changed.body.detail]).toMatchObject([422, expected]);
    expect((await acme.send('GET', '/webhooks')).body).toMatchObject([{ url: URL }]);
  });

  it('whose host does not resolve yet is accepted', async () => {
    fixture.names.set('nowhere.example', []);
    expect((await create({ url: 'https://nowhere.example/' })).status).toBe(201);
  });
});

describe('the default secret', () => {
  it('exists from the start, and is returned only when it is rotated', async () => {
    const first = await acme.send('GET', '/webhooks/default-secret');
    expect(first.body).toEqual({
      secret_hint: expect.stringMatching(/^whsec_\w{4}…\w{4}$/),
      created_at: expect.any(String),
    });
    expect((await acme.send('GET', '/webhooks/default-secret')).body).toEqual(first.body);
    const rotated = await acme.send('POST', '/webhooks/default-secret/rotate');
    expect(rotated.status).toBe(200);
    expect(rotated.body.secret).toMatch(SECRET);
    const { secret: _, ...shown } = rotated.body;
    expect(shown.secret_hint).not.toBe(first.body.secret_hint);
    expect((await acme.send('GET', '/webhooks/default-secret')).body).toEqual(shown);
  });

  it('is created once with concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => acme.send('GET', '/webhooks/default-secret')));
    expect(new Set(answers.map(({ body }) => body.secret_hint)).size).toBe(1);
  });
});

it('the event types are listed', async () => {
  const { body } = await acme.send('GET', '/webhooks/events');
  expect(body).toHaveLength(25);
  expect(
    body.filter(({ lifecycle }: { lifecycle: boolean }) => lifecycle).map(({ type }: { type: string }) => type),
  ).toEqual(['call.queued', 'call.placed', 'call.started', 'call.ended', 'call.completed']);
  expect(body[5]).toEqual({ type: 'call.voicemail', description: expect.any(String), lifecycle: false });
});
