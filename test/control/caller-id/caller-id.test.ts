import { beforeAll, describe, expect, it } from 'vitest';
import { decideCallerId } from '../../../control/caller-id/decide-caller-id.ts';
import { request, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { jpegFile, pngFile } from '../../support/image-files.ts';
import { type FormPart, multipartForm } from '../../support/multipart-form.ts';

let api: TestApi;
let acme: UserClient;
let next = 0;

const LOGO = pngFile({ width: 4, height: 4, color_type: 2, at: () => [200, 0, 0] });

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.asUser('admin');
});

/** An active number of the workspace that no other test uses. */
async function newNumber(workspaceId = acme.workspace_id, status = 'active'): Promise<string> {
  const number = `+9180000${String(10_000 + next++)}`;
  await api.sql`
    insert into numbers (number, workspace_id, provider, status, created_at)
    values (${number}, ${workspaceId}, 'twilio', ${status}, now())`;
  return number;
}

async function ask(numbers: string[], parts: FormPart[] = [], client = acme) {
  const fields: FormPart[] = [
    ...numbers.map((value) => ({ name: 'numbers', value })),
    { name: 'display_name', value: 'Acme Clinic' },
    { name: 'call_reason', value: 'Appointments' },
    { name: 'logo', value: LOGO, file_name: 'logo.gif' },
  ];
  // A part that is sent again replaces the first.
  const form = multipartForm([...fields, ...parts]);
  const headers = { authorization: `Bearer ${client.token}`, ...form.headers };
  return request(api.http, { method: 'POST', url: '/api/v1/caller-id', headers, payload: form.payload });
}

/** Ids of one millisecond have no order. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 5));

const decide = (id: string, to: 'in_review' | 'active' | 'rejected', reason = '') =>
  api.sql.begin((tx) =>
    decideCallerId(tx, {
      request_id: id,
      to,
      reason,
      actor: { kind: 'service', id: 'operator', name: 'operator' },
      at_ms: Date.now(),
    }),
  );

const act = (id: string, what: 'withdraw' | 'remove') => acme.send('POST', `/caller-id/${id}/${what}`);

describe('a request', () => {
  it('is created, listed, and shows its logo', async () => {
    const [first, second] = [await newNumber(), await newNumber()];
    const { status, body } = await ask([first, second]);
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[a-f0-9]{32}$/),
        numbers: [first, second],
        display_name: 'Acme Clinic',
        call_reason: 'Appointments',
        has_logo: true,
        status: 'submitted',
        rejection_reason: '',
        fee_paise: 0,
        currency: 'INR',
        paid_until: null,
        created_by: 'The admin',
        created_at: expect.stringMatching(/\+05:30$/),
        decided_at: null,
      },
    ]);
    await aMoment();
    const later = (await ask([`${await newNumber()}, ${await newNumber()}`])).body;
    expect(later.numbers).toHaveLength(2);
    const viewer = await api.asUser('viewer', acme.workspace_id);
    expect((await viewer.send('GET', '/caller-id')).body.slice(0, 2)).toEqual([later, body]);
    const logo = await api.http.inject({
      url: `/api/v1/caller-id/${body.id}/logo`,
      headers: { authorization: `Bearer ${viewer.token}` },
    });
    expect(logo.headers['content-type']).toBe('image/png');
    expect(logo.rawPayload.equals(LOGO)).toBe(true);
    const jpeg = await ask([await newNumber()], [{ name: 'logo', value: jpegFile(), file_name: 'x.png' }]);
    expect((await viewer.send('GET', `/caller-id/${jpeg.body.id}/logo`)).headers['content-type']).toBe('image/jpeg');
  });

  it('is for active numbers of the workspace, each once', async () => {
    const stranger = await api.asUser('owner');
    const own = await newNumber();
    for (const other of [
      await newNumber(stranger.workspace_id),
      await newNumber(undefined, 'past_due'),
      '+911234567890',
    ]) {
      const { status, body } = await ask([own, other]);
      expect([status, body.detail]).toEqual([
        422,
        [
          {
            type: 'value_error',
            loc: ['body', 'numbers', 1],
            msg: 'this is not an active number of the workspace',
            input: other,
          },
        ],
      ]);
    }
    expect((await ask([own, own])).body.detail[0]).toMatchObject({ loc: ['body', 'numbers'], msg: 'each number once' });
    expect((await ask(['seven'])).body.detail[0]).toMatchObject({ type: 'string_pattern_mismatch' });
    expect((await ask([])).body.detail[0]).toMatchObject({ type: 'missing', loc: ['body', 'numbers'] });
    const many = Array.from({ length: 21 }, (_, i) => `+9190000000${10 + i}`);
    expect((await ask(many)).body.detail[0]).toMatchObject({ type: 'too_long', loc: ['body', 'numbers'] });
  });

  it('has a name, a reason and a logo', async () => {
    const number = await newNumber();
    const wrong = async (part: FormPart) => ask([number], [part]);
    expect((await wrong({ name: 'display_name', value: 'x'.repeat(33) })).status).toBe(422);
    expect((await wrong({ name: 'display_name', value: ' ' })).status).toBe(422);
    expect((await wrong({ name: 'call_reason', value: 'x'.repeat(201) })).status).toBe(422);
    const large = Buffer.concat([LOGO, Buffer.alloc(1024 * 1024)]);
    expect(await wrong({ name: 'logo', value: large, file_name: 'logo.png' })).toMatchObject({
      status: 413,
      body: { detail: 'the file is larger than 1 MB' },
    });
    for (const value of [Buffer.from('%PDF-1.4'), Buffer.from('GIF89a'), LOGO.subarray(0, 40)]) {
      expect(await wrong({ name: 'logo', value, file_name: 'logo.png' })).toMatchObject({
        status: 415,
        body: { detail: 'only PNG or JPG files' },
      });
    }
    const form = multipartForm([
      { name: 'numbers', value: number },
      { name: 'display_name', value: 'A' },
      { name: 'call_reason', value: 'B' },
    ]);
    const headers = { authorization: `Bearer ${acme.token}`, ...form.headers };
    const none = await request(api.http, { method: 'POST', url: '/api/v1/caller-id', headers, payload: form.payload });
    expect([none.status, none.body.detail[0]]).toEqual([
      422,
      { type: 'missing', loc: ['body', 'logo'], msg: 'Field required', input: null },
    ]);
    expect((await acme.send('POST', '/caller-id', { numbers: [number] })).status).toBe(415);
  });

  it('reserves its numbers until it is over', async () => {
    const number = await newNumber();
    const other = await newNumber();
    const answers = await Promise.all([ask([number]), ask([other, number]), ask([number, other])]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    for (const { status, body } of answers) {
      if (status === 409) expect(body.detail).toMatch(/^a caller-id request for \+9180000\d+ is already open$/);
    }
    const { id } = answers.find(({ status }) => status === 201)!.body;
    expect((await ask([number])).status).toBe(409);
    expect((await act(id, 'withdraw')).status).toBe(200);
    const again = await ask([number, other]);
    expect(again.status).toBe(201);
    await decide(again.body.id, 'rejected', 'the logo is not yours');
    expect((await ask([number])).status).toBe(201);
  });

  it('carries the fee the team has set, unless the plan includes it', async () => {
    await api.sql`
      insert into rates (component, currency, rate_paise, updated_at) values ('caller_id', 'INR', 49900, now())
      on conflict do nothing`;
    const { body } = await ask([await newNumber()]);
    expect(body).toMatchObject({ fee_paise: 49_900, currency: 'INR' });
    await api.sql`update workspaces set plan_id = 'scale' where id = ${acme.workspace_id}`;
    // The fee is the one at the approval.
    expect(await decide(body.id, 'active')).toMatchObject({ fee_paise: 0 });
    expect((await ask([await newNumber()])).body.fee_paise).toBe(0);
    await api.sql`update workspaces set plan_id = 'starter' where id = ${acme.workspace_id}`;
    await api.sql`delete from rates`;
  });
});

describe('its states', () => {
  const texts = async (id: string) => [
    (await act(id, 'withdraw')).body.detail,
    (await act(id, 'remove')).body.detail,
    await decide(id, 'in_review'),
    await decide(id, 'active'),
    await decide(id, 'rejected', 'no'),
  ];
  const over = (status: string) => Array(5).fill(`the caller-id request is ${status}`);

  it('go from submitted over in review to active and removed', async () => {
    const { id } = (await ask([await newNumber()])).body;
    expect((await act(id, 'remove')).body).toEqual({ detail: 'the caller-id request is submitted' });
    expect(await decide(id, 'in_review')).toMatchObject({ status: 'in_review', decided_at: null });
    expect(await decide(id, 'in_review')).toBe('the caller-id request is in review');
    expect((await act(id, 'remove')).body).toEqual({ detail: 'the caller-id request is in review' });
    expect(await decide(id, 'active')).toMatchObject({ status: 'active', decided_at: expect.any(Date) });
    expect((await act(id, 'withdraw')).status).toBe(409);
    const removed = await act(id, 'remove');
    expect(removed).toMatchObject({ status: 200, body: { status: 'removed', decided_at: expect.any(String) } });
    expect(await texts(id)).toEqual(over('removed'));
    const rows = await api.sql<{ action: string; actor_kind: string }[]>`
      select action, actor_kind from audit_events where target_id = ${id}`;
    expect(rows.map(({ action, actor_kind }) => `${action} by ${actor_kind}`).sort()).toEqual([
      'caller_id.active by service',
      'caller_id.in_review by service',
      'caller_id.removed by user',
      'caller_id.requested by user',
    ]);
  });

  it('end in withdrawn and rejected', async () => {
    const first = (await ask([await newNumber()])).body.id;
    await decide(first, 'in_review');
    expect((await act(first, 'withdraw')).body).toMatchObject({ status: 'withdrawn', decided_at: null });
    expect(await texts(first)).toEqual(over('withdrawn'));
    await aMoment();
    const second = (await ask([await newNumber()])).body.id;
    expect(await decide(second, 'rejected', 'the logo is not yours')).toMatchObject({ status: 'rejected' });
    const [shown] = (await acme.send('GET', '/caller-id')).body;
    expect(shown).toMatchObject({ id: second, rejection_reason: 'the logo is not yours' });
    expect(await texts(second)).toEqual(over('rejected'));
  });

  it('change once for two concurrent requests', async () => {
    const { id } = (await ask([await newNumber()])).body;
    const [withdrawn, decided] = await Promise.all([act(id, 'withdraw'), decide(id, 'active')]);
    expect([withdrawn.status === 200, typeof decided !== 'string'].filter(Boolean)).toHaveLength(1);
  });
});

describe('permissions', () => {
  it('to request: signed-in owners and admins; to read: all members; of their own workspace', async () => {
    const { id } = (await ask([await newNumber()])).body;
    const developer = await api.asUser('developer', acme.workspace_id);
    const refused = { status: 403, body: { detail: 'your role cannot do this (numbers.manage)' } };
    expect(await developer.send('POST', `/caller-id/${id}/withdraw`)).toMatchObject(refused);
    const stranger = await api.asUser('owner');
    const absent = { status: 404, body: { detail: 'caller-id request not found' } };
    expect(await stranger.send('POST', `/caller-id/${id}/withdraw`)).toMatchObject(absent);
    expect(await stranger.send('POST', `/caller-id/${id}/remove`)).toMatchObject(absent);
    expect(await stranger.send('GET', `/caller-id/${id}/logo`)).toMatchObject(absent);
    expect((await stranger.send('GET', '/caller-id')).body).toEqual([]);
    const key = await api.newWorkspace();
    expect((await key.send('GET', '/caller-id')).status).toBe(200);
    const signIn = { detail: 'your role cannot do this (numbers.manage): sign in, API keys are refused' };
    expect((await key.send('POST', `/caller-id/${id}/remove`)).body).toEqual(signIn);
    const waiting = await api.signUp();
    expect((await waiting.send('GET', '/caller-id')).body.code).toBe('workspace_inactive');
    expect(await decide('f'.repeat(32), 'active')).toBe(`caller-id request ${'f'.repeat(32)} not found`);
  });
});
