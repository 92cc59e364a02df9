import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runBatchTicks } from '../../../control/batches/batch-job.ts';
import { deleteOldUploads } from '../../../control/batches/store.ts';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { transitionCall } from '../../../control/calls/lifecycle/call-state-machine.ts';
import { dequeueNext } from '../../../control/calls/queue/call-queue.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { giveCredits, PLENTY_PAISE } from '../../support/credits.ts';
import { multipartForm } from '../../support/multipart-form.ts';

let api: TestApi;
let client: Client;
let agent_id: string;
let numbers = 0;

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  client = await api.newWorkspace();
  agent_id = (await client.send('POST', '/agents', { name: 'Asha' })).body.id;
  await addNumber();
});

async function addNumber(): Promise<string> {
  const number = `+9111${String(50_000_000 + ++numbers)}`;
  const { workspace_id } = client;
  const row = { number, workspace_id, agent_id: null, provider: 'twilio', created_at: new Date() };
  await api.sql`insert into numbers ${api.sql(row)}`;
  return number;
}

async function upload(file: string | Buffer, fields: Record<string, string> = {}, file_name = 'people.csv') {
  const parts = Object.entries(fields).map(([name, value]) => ({ name, value }));
  const { payload, headers } = multipartForm([...parts, { name: 'file', value: file, file_name }]);
  return client.send('POST', '/batches/uploads', payload, headers);
}

const CONTACTS = [
  { to_number: '+919811112222', user_data: { name: 'Asha', due: 12.5, vip: true } },
  { to_number: '+919811113333' },
];
const make = (more: object = {}) => client.send('POST', '/batches', { agent_id, contacts: CONTACTS, ...more });
const feed = () => runBatchTicks({ sql: api.sql, clock: systemClock, writeLog: () => {} }, [client.workspace_id]);
async function dial(): Promise<CallRow> {
  const call = await api.sql.begin((tx) => dequeueNext(tx, client.workspace_id, Date.now() + 1_000));
  return call!;
}
async function finish(call: CallRow, change: object): Promise<void> {
  await api.sql.begin(async (tx) => {
    const at = new Date();
    await transitionCall(tx, call, 'in-progress', { started_at: at });
    await transitionCall(tx, call, 'ended', { ended_at: at, hangup_by: 'caller', hangup_reason: 'caller hung up' });
    await transitionCall(tx, call, 'completed', { completed_at: at, ...change });
  });
}
const auditOf = async (action: string) =>
  (await client.send('GET', `/audit-events?action=${action}`)).body.items as Record<string, unknown>[];

describe('a file of contacts', () => {
  it('is parsed, shown, and deleted after 24 hours', async () => {
    const { status, body } = await upload('Tel;Name\n8811112222;Asha\n8811112222;Ravi\nx;y\n', {
      ...{ phone_column: 'tel', country_code: '+49' },
    });
    expect([status, body]).toMatchObject([
      201,
      {
        ...{ file_name: 'people.csv', columns: ['Tel', 'Name'], phone_column: 'Tel' },
        ...{ total_rows: 3, valid_rows: 1, duplicate_rows: 1, invalid_rows: 1 },
        errors: [{ row: 4, column: 'Tel', msg: 'this is not a phone number' }],
        preview: [{ Tel: '8811112222', Name: 'Asha' }, { Name: 'Ravi' }, { Name: 'y' }],
      },
    ]);
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(86_400_000);
    expect((await client.send('GET', `/batches/uploads/${body.id}`)).body).toEqual(body);
    const stranger = await api.newWorkspace();
    expect((await stranger.send('GET', `/batches/uploads/${body.id}`)).body.detail).toBe('upload not found');
    await api.sql`update batch_uploads set expires_at = now() - interval '1 second' where id = ${body.id}`;
    expect((await client.send('GET', `/batches/uploads/${body.id}`)).status).toBe(404);
    expect((await make({ contacts: undefined, upload_id: body.id })).body.detail).toBe('upload not found');
    await deleteOldUploads(api.sql, Date.now());
    expect(await api.sql`select id from batch_uploads where id = ${body.id}`).toEqual([]);
  });

  it('is refused with a message', async () => {
    const large = await upload(`phone\n${'9811112222\n'.repeat(500_000)}`);
    expect([large.status, large.body.detail]).toEqual([413, 'the file is larger than 5 MB']);
    const picture = await upload(Buffer.from('89504e470d0a1a0a0000000d', 'hex'));
    expect([picture.status, picture.body.detail]).toEqual([415, 'only CSV files']);
    const broken = await upload('phone\nx\n');
    expect([broken.status, broken.body.detail[0].loc]).toEqual([422, ['body', 'file']]);
    const country = await upload('phone\n9811112222\n', { country_code: 'IN' });
    expect([country.status, country.body.detail[0].loc]).toEqual([422, ['body', 'country_code']]);
    const column = await upload('phone\n9811112222\n', { phone_column: 'who' });
    expect([column.status, column.body.detail[0].loc]).toEqual([422, ['body', 'phone_column']]);
  });
});

describe('arbitrary files', () => {
  it('are accepted or refused with a message', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('9811112222', '"', '\n', ',', ';', '\0', '😀'.repeat(150), '=1+1'),
    );
    const file = fc.oneof(
      fc
        .tuple(fc.constantFrom('phone', 'Phone;x', '"number', ''), fc.array(fc.array(cell), { maxLength: 5 }))
        .map(([header, rows]) => Buffer.from(`${header}\n9811112222\n${rows.map((row) => row.join(',')).join('\n')}`)),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(file, fc.string({ maxLength: 10 }), async (sent, phone_column) => {
        const fields: Record<string, string> = phone_column.includes('--') ? {} : { phone_column };
        const { status, body } = await upload(sent, fields);
        expect([201, 415, 422], JSON.stringify(body)).toContain(status);
        if (status !== 201) return;
        const made = await make({ contacts: undefined, upload_id: body.id });
        expect([made.status, made.body.total]).toEqual([201, body.valid_rows]);
      }),
      { seed: Number(process.env.PROPERTY_SEED ?? 20_260_101), numRuns: 40 },
    );
  });
});

describe('a batch', () => {
  it('is created from a list, with its defaults', async () => {
    const twice = [...CONTACTS, { to_number: '+919811112222', user_data: {} }];
    const { status, body } = await make({ contacts: twice });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...{ agent_id, agent_name: 'Asha', status: 'running', from_numbers: [], webhook_url: '' },
      ...{ scheduled_at: null, concurrency: null, max_attempts: 1, retry_after_minutes: 60 },
      ...{ retry_on: ['no-answer', 'busy'], total: 3, progress: 33, paused_reason: '', cost_paise: 0 },
      ...{ currency: 'INR', completed_at: null, counts: { pending: 2, skipped: 1, completed: 0 } },
    });
    expect(body.name).toBe(`Batch of ${body.created_at.slice(0, 10)}`);
    const contacts = (await client.send('GET', `/batches/${body.id}/contacts`)).body;
    expect(contacts.total).toBe(3);
    expect(contacts.items).toMatchObject([
      { row: 1, to_number: '+919811112222', user_data: { name: 'Asha', due: 12.5, vip: true }, status: 'pending' },
      { row: 2, to_number: '+919811113333', user_data: {}, attempts: 0, call_id: null },
      { row: 3, status: 'skipped', hangup_reason: 'duplicate number' },
    ]);
    const skipped = (await client.send('GET', `/batches/${body.id}/contacts?status=skipped,failed&limit=1`)).body;
    expect([skipped.total, skipped.items[0].row]).toEqual([1, 3]);
    expect(await auditOf('batch.created')).toMatchObject([
      { target: { kind: 'batch', id: body.id, name: body.name }, data: { contacts: 3, status: 'running' } },
    ]);
  });

  it('is created from a file, once for each Idempotency-Key', async () => {
    const { body: file } = await upload('phone,Due Date\n9811112222,5 May\n\n9811113333,\n');
    const send = () =>
      client.send('POST', '/batches', { agent_id, upload_id: file.id, name: 'May' }, { 'idempotency-key': 'one' });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const { items } = (await client.send('GET', `/batches/${first.body.id}/contacts`)).body;
    expect(items).toMatchObject([
      { row: 2, to_number: '+919811112222', user_data: { due_date: '5 May' } },
      { row: 4, to_number: '+919811113333', user_data: {} },
    ]);
  });

  it('is refused in the order of the checks', async () => {
    const detailOf = async (more: object) => {
      const { status, body } = await make(more);
      const { detail } = body;
      return `${status} ${typeof detail === 'string' ? detail : `${detail[0].loc.join('.')}: ${detail[0].msg}`}`;
    };
    const DAY_MS = 86_400_000;
    const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
    const upload_id = newId();
    expect(await detailOf({ upload_id })).toBe('422 body.contacts: send either upload_id or contacts');
    expect(await detailOf({ contacts: undefined })).toBe('422 body.contacts: send either upload_id or contacts');
    expect(await detailOf({ contacts: [] })).toContain('422 body.contacts: List should have at least 1 item');
    expect(await detailOf({ contacts: Array(1_001).fill(CONTACTS[0]) })).toContain('at most 1000 items');
    expect(await detailOf({ contacts: [{ to_number: '9811112222' }] })).toContain('422 body.contacts.0.to_number');
    expect(await detailOf({ max_attempts: 6 })).toContain('422 body.max_attempts');
    expect(await detailOf({ retry_on: ['completed'] })).toContain('422 body.retry_on.0');
    expect(await detailOf({ scheduled_at: at(31) })).toContain('422 body.scheduled_at');
    expect(await detailOf({ webhook_url: 'nowhere' })).toBe('422 body.webhook_url: Input should be a valid URL');
    expect(await detailOf({ webhook_url: 'https://127.0.0.1/x' })).toContain('422 body.webhook_url: the url must be');
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`a${index}`, 'x']));
    const more = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`b${index}`, 'x']));
    const wide = [many, more].map((user_data) => ({ to_number: '+919811112222', user_data }));
    expect(await detailOf({ contacts: wide })).toBe('422 body.contacts: at most 100 different names in user_data');
    expect(await detailOf({ agent_id: newId() })).toBe('404 agent not found');
    expect(await detailOf({ contacts: undefined, upload_id })).toBe('404 upload not found');
    expect(await detailOf({ from_numbers: ['+911111111111'] })).toBe(
      '400 +911111111111 is not an active number of this workspace',
    );
    await api.sql`update agents set status = 'frozen' where id = ${agent_id}`;
    expect(await detailOf({ from_numbers: ['+911111111111'] })).toBe('409 the agent is frozen');
    await api.sql`update agents set status = 'active' where id = ${agent_id}`;
    await addNumber();
    expect(await detailOf({})).toContain('400 no caller number');
    const [wallet] = await api.sql`
      select (paid_paise + free_paise)::bigint as credits from wallets where workspace_id = ${client.workspace_id}`;
    await giveCredits(api.sql, client.workspace_id, -Number(wallet!.credits));
    const number = `+9111${String(50_000_000 + numbers)}`;
    expect(await detailOf({ from_numbers: [number] })).toBe('402 out of credits: add credits in Billing');
    await giveCredits(api.sql, client.workspace_id, PLENTY_PAISE);
    expect((await make({ from_numbers: [number, number], scheduled_at: at(29) })).body).toMatchObject({
      ...{ status: 'scheduled', from_numbers: [number], started_at: null },
    });
    expect((await make({ from_numbers: [number], scheduled_at: at(-1) })).body.status).toBe('running');
  });

  it('is refused beyond a thousand active ones', async () => {
    const { body } = await make({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    await api.sql`
      insert into batches
      select (jsonb_populate_record(batches, jsonb_build_object('id', md5(at::text || ${body.id})))).*
      from batches, generate_series(1, 999) as at where id = ${body.id}`;
    const refused = { status: 409, body: { detail: 'at most 1000 batches under way: wait for some, or cancel them' } };
    expect(await make()).toMatchObject(refused);
    await client.send('POST', `/batches/${body.id}/cancel`);
    expect((await make()).status).toBe(201);
  });

  it('is listed newest first, by status and agent', async () => {
    const first = (await make()).body;
    const second = (await make({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() })).body;
    const list = async (query = '') => {
      const { status, body } = await client.send('GET', `/batches${query}`);
      return status === 200 ? [body.total, ...body.items.map((each: { id: string }) => each.id)] : status;
    };
    expect(await list()).toEqual([2, second.id, first.id]);
    expect(await list('?limit=1&skip=1')).toEqual([2, first.id]);
    expect(await list('?status=running,paused')).toEqual([1, first.id]);
    expect(await list(`?agent_id=${agent_id}&status=scheduled`)).toEqual([1, second.id]);
    expect(await list('?agent_id=unknown')).toEqual([0]);
    expect(await list('?status=going')).toBe(422);
    expect(await list(`?status=${Array(12).fill('running').join(',')}`)).toBe(422);
    expect(await list(`?agent_id=${'a'.repeat(65)}`)).toBe(422);
    expect(await list('?limit=201')).toBe(422);
    expect((await client.send('GET', `/batches/${first.id}`)).body).toEqual(first);
    const hits = (await client.send('GET', '/search?q=batch%20of')).body.batches;
    expect(hits.map((hit: { id: string }) => hit.id)).toEqual([second.id, first.id]);
    expect((await client.send('GET', `/search?q=${first.id}`)).body.batches[0].subtitle).toBe('running · 2 contacts');
  });

  it('changes its name, webhook URL and concurrency', async () => {
    const { id } = (await make()).body;
    const changed = await client.send('PATCH', `/batches/${id}`, {
      ...{ name: 'Reminder', concurrency: 2, webhook_url: 'https://example.com/hook' },
    });
    expect(changed.body).toMatchObject({ name: 'Reminder', concurrency: 2, webhook_url: 'https://example.com/hook' });
    const address = () => api.sql`select url from campaign_webhooks where batch_id = ${id}`;
    expect(await address()).toEqual([{ url: 'https://example.com/hook' }]);
    expect((await client.send('PATCH', `/batches/${id}`, { webhook_url: 'http://x.example' })).status).toBe(422);
    const cleared = await client.send('PATCH', `/batches/${id}`, { webhook_url: '', concurrency: null });
    expect(cleared.body).toMatchObject({ name: 'Reminder', concurrency: null, webhook_url: '' });
    expect(await address()).toEqual([]);
    const [, first] = await auditOf('batch.updated');
    expect(first).toMatchObject({
      changes: { name: [expect.any(String), 'Reminder'], concurrency: [null, 2], webhook_url: ['changed', 'changed'] },
    });
  });

  it('delivers the events of its calls to its own webhook URL', async () => {
    const { id } = (await make({ webhook_url: 'https://example.com/hook' })).body;
    await feed();
    const deliveries = await api.sql`
      select d.event_type, d.url from webhook_deliveries d join calls k on k.id = d.call_id where k.batch_id = ${id}`;
    expect(deliveries).toEqual(Array(2).fill({ event_type: 'call.queued', url: 'https://example.com/hook' }));
    const [call] = (await client.send('GET', `/calls?batch_id=${id}`)).body.items;
    expect(call).toMatchObject({
      batch_id: id,
      started_by: expect.stringMatching(/^batch Batch of/),
      status: 'queued',
    });
    await client.send('POST', `/batches/${id}/cancel`);
    expect((await client.send('DELETE', `/batches/${id}`)).status).toBe(204);
    expect(await api.sql`select url from campaign_webhooks where batch_id = ${id}`).toEqual([]);
  });

  const hour = () => new Date(Date.now() + 3_600_000).toISOString();
  const STATES: Record<string, () => Promise<string>> = {
    scheduled: async () => (await make({ scheduled_at: hour() })).body.id,
    running: async () => (await make()).body.id,
    'paused before its time': async () => {
      const { id } = (await make({ scheduled_at: hour() })).body;
      await client.send('POST', `/batches/${id}/pause`);
      return id;
    },
    paused: async () => {
      const { id } = (await make()).body;
      await client.send('POST', `/batches/${id}/pause`);
      return id;
    },
    canceled: async () => {
      const { id } = (await make()).body;
      await client.send('POST', `/batches/${id}/cancel`);
      return id;
    },
    completed: async () => {
      const { id } = (await make({ contacts: [CONTACTS[0]] })).body;
      await feed();
      await finish(await dial(), {});
      await feed();
      return id;
    },
  };
  it.each<[state: string, pause: string, resume: string, cancel: string, patch: string, remove: string]>([
    ['scheduled', 'paused', '409 the batch is not paused', 'canceled', 'scheduled', 'removed'],
    [
      'running',
      'paused',
      '409 the batch is not paused',
      'canceled',
      'running',
      '409 the batch is running: cancel it first',
    ],
    [
      'paused before its time',
      '409 the batch is already paused',
      'scheduled',
      'canceled',
      'paused',
      '409 the batch is paused: cancel it first',
    ],
    [
      'paused',
      '409 the batch is already paused',
      'running',
      'canceled',
      'paused',
      '409 the batch is paused: cancel it first',
    ],
    [
      'canceled',
      '409 the batch is over',
      '409 the batch is over',
      '409 the batch is over',
      '409 the batch is over',
      'removed',
    ],
    [
      'completed',
      '409 the batch is over',
      '409 the batch is over',
      '409 the batch is over',
      '409 the batch is over',
      'removed',
    ],
  ])('that is %s has these transitions', async (state, ...expected) => {
    const asked = [
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/cancel'],
      ['PATCH', '', { name: 'New' }],
      ['DELETE', ''],
    ] as const;
    const became: string[] = [];
    for (const [method, path, sent] of asked) {
      const id = await STATES[state]!();
      const { status, body } = await client.send(method, `/batches/${id}${path}`, sent);
      became.push(status === 204 ? 'removed' : status === 200 ? body.status : `${status} ${body.detail}`);
      if (status === 409) continue;
      const after = await client.send('GET', `/batches/${id}`);
      expect(after.status).toBe(status === 204 ? 404 : 200);
    }
    expect(became).toEqual(expected);
  });

  it('belongs to its workspace', async () => {
    const { id } = (await make()).body;
    const stranger = await api.newWorkspace();
    const asked: [method: string, path: string, body?: object][] = [
      ...['', '/contacts', '/results'].map((path): [string, string] => ['GET', path]),
      ...['/pause', '/resume', '/cancel'].map((path): [string, string] => ['POST', path]),
      ['DELETE', ''],
      ['PATCH', '', { name: 'Mine' }],
    ];
    for (const [method, path, body] of asked) {
      const answer = await stranger.send(method, `/batches/${id}${path}`, body);
      expect([method, path, answer.status, answer.body.detail]).toEqual([method, path, 404, 'batch not found']);
    }
    expect((await client.send('GET', `/batches/${id}`)).body.status).toBe('running');
  });
});

describe('the results', () => {
  it('have a row per contact, the columns of the file, and what was extracted; no cell is a formula', async () => {
    const { body: file } = await upload(
      'Name,Phone,Due Date\n"=cmd|\' /C calc\'!A0",9811112222,5 May\nRavi,9811113333,\n',
    );
    const { id } = (await make({ contacts: undefined, upload_id: file.id })).body;
    await feed();
    const call = await dial();
    await finish(call, {
      ...{ duration_seconds: 61, answered_by: 'human', cost_paise: 1_234, summary: '@Was "glad",\nvery' },
      extracted: { mood: 'good', '=key': [1, 2] },
    });
    await feed();
    const { status, headers, body } = await client.send('GET', `/batches/${id}/results?timezone=UTC`);
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(headers['content-disposition']).toContain(`batch-${id}.csv`);
    const [columns, first, second, ...rest] = parse(body) as string[][];
    expect(columns).toEqual([
      ...['row', 'to', 'status', 'attempts', 'call_id', 'started_at', 'duration_seconds', 'answered_by'],
      ...['hangup_reason', 'summary', 'cost', 'name', 'due_date', 'extracted.=key', 'extracted.mood'],
    ]);
    expect(first).toEqual([
      ...['2', '+919811112222', 'completed', '1', call.id],
      expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$/),
      ...[
        '61',
        'human',
        'caller hung up',
        '\'@Was "glad",\nvery',
        '12.34',
        "'=cmd|' /C calc'!A0",
        '5 May',
        '[1,2]',
        'good',
      ],
    ]);
    expect(second!.slice(0, 4)).toEqual(['3', '+919811113333', 'queued', '1']);
    expect(rest).toEqual([]);
    expect(await auditOf('batch.results_downloaded')).toHaveLength(1);
  });

  it('of a long batch are complete, and long batches are listed quickly', async () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => `98${String(at).padStart(8, '0')},Person ${at}`);
    const { body: file } = await upload(`phone,name\n${rows.join('\n')}\n`);
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const { body: batch } = await make({ contacts: undefined, upload_id: file.id, scheduled_at });
    expect([batch.total, batch.counts.pending]).toEqual([10_000, 10_000]);
    const { body } = await client.send('GET', `/batches/${batch.id}/results`);
    const cells = parse(body) as string[][];
    expect(cells).toHaveLength(10_001);
    expect(cells.at(-1)!.slice(0, 3)).toEqual(['10001', '+919800009999', 'pending']);
    const plan = await api.sql`
      explain (format json) select sum(contacts) from batch_counts
      where workspace_id = ${client.workspace_id} and batch_id = ${batch.id}`;
    expect(JSON.stringify(plan)).not.toContain('batch_contacts');
    expect((await client.send('POST', `/batches/${batch.id}/cancel`)).body.counts.canceled).toBe(10_000);
  });
});
