import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { moneyDifferences } from '../../../control/money-audit/money-differences.ts';
import type { UserClient } from '../../support/control-app.ts';
import { buyPack, movements, type PaymentBench, startPaymentBench } from '../../support/payment-gateways.ts';

/** What earlier versions wrote of money, and the migration that puts it right. */

const migration = readFileSync(
  new URL('../../../control/db/migrations/0053_earlier_money.sql', import.meta.url),
  'utf8',
);
let bench: PaymentBench;
let owner: UserClient;
beforeAll(async () => {
  bench = await startPaymentBench({ isSellerRegistered: true });
  owner = await bench.owner();
});
afterAll(() => bench.close());

const refund = async (payment: string, amount: number) => {
  const { id } = bench.razorpay.refund(payment, amount);
  await bench.deliver();
  return id;
};
const taken = async () => (await movements(bench, owner.workspace_id)).map(([, paise]) => paise);

it('a refund that came back takes nothing away from the next one', async () => {
  const payment = await buyPack(bench, owner);
  const failed = await refund(payment, 590_000);
  bench.razorpay.settleRefund(failed, 'failed');
  await bench.deliver();
  await bench.api.sql`
    update payment_reversals set credits_paise = 500000, bonus_paise = 25000 where gateway_id = ${failed}`;
  await bench.api.sql.unsafe(migration);
  await refund(payment, 590_000);
  expect((await taken()).slice(-2)).toEqual([525_000, -525_000]);
});

it('what is right already stays as it is, to the paisa', async () => {
  const payment = await buyPack(bench, owner);
  const parts = [await refund(payment, 100_001), await refund(payment, 100_002)];
  bench.razorpay.settleRefund(parts[0]!, 'failed');
  await bench.deliver();
  const rows = () => bench.api.sql`select * from payment_reversals order by gateway_id`;
  const before = [...(await rows())];
  await bench.api.sql.unsafe(migration);
  expect([...(await rows())]).toEqual(before);
});

it('lines of a workspace that was closed before lines were renewed are no difference', async () => {
  await bench.api.sql`
    update workspaces set state = 'closed', extra_lines = 3 where id = ${owner.workspace_id}`;
  await bench.api.sql.unsafe(migration);
  expect(await moneyDifferences(bench.api.sql, Date.now())).toEqual([]);
});
