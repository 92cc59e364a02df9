import { applyOrder } from '../../../control/payments/apply-order.ts';
import { completePayment } from '../../../control/payments/complete-payment.ts';
import { applyReversalOf } from '../../../control/payments/handle-callback.ts';
import { lookAtPayment } from '../../../control/payments/look-at-payments.ts';
import { reconcileReversals } from '../../../control/payments/reconcile-reversals.ts';
import { startTopup } from '../../../control/payments/start-topup.ts';
import { leaseDuePayments } from '../../../control/payments/store.ts';
import { type Account, type Currency, DAY_MS, type Payment } from './account.ts';
import { type Bench, paymentDeps, perform, type Subscriber, story } from './bench.ts';
import { ACTOR, type Draw } from './draw.ts';
import type { GatewayAccount } from './third-parties.ts';
import * as topups from './topups.ts';

/** Top-ups that are paid at once, late or never, their reports that come, come twice or get lost, and money that goes back. */

/** With the credits, and the bonus on top. */
const PACKS: Record<Currency, readonly [string, number, number][]> = {
  INR: [
    ['inr-1000', 100_000, 0],
    ['inr-5000', 500_000, 25_000],
    ['inr-20000', 2_000_000, 200_000],
  ],
  USD: [
    ['usd-20', 2_000, 0],
    ['usd-100', 10_000, 500],
    ['usd-400', 40_000, 4_000],
  ],
};
const AMOUNTS = { INR: [10_000, 1_200_000], USD: [500, 15_000] } as const;

const gatewayOf = ({ gateways }: Bench, { currency }: Pick<Payment, 'currency'>): GatewayAccount =>
  currency === 'INR' ? gateways.razorpay : gateways.stripe;

const orderAt = (bench: Bench, payment: Payment) =>
  gatewayOf(bench, payment).orders.find(({ reference }) => reference === payment.id)!;

const paymentOf = (account: Account, id: string) => account.payments.find((each) => each.id === id)!;

export async function topUp(bench: Bench, subscriber: Subscriber, now: number, draw: Draw): Promise<void> {
  const waiting = subscriber.account.payments.filter((each) => !orderAt(bench, each).paid);
  // One that was left alone, and may be expired.
  if (waiting.length > 0 && draw.sometimes(0.3)) return pay(bench, subscriber, now, draw, draw.pick(waiting));
  const payment = await start(bench, subscriber, now, draw);
  if (payment && draw.sometimes(0.85)) await pay(bench, subscriber, now + 1_000, draw, payment);
}

async function start(bench: Bench, subscriber: Subscriber, now: number, draw: Draw): Promise<Payment | null> {
  const { workspace_id, account } = subscriber;
  const { currency } = account;
  const [least, most] = AMOUNTS[currency];
  const [pack_id, packed, bonus] = draw.pick(PACKS[currency]);
  const isPack = draw.sometimes(0.4);
  const amount = isPack ? packed : least + draw.upTo(most - least);
  const answer = draw.pick(['created', 'created', 'created', 'created', 'lost', 'refused'] as const);
  const gateway = gatewayOf(bench, account);
  let reference = '';
  await perform(bench, subscriber, now, {
    text: `begins a top-up of ${amount}${isPack ? ` and ${bonus}` : ''}: ${answer}`,
    refusalSaysNothing: true,
    run: (sql) => {
      const deps = paymentDeps(bench, sql, now, answer);
      const asked = deps.gateways.get(gateway.name)!;
      const { createOrder } = asked;
      asked.createOrder = (order) => {
        reference = order.payment_id;
        return createOrder(order);
      };
      const what = isPack ? { pack_id } : { amount_paise: amount };
      return startTopup(deps, { workspace_id, actor: ACTOR, ...what, markCarriedOut: async () => {} });
    },
    rules: [() => true],
  });
  const order = gateway.orders.find((each) => each.reference === reference);
  if (!order) return null;
  const payment = topups.newPayment(subscriber.account, bench.world, reference, amount, isPack ? bonus : 0);
  if (topups.totalOf(payment) !== order.total) throw new Error(`an order of ${order.total}: ${story(subscriber)}`);
  subscriber.account.payments.push(payment);
  return payment;
}

/** Somebody pays at the gateway, which says so by the browser, by its callback, by both at once, or by neither. */
async function pay(
  bench: Bench,
  subscriber: Subscriber,
  now: number,
  draw: Draw,
  { id: payment_id, ...payment }: Payment,
): Promise<void> {
  const gateway = gatewayOf(bench, payment);
  const order = orderAt(bench, { id: payment_id, ...payment });
  const gateway_payment_id = gateway.pay(order.id, now);
  const how = draw.pick(['browser', 'callback', 'callback', 'both', 'nothing'] as const);
  // Later than that, nobody would look.
  const isNew = now - Number.parseInt(payment_id.slice(0, 12), 16) < DAY_MS;
  if (how === 'nothing' && isNew) return;
  const { workspace_id } = subscriber;
  await perform(bench, subscriber, now, {
    text: `has paid ${order.total}, reported by ${how}`,
    async run(sql) {
      const deps = paymentDeps(bench, sql, now);
      const port = gateway.port();
      const reports = {
        browser: () => completePayment(deps, { workspace_id, payment_id, gateway_payment_id, gateway_signature: '' }),
        callback: async () => applyOrder(deps, gateway.name, await port.order(order.id)),
      };
      if (how === 'browser') return reports.browser();
      if (how !== 'both') return reports.callback();
      const both = await Promise.allSettled([reports.browser(), reports.callback(), reports.callback()]);
      for (const each of both) if (each.status === 'rejected') throw each.reason;
    },
    rules: [(it) => topups.credit(it, bench.world, paymentOf(it, payment_id), now)],
  });
}

const RANK = ['taken', 'final', 'returned'] as const;

/** A refund or dispute begins, or goes on; its report may get lost. */
export async function reportReversal(bench: Bench, subscriber: Subscriber, now: number, draw: Draw): Promise<void> {
  const paid = subscriber.account.payments.filter((each) => orderAt(bench, each).paid);
  if (paid.length === 0) return;
  const payment = draw.pick(paid);
  const gateway = gatewayOf(bench, payment);
  const { id: gateway_payment_id } = orderAt(bench, payment).paid!;
  const own = gateway.reversals.filter((each) => each.gateway_payment_id === gateway_payment_id);
  const open = own.filter(({ status, atMs }) => status !== 'returned' && now - atMs < 7 * DAY_MS);
  const kind = draw.pick(['refund', 'refund', 'dispute'] as const);
  const total = topups.totalOf(payment);
  const refunded = own.filter((each) => each.kind === 'refund' && each.status !== 'returned');
  const left = kind === 'dispute' ? total : refunded.reduce((sum, each) => sum - each.amount_paise, total);
  const goesOn = open.length > 0 && draw.sometimes(0.7);
  if (!goesOn && left <= 0) return;
  const id = `${kind}_${gateway_payment_id}_${own.length}`;
  const amount_paise = draw.sometimes(0.3) ? left : 1 + draw.upTo(left);
  const begun = { id, kind, gateway_payment_id, status: draw.pick(RANK), amount_paise, currency: payment.currency };
  const reversal = goesOn ? draw.pick(open) : { ...begun, atMs: now };
  // At the gateway it never goes back; an old report may come all the same.
  const status = draw.pick(RANK);
  if (!goesOn) gateway.reversals.push(reversal);
  else if (RANK.indexOf(status) > RANK.indexOf(reversal.status)) reversal.status = status;
  if (draw.sometimes(0.2)) return;
  const { atMs: _, ...report } = { ...reversal, status: goesOn ? status : reversal.status };
  const times = draw.sometimes(0.3) ? 3 : 1;
  await perform(bench, subscriber, now, {
    text: `${report.id} of ${report.amount_paise} of ${total} is reported ${report.status}, ${times} times`,
    run: (sql) =>
      Promise.all(
        Array.from({ length: times }, () => applyReversalOf(paymentDeps(bench, sql, now), gateway.port(), report)),
      ),
    rules: rulesOf(bench, payment.id, report.id, report.amount_paise, report.status, now),
  });
}

/** A refund may be reported before its payment. */
function rulesOf(
  bench: Bench,
  id: string,
  reversal: string,
  amount: number,
  status: (typeof RANK)[number],
  now: number,
) {
  const credit = (it: Account) => topups.credit(it, bench.world, paymentOf(it, id), now);
  return [
    credit,
    (it: Account) => {
      credit(it);
      topups.reverse(it, bench.world, paymentOf(it, id), { id: reversal, amount, status });
    },
  ];
}

/** Looks at payments that are due, of two processes. */
export async function lookAtPayments(
  bench: Bench,
  subscriberOf: (workspaceId: string) => Subscriber,
  now: number,
): Promise<void> {
  const [at, until] = [new Date(now), new Date(now + 60_000)];
  const leased = await Promise.all(bench.processes.map((each) => leaseDuePayments(each, 1_000, at, until)));
  const byWorkspace = Map.groupBy(leased.flat(), ({ workspace_id }) => workspace_id);
  await Promise.all(
    [...byWorkspace].map(async ([workspaceId, payments]) => {
      const subscriber = subscriberOf(workspaceId);
      for (const payment of payments.sort((a, b) => (a.id < b.id ? -1 : 1))) {
        const known = paymentOf(subscriber.account, payment.id);
        const isPaid = known !== undefined && orderAt(bench, known).paid !== null;
        if (!isPaid) await lookAtPayment(paymentDeps(bench, bench.processes[0]!, now), payment);
        else {
          await perform(bench, subscriber, now, {
            text: `its payment of ${payment.total_paise} is looked at`,
            run: (sql) => lookAtPayment(paymentDeps(bench, sql, now), payment),
            rules: [(it) => topups.credit(it, bench.world, paymentOf(it, payment.id), now)],
          });
        }
      }
    }),
  );
}

/** The gateways repeat callbacks that nobody answered, and list what goes back. */
export async function repeatReports(bench: Bench, subscriber: Subscriber, now: number): Promise<void> {
  const { world } = bench;
  for (const { id } of subscriber.account.payments.filter(({ credited }) => !credited)) {
    const payment = paymentOf(subscriber.account, id);
    const order = orderAt(bench, payment);
    if (!order.paid) continue;
    const gateway = gatewayOf(bench, payment);
    await perform(bench, subscriber, now, {
      text: `its payment of ${order.total} is reported again`,
      run: async (sql) => applyOrder(paymentDeps(bench, sql, now), gateway.name, await gateway.port().order(order.id)),
      rules: [(it) => topups.credit(it, world, paymentOf(it, id), now)],
    });
  }
  const ofPayment = new Map(
    subscriber.account.payments.flatMap((each) => {
      const { paid } = orderAt(bench, each);
      return paid ? [[paid.id, each.id] as const] : [];
    }),
  );
  for (const gateway of Object.values(bench.gateways)) {
    const own = gateway.reversals.filter(
      ({ gateway_payment_id, atMs }) => ofPayment.has(gateway_payment_id) && now - atMs <= 14 * DAY_MS,
    );
    if (own.length === 0) continue;
    const rules = own.map((_, last) => (it: Account) => {
      for (const { id, gateway_payment_id, amount_paise, status } of own.slice(0, last + 1)) {
        const payment = paymentOf(it, ofPayment.get(gateway_payment_id)!);
        topups.credit(it, world, payment, now);
        topups.reverse(it, world, payment, { id, amount: amount_paise, status });
      }
    });
    await perform(bench, subscriber, now, {
      text: `what went back at ${gateway.name} is listed`,
      run: (sql) => {
        const deps = paymentDeps(bench, sql, now);
        return reconcileReversals({
          ...deps,
          gateways: new Map([[gateway.name, { ...gateway.port(), listReversals: async () => own }]]),
        });
      },
      rules,
    });
  }
}
