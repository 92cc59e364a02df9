import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { moneyDifferences } from '../../../control/money-audit/money-differences.ts';
import type { UserClient } from '../../support/control-app.ts';
import { buyPack, movements, type PaymentBench, startPaymentBench } from '../../support/payment-gateways.ts';

/** Refunds that counted as done, and whose money came back to us all the same. */

const TOTAL = 590_000;
const TAX = 90_000;
const CREDITS = 500_000;
const BONUS = 25_000;

let bench: PaymentBench;
let owner: UserClient;

beforeAll(async () => {
  bench = await startPaymentBench({ isSellerRegistered: true });
});
afterAll(() => bench.close());
beforeEach(async () => {
  owner = await bench.owner();
});

const bought = () => buyPack(bench, owner);
async function refund(payment: string, amount: number): Promise<string> {
  const { id } = bench.razorpay.refund(payment, amount);
  await bench.deliver();
  return id;
}
async function fail(...refunds: string[]): Promise<void> {
  for (const id of refunds) bench.razorpay.settleRefund(id, 'failed');
  await bench.deliver();
}
const documents = () =>
  bench.api.sql<{ document: string; number: string; total_paise: number; tax_paise: number; description: string }[]>`
    select document, number, total_paise, tax_paise, description from invoices
    where workspace_id = ${owner.workspace_id} order by id`;
/** Of all invoices, less the credit notes. */
async function invoiced(): Promise<{ total: number; tax: number }> {
  const rows = await documents();
  const sum = (of: 'total_paise' | 'tax_paise') =>
    rows.reduce((total, row) => total + (row.document === 'invoice' ? row[of] : -row[of]), 0);
  return { total: sum('total_paise'), tax: sum('tax_paise') };
}
/** Of all that the payment moved. */
async function credits(): Promise<number> {
  const rows = await movements(bench, owner.workspace_id);
  return rows.reduce((sum, [, paise]) => sum + paise, 0);
}
const differences = () => moneyDifferences(bench.api.sql, Date.now());

describe('a refund that fails after it was final', () => {
  it('gives the credits back, with an invoice in place of the credit note', async () => {
    const failed = await refund(await bought(), 196_667);
    const [invoice, note] = await documents();
    await fail(failed);
    const [, , again] = await documents();
    expect(again).toMatchObject({ document: 'invoice', total_paise: 196_667, tax_paise: note!.tax_paise });
    expect(again!.description).toContain(`credit note ${note!.number}`);
    expect(again!.description).toContain(`invoice ${invoice!.number}`);
    expect([await invoiced(), await credits()]).toEqual([{ total: TOTAL, tax: TAX }, CREDITS + BONUS]);
  });

  it('is written once, however often it is reported', async () => {
    const failed = await refund(await bought(), TOTAL);
    await fail(failed, failed);
    const events = bench.razorpay.callbacks.events.slice(-2);
    await Promise.all(events.concat(events).map((event) => bench.razorpay.callbacks.deliver(event)));
    expect(await documents()).toHaveLength(3);
  });

  it('leaves the whole invoice to refunds that follow', async () => {
    const payment = await bought();
    const failed = await refund(payment, 196_667);
    await refund(payment, 196_667);
    await fail(failed);
    await refund(payment, TOTAL - 196_667);
    expect([await invoiced(), await credits()]).toEqual([{ total: 0, tax: 0 }, 0]);
    expect(await differences()).toEqual([]);
  });

  it('of a dispute that was lost and is won after all does the same', async () => {
    const payment = await bought();
    for (const status of ['open', 'lost', 'won']) bench.razorpay.dispute(payment, { id: 'disp_late', status });
    await bench.deliver();
    expect([await invoiced(), await credits()]).toEqual([{ total: TOTAL, tax: TAX }, CREDITS + BONUS]);
    expect((await documents()).at(-1)!.description).toContain('disputed payment');
  });
});

describe('what refunds have taken', () => {
  it('is the whole while a refund and a dispute each took it, and nothing once both returned', async () => {
    const payment = await bought();
    const refunded = await refund(payment, TOTAL);
    const dispute = (status: string) => bench.razorpay.dispute(payment, { id: 'disp_second', status });
    dispute('open');
    await fail(refunded);
    expect(await credits()).toBe(0);
    dispute('won');
    await bench.deliver();
    expect(await credits()).toBe(CREDITS + BONUS);
  });

  const share = (paise: number, gone: number) => Math.floor((paise * gone) / TOTAL);

  it('is in proportion to the paisa, whichever of them failed', async () => {
    const payment = await bought();
    const parts = [100_001, 100_002, 100_003, 100_004, 100_005];
    const refunds: string[] = [];
    for (const part of parts) refunds.push(await refund(payment, part));
    const gone = new Set(parts);
    for (const at of [2, 0, 3, 1, 4]) {
      await fail(refunds[at]!);
      gone.delete(parts[at]!);
      const away = [...gone].reduce((sum, part) => sum + part, 0);
      expect(await credits()).toBe(CREDITS - share(CREDITS, away) + BONUS - share(BONUS, away));
    }
    expect(await invoiced()).toEqual({ total: TOTAL, tax: TAX });
  });
});
