import { buyLines, removeLines } from '../../../control/billing/change-lines.ts';
import { putOnPlan, switchPlan } from '../../../control/billing/change-plan.ts';
import { chargeCall } from '../../../control/billing/charge-call.ts';
import { addCoupon } from '../../../control/billing/coupons.ts';
import { grantCredits } from '../../../control/billing/grants.ts';
import { redeemCoupon } from '../../../control/billing/redemptions.ts';
import { setOwnPrice } from '../../../control/billing/workspace-pricing.ts';
import { changeWorkspaceCurrency } from '../../../control/operators/currencies.ts';
import { lockWorkspace } from '../../../control/workspaces/lock-workspace.ts';
import { newId } from '../../../shared/ids.ts';
import * as account from './account.ts';
import { type Action, type Bench, perform, record, type Subscriber } from './bench.ts';
import { ACTOR, type Draw, drawOf } from './draw.ts';
import * as fees from './fees.ts';
import { changeNumbers } from './number-actions.ts';
import { reportReversal, topUp } from './payment-actions.ts';
import * as topups from './topups.ts';

/** What happens to a subscriber between two looks of the background jobs: drawn, done, and calculated. */

const markCarriedOut = async () => {};

type Act = (bench: Bench, subscriber: Subscriber, now: number, draw: Draw) => Promise<unknown>;

/** An action of one step. */
const step =
  (make: (bench: Bench, subscriber: Subscriber, now: number, draw: Draw) => Action): Act =>
  (bench, subscriber, now, draw) =>
    perform(bench, subscriber, now, make(bench, subscriber, now, draw));

const switches = step(({ world }, { workspace_id }, now, draw) => {
  const plan_id = draw.pick(['starter', 'growth', 'growth', 'scale', 'scale', 'enterprise'] as const);
  return {
    text: `switches to ${plan_id}`,
    run: (sql) => switchPlan(sql, { workspace_id, actor: ACTOR, at_ms: now, markCarriedOut, plan_id }),
    rules: [(it) => fees.switchPlan(it, world, plan_id, now)],
  };
});

const addsLines = step(({ world }, { workspace_id }, now, draw) => {
  const quantity = 1 + draw.upTo(draw.sometimes(0.9) ? 4 : 100);
  return {
    text: `buys ${quantity} lines`,
    run: (sql) => buyLines(sql, { workspace_id, actor: ACTOR, at_ms: now, markCarriedOut, quantity }),
    rules: [(it) => fees.buyLines(it, world, quantity, now)],
  };
});

const removesLines = step((_, { workspace_id }, now, draw) => {
  const quantity = 1 + draw.upTo(3);
  return {
    text: `removes ${quantity} lines`,
    run: (sql) => removeLines(sql, { workspace_id, actor: ACTOR, at_ms: now, quantity }),
    rules: [(it) => fees.removeLines(it, quantity)],
  };
});

const calls = step(({ world }, { workspace_id }, now, draw) => {
  const duration_seconds = 1 + draw.upTo(draw.sometimes(0.7) ? 12_000 : 90_000);
  const channel = draw.pick(['phone', 'phone', 'web'] as const);
  const failed = draw.sometimes(0.1);
  const carrier = channel === 'phone' ? 'plivo' : '';
  const call = { workspace_id, call_id: newId(), channel, carrier, duration_seconds, failed };
  return {
    text: `ends a ${channel} call of ${duration_seconds} s${failed ? ', which failed' : ''}`,
    run: (sql) => sql.begin((tx) => chargeCall(tx, { ...call, provider_usage: [], note: '', by_name: '' }, now)),
    rules: [(it) => account.endCall(it, world, duration_seconds, channel, failed)],
  };
});

const isGranted = step((_, { workspace_id }, now, draw) => {
  const kind = draw.pick(['grant', 'adjustment'] as const);
  const amount_paise = (1 + draw.upTo(60_000)) * (kind === 'adjustment' && draw.sometimes(0.5) ? -1 : 1);
  return {
    text: `gets a ${kind} of ${amount_paise}`,
    run: (sql) =>
      sql.begin((tx) => grantCredits(tx, { workspace_id, kind, amount_paise, note: 'n', actor: ACTOR, at_ms: now })),
    rules: [(it) => topups.grant(it, kind, amount_paise, now)],
  };
});

const isPutOnPlan = step((_, { workspace_id }, now, draw) => {
  const plan_id = draw.pick(['starter', 'growth', 'scale', 'enterprise'] as const);
  return {
    text: `is put on ${plan_id}`,
    run: (sql) => sql.begin((tx) => putOnPlan(tx, { workspace_id, plan_id, at_ms: now })),
    rules: [(it) => fees.putOnPlan(it, plan_id, now)],
  };
});

const getsOwnPrice = step((_, { workspace_id, account: { currency } }, _now, draw) => {
  const least = currency === 'INR' ? 250 : 3;
  const price = draw.sometimes(0.5) ? null : least + draw.upTo(least);
  const own = { own_price_per_minute_paise: price, own_browser_price_per_minute_paise: null };
  return {
    text: `has its own price of a minute: ${price}`,
    run: (sql) =>
      sql.begin(async (tx) => {
        await lockWorkspace(tx, workspace_id);
        await setOwnPrice(tx, workspace_id, own);
      }),
    rules: [(it) => Object.assign(it, { ownPrice: price })],
  };
});

/** Also while a number is being bought, whose fee may come back. */
const changesCurrency: Act = async (bench, subscriber, now, draw) => {
  const { workspace_id, account: own } = subscriber;
  const to = (own.currency === 'INR') === draw.sometimes(0.9) ? 'USD' : 'INR';
  await perform(bench, subscriber, now, {
    text: `pays in ${to} from now on`,
    run: (sql) => changeWorkspaceCurrency({ sql, wallMs: now }, workspace_id, to),
    rules: [(it) => account.changeCurrency(it, to, bench.world)],
  });
};

/** The same code once more is refused. */
const redeems: Act = async (bench, subscriber, now, draw) => {
  const { workspace_id, account: own, index } = subscriber;
  const isCredit = draw.sometimes(0.4);
  const currency = draw.sometimes(0.9) ? own.currency : 'USD';
  const bonus = { percent: 1 + draw.upTo(40), max: draw.pick([null, 5_000]), min: draw.pick([0, 100_000]) };
  const code = `C-${index}-${now}`;
  const fields = {
    ...{ code, kind: isCredit ? 'credit' : 'topup_bonus', currency, once_per_workspace: true, valid_from: null },
    ...{ amount_paise: isCredit ? 1 + draw.upTo(50_000) : null, percent: isCredit ? null : bonus.percent },
    ...{ max_paise: isCredit ? null : bonus.max, min_topup_paise: isCredit ? 0 : bonus.min, valid_until: null },
    max_redemptions: 1,
  };
  const coupon = await bench.processes[0]!.begin((tx) => addCoupon(tx, fields, now));
  if (typeof coupon === 'string') throw new Error(coupon);
  const terms = { currency, used: false, credit: coupon.amount_paise, bonus: isCredit ? null : bonus };
  let used = false;
  const times = draw.sometimes(0.2) ? 2 : 1;
  for (let time = 0; time < times; time++) {
    const redeemed = await perform(bench, subscriber, now, {
      text: `redeems ${isCredit ? coupon.amount_paise : `${bonus.percent} %`} ${currency}`,
      run: (sql) => redeemCoupon(sql, workspace_id, { code: code.toLowerCase(), actor: ACTOR, at_ms: now }),
      rules: [(it) => topups.redeem(it, { ...terms, used }, now)],
    });
    used ||= redeemed;
  }
};

const closes: Act = async (bench, subscriber, now) => {
  const { workspace_id } = subscriber;
  await bench.processes[0]!`update workspaces set state = 'closed' where id = ${workspace_id}`;
  subscriber.account.closed = true;
  record(subscriber, now, 'is closed');
};

/** With how often each happens. */
const ACTS: readonly (readonly [number, Act])[] = [
  ...([
    [30, topUp],
    [14, switches],
    [12, addsLines],
    [5, removesLines],
    [22, calls],
    [12, changeNumbers],
  ] as const),
  ...([
    [9, reportReversal],
    [6, redeems],
    [4, changesCurrency],
    [4, isGranted],
    [2, isPutOnPlan],
  ] as const),
  ...([
    [2, getsOwnPrice],
    [0.3, closes],
  ] as const),
];
const ALL = ACTS.reduce((sum, [weight]) => sum + weight, 0);

export async function act(bench: Bench, subscriber: Subscriber, now: number): Promise<void> {
  if (subscriber.account.closed) return;
  const draw = drawOf(subscriber);
  // Who has not paid a fee adds credits, sometimes in time.
  const isUnpaid = subscriber.account.subscriptions.some(({ unpaidSince }) => unpaidSince !== null);
  if (isUnpaid && draw.sometimes(0.5)) return topUp(bench, subscriber, now, draw);
  let left = subscriber.random() * ALL;
  const [, chosen] = ACTS.find(([weight]) => {
    left -= weight;
    return left < 0;
  })!;
  await chosen(bench, subscriber, now, draw);
}
