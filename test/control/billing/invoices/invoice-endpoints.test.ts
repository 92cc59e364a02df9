import { extractText } from 'unpdf';
import { beforeAll, describe, expect, it } from 'vitest';
import { creditNote, issueInvoice, type NewInvoice } from '../../../../control/billing/invoices/issue-invoice.ts';
import { newId } from '../../../../shared/ids.ts';
import { startTestApi, type UserClient } from '../../../support/control-app.ts';
import { registerSeller, topUp } from '../../../support/invoices.ts';

const app = await startTestApi();
let owner: UserClient;

beforeAll(async () => {
  await registerSeller(app.sql);
  owner = await app.signUp();
});

const issue = (more: Partial<NewInvoice> = {}) =>
  app.sql.begin((tx) => issueInvoice(tx, topUp(owner.workspace_id, { at_ms: Date.now(), ...more })));

describe('invoices', () => {
  it('are listed newest first before the workspace is active, with buyer, tax and credit notes', async () => {
    const first = await issue();
    const second = await issue({
      kind: 'plan',
      paid_from: 'credits',
      description: 'Growth',
      payment_id: undefined as never,
    });
    const { workspace_id } = owner;
    const refund = { workspace_id, invoice_id: first.id, total_paise: 118_000, reason: 'Refund', key: newId() };
    const note = await app.sql.begin((tx) => creditNote(tx, { ...refund, at_ms: Date.now() }));
    const { status, body } = await owner.send('GET', '/billing/invoices');
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { id: second.id, kind: 'plan', paid_from: 'credits', tax_lines: [], payment_id: null, credit_notes: [] },
      {
        ...{ id: first.id, number: first.number, amount_paise: 100_000, tax_paise: 18_000, total_paise: 118_000 },
        ...{
          currency: 'INR',
          paid_from: 'gateway',
          export_note: '',
          buyer: { gstin: '', address: 'India', state: '' },
        },
        tax_lines: [
          { name: 'CGST', amount_paise: 9_000 },
          { name: 'SGST', rate_percent: 9 },
        ],
        credit_notes: [{ id: note!.id, number: note!.number, reason: 'Refund', total_paise: 118_000 }],
      },
    ]);
    expect(body[0]).not.toHaveProperty('terms');
    const file = await owner.send('GET', `/billing/invoices/${note!.id}/pdf`);
    expect(file).toMatchObject({ status: 200, headers: { 'content-type': 'application/pdf' } });
    expect(file.headers['content-disposition']).toContain(`credit-note-${note!.number.replaceAll('/', '-')}.pdf`);
  });

  it('are PDF files of their workspace only', async () => {
    const { id, number } = await issue();
    const response = await app.http.inject({
      method: 'GET',
      url: `/api/v1/billing/invoices/${id}/pdf`,
      headers: { authorization: `Bearer ${owner.token}` },
    });
    const { text } = await extractText(new Uint8Array(response.rawPayload), { mergePages: true });
    expect(text).toContain(number);
    const stranger = await app.asUser('owner');
    expect(await stranger.send('GET', `/billing/invoices/${id}/pdf`)).toMatchObject({
      ...{ status: 404, body: { detail: 'invoice not found' } },
    });
    const viewer = await app.asUser('viewer', owner.workspace_id);
    expect((await viewer.send('GET', '/billing/invoices')).status).toBe(403);
  });

  it('are 200 at most', async () => {
    const other = await app.newWorkspace();
    await app.sql.begin(async (tx) => {
      for (let n = 0; n < 201; n++)
        await issueInvoice(tx, topUp(other.workspace_id, { description: `${n}`, at_ms: Date.now() + n }));
    });
    const { body } = await other.send('GET', '/billing/invoices');
    expect([body.length, body[0].description, body.at(-1).description]).toEqual([200, '200', '1']);
  });
});
