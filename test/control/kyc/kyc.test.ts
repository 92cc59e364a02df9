import { beforeAll, describe, expect, it } from 'vitest';
import { request, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { jpegFile, pngFile, SMALL_PDF } from '../../support/image-files.ts';
import { multipartForm } from '../../support/multipart-form.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

const WHOLE = {
  legal_name: 'Acme Voice Private Limited',
  business_type: 'private_limited',
  pan: 'ABCDE1234F',
  gstin: '29ABCDE1234F1ZW',
  address: { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', pincode: '560001', country: 'IN' },
  contact_name: 'Asha Rao',
  contact_email: 'asha@acme.example',
  contact_phone: '+919876543210',
  use_case: 'Reminders of appointments',
};

const upload = async (owner: UserClient, file: Buffer | null, kind = 'registration', file_name = 'paper.bin') => {
  const parts = file ? [{ name: 'file', value: file, file_name }] : [];
  const form = multipartForm([...parts, { name: 'kind', value: kind }]);
  const headers = { authorization: `Bearer ${owner.token}`, ...form.headers };
  return request(api.http, { method: 'POST', url: '/api/v1/kyc/documents', headers, payload: form.payload });
};

const download = async (owner: UserClient, id: string) => {
  const url = `/api/v1/kyc/documents/${id}`;
  return api.http.inject({ method: 'GET', url, headers: { authorization: `Bearer ${owner.token}` } });
};

/** Ids of one millisecond have no order. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 5));

/** In alphabetical order. */
const auditOf = async (owner: UserClient) => {
  const rows = await api.sql<{ action: string }[]>`
    select action from audit_events where workspace_id = ${owner.workspace_id} and action like 'kyc.%'`;
  return rows.map(({ action }) => action).sort();
};

const setStatus = (owner: UserClient, status: string) =>
  api.sql`update kyc set status = ${status} where workspace_id = ${owner.workspace_id}`;

describe('business details', () => {
  it('are empty at first, and saved as a whole', async () => {
    const owner = await api.signUp();
    const empty = await owner.send('GET', '/kyc');
    expect(empty.status).toBe(200);
    expect(empty.body).toEqual({
      status: 'not_submitted',
      legal_name: '',
      business_type: '',
      pan: '',
      gstin: '',
      cin: '',
      tax_id: '',
      website: '',
      address: { line1: '', line2: '', city: '', state: '', pincode: '', country: 'IN' },
      contact_name: '',
      contact_email: '',
      contact_phone: '',
      use_case: '',
      sample_script: '',
      documents: [],
      submitted_at: null,
      decided_at: null,
      rejection_reason: '',
    });
    const saved = await owner.send('PUT', '/kyc', WHOLE);
    expect(saved.status).toBe(200);
    expect(saved.body).toEqual({ ...empty.body, ...WHOLE, address: { ...WHOLE.address, line2: '' } });
    expect((await owner.send('GET', '/kyc')).body).toEqual(saved.body);
    await aMoment();
    const cleared = await owner.send('PUT', '/kyc', { ...WHOLE, website: 'acme.example', use_case: undefined });
    expect(cleared.body).toMatchObject({ website: 'acme.example', use_case: '' });
    // Saving the same again changes nothing and is not audited.
    await owner.send('PUT', '/kyc', { ...WHOLE, website: 'acme.example', use_case: undefined });
    expect(await auditOf(owner)).toEqual(['kyc.updated', 'kyc.updated']);
    const [{ changes }] = await api.sql<[{ changes: object }]>`
      select changes from audit_events where workspace_id = ${owner.workspace_id} order by id desc limit 1`;
    expect(changes).toEqual({ website: ['changed', 'changed'], use_case: ['changed', 'changed'] });
  });

  it.each([
    [{ pan: 'ABCDE12345' }, ['pan'], 'string_pattern_mismatch'],
    [{ pan: 'abcde1234f' }, ['pan'], 'string_pattern_mismatch'],
    [{ gstin: '29ABCDE1234F1X5' }, ['gstin'], 'string_pattern_mismatch'],
    [{ gstin: '29ZZZZZ1234F1Z5' }, ['gstin'], 'value_error'],
    [{ gstin: '29ABCDE1234F1Z5' }, ['gstin'], 'value_error'],
    [{ gstin: '29ABCDE1234F1Z5', pan: '' }, ['gstin'], 'value_error'],
    [{ gstin: '99ABCDE1234F1ZV', pan: '' }, ['gstin'], 'value_error'],
    [{ business_type: 'club' }, ['business_type'], 'enum'],
    [{ legal_name: 'A' }, ['legal_name'], 'string_too_short'],
    [{ legal_name: 'A'.repeat(201) }, ['legal_name'], 'string_too_long'],
    [{ use_case: 'x'.repeat(4_001) }, ['use_case'], 'string_too_long'],
    [{ contact_email: 'asha' }, ['contact_email'], 'string_pattern_mismatch'],
    [{ contact_phone: 'call me' }, ['contact_phone'], 'string_pattern_mismatch'],
    [{ address: { ...WHOLE.address, state: 'Atlantis' } }, ['address', 'state'], 'value_error'],
    [{ address: { ...WHOLE.address, pincode: '12' } }, ['address', 'pincode'], 'value_error'],
    [{ address: { ...WHOLE.address, country: 'India' } }, ['address', 'country'], 'string_pattern_mismatch'],
    [{ address: 'here' }, ['address'], 'dict_type'],
    [{ sample_script: 4 }, ['sample_script'], 'string_type'],
  ])('reject %o', async (wrong, path, type) => {
    const owner = await api.signUp();
    const { status, body } = await owner.send('PUT', '/kyc', { ...WHOLE, ...wrong });
    expect(status).toBe(422);
    expect(body.detail).toEqual([expect.objectContaining({ type, loc: ['body', ...path] })]);
    expect(await auditOf(owner)).toEqual([]);
  });

  it('of other countries accept any state', async () => {
    const owner = await api.signUp();
    const address = { line1: '1 Main St', city: 'Austin', state: 'Texas', pincode: '78701-1234', country: 'US' };
    expect((await owner.send('PUT', '/kyc', { ...WHOLE, address })).status).toBe(200);
    expect((await owner.send('PUT', '/kyc', { ...WHOLE, address: { ...WHOLE.address, state: 'KA' } })).status).toBe(
      200,
    );
  });

  it('are for the signed-in owner only', async () => {
    const owner = await api.asUser('owner');
    const admin = await api.asUser('admin', owner.workspace_id);
    const key = await api.newWorkspace();
    expect((await admin.send('GET', '/kyc')).body).toEqual({ detail: 'your role cannot do this (kyc.manage)' });
    for (const [method, url] of [
      ['GET', '/kyc'],
      ['PUT', '/kyc'],
      ['POST', '/kyc/documents'],
      ['POST', '/kyc/submit'],
      ['GET', `/kyc/documents/${'a'.repeat(32)}`],
      ['DELETE', `/kyc/documents/${'a'.repeat(32)}`],
    ] as const) {
      const { status, body } = await key.send(method, url);
      const detail = 'your role cannot do this (kyc.manage): sign in, API keys are refused';
      expect([status, body]).toEqual([403, { detail }]);
      expect((await admin.send(method, url)).status).toBe(403);
    }
  });
});

describe('documents', () => {
  it('come back as PDFs, whatever they were', async () => {
    const owner = await api.signUp();
    const pdf = await upload(owner, SMALL_PDF, 'registration', 'C:\\papers\\Certificate.PDF');
    expect(pdf.status).toBe(201);
    expect(pdf.body).toEqual({
      id: expect.stringMatching(/^[a-f0-9]{32}$/),
      kind: 'registration',
      file_name: 'Certificate.PDF',
      size_bytes: SMALL_PDF.length,
      uploaded_by: 'Asha',
      uploaded_at: expect.stringMatching(/\+05:30$/),
    });
    const first = await download(owner, pdf.body.id);
    expect(first.rawPayload.equals(SMALL_PDF)).toBe(true);
    expect(first.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="Certificate.pdf"; filename*=UTF-8''Certificate.pdf`,
    });

    // The type is that of the content, not of the name.
    const alpha = pngFile({ width: 3, height: 2, color_type: 6, at: () => [1, 2, 3, 128] });
    const names: [Buffer, string, string][] = [
      [alpha, 'scan.jpg', 'scan.pdf'],
      [jpegFile(), 'पहचान.pdf', `${encodeURIComponent('पहचान')}.pdf`],
    ];
    for (const [file, name, shown] of names) {
      await aMoment();
      const { status, body } = await upload(owner, file, 'identity', name);
      expect([status, body.file_name]).toEqual([201, name]);
      const back = await download(owner, body.id);
      expect(back.headers['content-type']).toBe('application/pdf');
      expect(back.headers['content-disposition']).toContain(`filename*=UTF-8''${shown}`);
      expect(back.rawPayload.subarray(0, 8).toString()).toMatch(/^%PDF-1\.\d$/);
      expect(back.rawPayload.length).toBe(body.size_bytes);
    }
    const { documents } = (await owner.send('GET', '/kyc')).body;
    expect(documents.map((each: { file_name: string }) => each.file_name)).toEqual([
      'पहचान.pdf',
      'scan.jpg',
      'Certificate.PDF',
    ]);
    expect(await auditOf(owner)).toEqual(
      ['kyc.document_added', 'kyc.document_downloaded'].flatMap((action) => Array(3).fill(action)),
    );
  });

  it('are rejected when they are of another type, too large, too many or missing', async () => {
    const owner = await api.signUp();
    const only = { detail: 'only PDF, PNG or JPG files' };
    const torn = pngFile({ width: 3, height: 2, color_type: 2, at: () => [1, 2, 3] }).subarray(0, 50);
    for (const file of [Buffer.from('hello'), Buffer.alloc(0), Buffer.from('GIF89a...'), torn]) {
      expect(await upload(owner, file, 'other', 'x.pdf')).toMatchObject({ status: 415, body: only });
    }
    const large = Buffer.concat([SMALL_PDF, Buffer.alloc(10 * 1024 * 1024)]);
    const tooLarge = { detail: 'the file is larger than 10 MB' };
    expect(await upload(owner, large)).toMatchObject({ status: 413, body: tooLarge });
    expect(await upload(owner, Buffer.concat([large, large]))).toMatchObject({ status: 413, body: tooLarge });
    const none = await upload(owner, null);
    expect([none.status, none.body.detail]).toEqual([
      422,
      [{ type: 'missing', loc: ['body', 'file'], msg: 'Field required', input: null }],
    ]);
    const kind = await upload(owner, SMALL_PDF, 'selfie');
    expect(kind.body.detail[0]).toMatchObject({ type: 'enum', loc: ['body', 'kind'] });
    expect((await owner.send('POST', '/kyc/documents', { kind: 'tax' })).status).toBe(415);

    const answers = await Promise.all(Array.from({ length: 12 }, () => upload(owner, SMALL_PDF)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const full = answers.filter(({ status }) => status === 409);
    expect(full.map(({ body }) => body.detail)).toEqual(Array(2).fill('document limit reached (10)'));
  });

  it('can be removed, and belong to one workspace', async () => {
    const owner = await api.signUp();
    const stranger = await api.signUp();
    const { body } = await upload(owner, SMALL_PDF);
    expect((await download(stranger, body.id)).statusCode).toBe(404);
    expect(await stranger.send('DELETE', `/kyc/documents/${body.id}`)).toMatchObject({
      status: 404,
      body: { detail: 'document not found' },
    });
    expect((await owner.send('DELETE', `/kyc/documents/${body.id}`)).status).toBe(204);
    expect((await owner.send('DELETE', `/kyc/documents/${body.id}`)).status).toBe(404);
    expect((await owner.send('GET', '/kyc/documents/nonsense')).status).toBe(404);
    expect(await auditOf(owner)).toEqual(['kyc.document_added', 'kyc.document_removed']);
  });
});

describe('submitting', () => {
  const missing = async (owner: UserClient) => {
    const { status, body } = await owner.send('POST', '/kyc/submit');
    expect(status).toBe(422);
    return body.detail.map(({ loc, type, msg }: { loc: string[]; type: string; msg: string }) =>
      type === 'missing' ? loc.slice(1).join('.') : msg,
    );
  };

  it('names all missing fields', async () => {
    const owner = await api.signUp();
    expect(await missing(owner)).toEqual([
      'legal_name',
      'business_type',
      'pan',
      'address.line1',
      'address.city',
      'address.state',
      'address.pincode',
      'contact_name',
      'contact_email',
      'contact_phone',
      'use_case',
      'a document of kind registration is needed',
    ]);
    await owner.send('PUT', '/kyc', { ...WHOLE, pan: '', gstin: '' });
    await upload(owner, SMALL_PDF, 'identity');
    expect(await missing(owner)).toEqual(['pan', 'a document of kind registration is needed']);
    const abroad = { line1: '1 Main St', city: 'Austin', country: 'US' };
    await owner.send('PUT', '/kyc', { ...WHOLE, pan: '', gstin: '', business_type: 'foreign', address: abroad });
    expect(await missing(owner)).toEqual(['a document of kind registration is needed']);
  });

  it('needs only a proof of identity of an individual', async () => {
    const owner = await api.signUp();
    await owner.send('PUT', '/kyc', { ...WHOLE, business_type: 'individual' });
    expect(await missing(owner)).toEqual(['a document of kind identity is needed']);
    await upload(owner, SMALL_PDF, 'identity');
    expect((await owner.send('POST', '/kyc/submit')).status).toBe(200);
  });

  it('locks the details until they are rejected', async () => {
    const owner = await api.signUp();
    await owner.send('PUT', '/kyc', WHOLE);
    const document = (await upload(owner, SMALL_PDF)).body;
    const twice = await Promise.all([owner.send('POST', '/kyc/submit'), owner.send('POST', '/kyc/submit')]);
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 409]);
    const submitted = twice.find(({ status }) => status === 200)!;
    expect(submitted.body).toMatchObject({ status: 'submitted', submitted_at: expect.any(String), decided_at: null });
    const closed = async () => [
      await owner.send('PUT', '/kyc', { ...WHOLE, website: 'x' }),
      await upload(owner, SMALL_PDF),
      await owner.send('DELETE', `/kyc/documents/${document.id}`),
      await owner.send('POST', '/kyc/submit'),
    ];
    for (const status of ['submitted', 'approved']) {
      await setStatus(owner, status);
      for (const answer of await closed()) {
        expect(answer).toMatchObject({ status: 409, body: { detail: 'KYC already submitted' } });
      }
      expect((await download(owner, document.id)).statusCode).toBe(200);
    }
    await setStatus(owner, 'rejected');
    expect((await closed()).map(({ status }) => status)).toEqual([200, 201, 204, 200]);
    expect((await owner.send('GET', '/kyc')).body).toMatchObject({ status: 'submitted', rejection_reason: '' });
    expect((await auditOf(owner)).filter((action) => action === 'kyc.submitted')).toHaveLength(2);
  });
});
