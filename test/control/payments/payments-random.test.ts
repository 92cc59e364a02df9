import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moneyDifferences } from '../../../control/money-audit/money-differences.ts';
import { completePayment } from '../../../control/payments/complete-payment.ts';
import type { PaymentDeps } from '../../../control/payments/payment-deps.ts';
import { reconcileReversals } from '../../../control/payments/reconcile-reversals.ts';
import { startTopup } from '../../../control/payments/start-topup.ts';
import type { PaymentEvent } from '../../../fixtures/simulators/payment-callbacks.ts';
import { type PaymentBench, startPaymentBench } from '../../support/payment-gateways.ts';
import { seededRandom } from '../../support/seeded-random.ts';

/** Whatever happens: each payment that took the ordered money is credited once, with one invoice, less what went back of it. */

const ROUNDS = Number(process.env.ROUNDS ?? 24);
const random = seededRandom(Number(process.env.SEED ?? 16));
const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
const actor = { kind: 'user', id: 'u', name: 'Asha' } as const;
const FAULTS = ['lost before', 'lost after', 'error after', 'refused', null, null, null, null, null, null] as const;
const DAY_MS = 86_400_000;

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPaymentBench();
});
afterAll(() => bench.close());

const events = () => [...bench.razorpay.callbacks.events, ...bench.stripe.callbacks.events];
async function deliver(event: PaymentEvent): Promise<void> {
  const { callbacks } = bench.razorpay.callbacks.events.includes(event) ? bench.razorpay : bench.stripe;
  event.over = (await callbacks.deliver(event)) === 200 || event.over;
}
/** What everybody does whose answer nobody awaits. */
const ignore = (work: Promise<unknown>) => work.then(() => {}).catch(() => {});

async function round(workspaceIds: Record<'razorpay' | 'stripe', string>): Promise<void> {
  const name = pick(['razorpay', 'stripe'] as const);
  const workspace_id = workspaceIds[name];
  bench[name].faults = [pick(FAULTS)];
  const lastStep = pick(['created', 'ordered', 'asked', null, null, null]);
  const dies: PaymentDeps = {
    ...bench.deps,
    afterStep(step) {
      if (step === lastStep) throw new Error('died');
    },
  };
  const what = random() < 0.5 ? { amount_paise: 10_000 + Math.floor(random() * 90_000) } : { pack_id: packs[name] };
  await ignore(startTopup(dies, { workspace_id, actor, ...what, markCarriedOut: async () => {} }));
  bench[name].faults = [];
  const [{ id: payment_id = '' } = {}] = await bench.api.sql<{ id: string }[]>`
    select id from payments where workspace_id = ${workspace_id} order by id desc limit 1`;
  const back = name === 'razorpay' ? payAtRazorpay(payment_id) : payAtStripe(payment_id);
  const waiting = events().filter(({ over }) => !over);
  const reports = waiting.filter(() => random() < 0.4).sort(() => random() - 0.5);
  bench[name].away = random() < 0.1;
  await Promise.all([
    ...reports.flatMap((event) => (random() < 0.3 ? [deliver(event), deliver(event)] : [deliver(event)])),
    ...(back && random() < 0.6
      ? [0, 1].map(() => ignore(completePayment(dies, { workspace_id, payment_id, ...back })))
      : []),
    ...(random() < 0.2 ? [bench.look()] : []),
  ]);
  bench[name].away = false;
  refundSomething(name);
  if (random() < 0.2) bench.moveClock(random() * 40 * 60_000);
}
const packs = { razorpay: 'inr-5000', stripe: 'usd-100' };

function payAtRazorpay(payment_id: string) {
  const order = [...bench.razorpay.orders.values()].find(({ receipt }) => receipt === payment_id);
  if (!order || random() < 0.1) return null;
  const failed = random() < 0.4 ? bench.razorpay.pay(order.id, { outcome: 'failed' }) : null;
  const wrong = random() < 0.1 ? { amount: order.amount - 1 } : {};
  const attempt = { outcome: pick(['captured', 'captured', 'authorized', 'failed'] as const), ...wrong };
  const result = bench.razorpay.pay(order.id, attempt);
  // A bank changes its answer.
  if (failed && random() < 0.3) bench.razorpay.capture(failed.razorpay_payment_id);
  return { gateway_payment_id: result.razorpay_payment_id, gateway_signature: result.razorpay_signature };
}

function payAtStripe(payment_id: string) {
  const session = [...bench.stripe.sessions.values()].find((each) => each.client_reference_id === payment_id);
  if (!session) return null;
  const how = pick(['at once', 'at once', 'delayed', 'expire', 'nothing'] as const);
  if (how === 'expire') bench.stripe.expire(session.id);
  else if (how !== 'nothing') bench.stripe.pay(session.id, how);
  if (how === 'delayed') bench.stripe.settle(session.id, pick(['succeeded', 'failed']));
  return { gateway_payment_id: session.id, gateway_signature: '' };
}

function refundSomething(name: 'razorpay' | 'stripe'): void {
  if (random() < 0.6) return;
  if (name === 'razorpay') {
    const paid = [...bench.razorpay.payments.values()].filter(({ status }) => status === 'captured');
    if (paid.length === 0) return;
    const { id, amount, amount_refunded } = pick(paid);
    const part = random() < 0.5 ? amount - amount_refunded : Math.ceil((amount - amount_refunded) * random());
    const refund = bench.razorpay.refund(id, part, pick(['pending', 'processed']));
    if (refund.status === 'pending') bench.razorpay.settleRefund(refund.id, 'processed');
    return;
  }
  const intents = [...bench.stripe.intents.values()].filter(({ status }) => status === 'succeeded');
  const left = intents.filter(
    ({ id }) => ![...bench.stripe.refunds.values()].some((each) => each.payment_intent === id),
  );
  if (left.length === 0) return;
  const { id, amount } = pick(left);
  bench.stripe.refund(id, Math.ceil(amount * random()));
}

/** All that took money at the gateways, with what they gave back. */
function takenAtGateways(): Map<string, { amount: number; refunded: number; reference: string }> {
  const taken = new Map<string, { amount: number; refunded: number; reference: string }>();
  const { orders, payments, refunds } = bench.razorpay;
  for (const { id, order_id, amount, status } of payments.values()) {
    if (!['captured', 'refunded'].includes(status)) continue;
    const refunded = [...refunds.values()]
      .filter((each) => each.payment_id === id)
      .reduce((sum, each) => sum + each.amount, 0);
    taken.set(id, { amount, refunded, reference: orders.get(order_id)!.receipt! });
  }
  for (const { payment_intent, amount_total, payment_status, client_reference_id } of bench.stripe.sessions.values()) {
    if (payment_status !== 'paid') continue;
    const own = [...bench.stripe.refunds.values()].filter((each) => each.payment_intent === payment_intent);
    const refunded = own.reduce((sum, each) => sum + each.amount, 0);
    taken.set(payment_intent!, { amount: amount_total, refunded, reference: client_reference_id! });
  }
  return taken;
}

async function expectConsistent(): Promise<number> {
  const { sql } = bench.api;
  const rows = await sql<Row[]>`
    select p.*, (select coalesce(sum(amount_paise), 0)::bigint from ledger l where l.payment_id = p.id) as credits,
      (select count(*)::integer from invoices i where i.payment_id = p.id and i.document = 'invoice') as invoices,
      (select coalesce(sum(total_paise), 0)::bigint from invoices i where i.payment_id = p.id and i.document = 'credit_note')
        as credited_back
    from payments p`;
  const ordered = new Map(rows.map((row) => [row.id, row.total_paise]));
  const taken = takenAtGateways();
  const wrong = [...taken.values()].filter(({ amount, reference }) => amount !== ordered.get(reference));
  const paid = rows.filter(({ status }) => status === 'paid');
  expect(new Set(paid.map((row) => row.gateway_payment_id)).size).toBe(paid.length);
  expect(paid.length).toBe(taken.size - wrong.length);
  for (const row of rows) {
    const { amount_paise, bonus_paise, total_paise, credits, invoices, credited_back, gateway_payment_id } = row;
    if (row.status !== 'paid') {
      expect([credits, invoices, gateway_payment_id], row.id).toEqual([0, 0, null]);
      continue;
    }
    const { amount, refunded } = taken.get(gateway_payment_id!)!;
    const left = (paise: number) => paise - Math.floor((paise * refunded) / amount);
    const should = [total_paise, left(amount_paise) + left(bonus_paise), 1, refunded];
    expect([amount, credits, invoices, credited_back], row.id).toEqual(should);
  }
  const wallets = await sql<{ wallet: number; ledger: number }[]>`
    select w.paid_paise + w.free_paise as wallet,
      (select coalesce(sum(amount_paise), 0)::bigint from ledger l where l.workspace_id = w.workspace_id) as ledger
    from wallets w`;
  expect(wallets.filter(({ wallet, ledger }) => wallet !== ledger)).toEqual([]);
  return paid.length;
}

interface Row {
  id: string;
  status: string;
  gateway_payment_id: string | null;
  amount_paise: number;
  bonus_paise: number;
  total_paise: number;
  credits: number;
  invoices: number;
  credited_back: number;
}

describe('payments', () => {
  it(`are right after ${ROUNDS} top-ups with answers, callbacks and processes that were lost`, async () => {
    const workspaceIds = {
      razorpay: (await bench.owner()).workspace_id,
      stripe: (await bench.owner('USD')).workspace_id,
    };
    for (let n = 0; n < ROUNDS; n++) {
      await round(workspaceIds);
      // Not more unfinished ones than a workspace may have.
      if (n % 10 === 9) {
        bench.moveClock(31 * 60_000);
        for (let due = 0; due < 3; due++) await bench.look();
      }
    }
    for (const event of events().filter(() => random() < 0.5)) await deliver(event);
    for (let days = 0; days < 15; days++) {
      bench.moveClock(DAY_MS);
      for (let due = 0; due < Math.ceil(ROUNDS / 40); due++) await bench.look();
      // Each looks back two weeks, and goes through all of them.
      if (days % 5 === 0) await reconcileReversals(bench.deps);
    }
    const paid = await expectConsistent();
    expect(await moneyDifferences(bench.api.sql, bench.deps.clock.wall())).toEqual([]);
    expect([...bench.razorpay.violations, ...bench.stripe.violations]).toEqual([]);
    expect(paid).toBeGreaterThan(ROUNDS / 5);
  });
});
