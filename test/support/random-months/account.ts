/**
 * The money of a workspace once more, by the specification's rules and without a line of the product: a wallet, what moved it, and
 * its documents. Rules change the account that they are given. Money is in the smallest unit, time in milliseconds.
 */

export const DAY_MS = 86_400_000;
export const MONTH_MS = 30 * DAY_MS;

export type Currency = 'INR' | 'USD';
export type PlanId = keyof typeof PLANS;
export type FeeKind = 'plan' | 'lines' | 'number' | 'caller_id';

/** The table of the specification, in paise. */
export const PLANS = {
  starter: { fee: 0, seconds: 0, perMinute: 550, inBrowser: 400, calls: 5, numbers: 0, callerId: false, custom: false },
  growth: {
    ...{ fee: 299_900, seconds: 36_000, perMinute: 475, inBrowser: 475, calls: 15, numbers: 1, callerId: false },
    custom: false,
  },
  scale: {
    ...{ fee: 999_900, seconds: 150_000, perMinute: 400, inBrowser: 400, calls: 40, numbers: 2, callerId: true },
    custom: false,
  },
  enterprise: {
    ...{ fee: 0, seconds: 0, perMinute: 300, inBrowser: 300, calls: 100, numbers: 0, callerId: false, custom: true },
  },
};

/** What the service's team sets. */
export interface World {
  paisePerDollar: number;
  /** Of 30 days of a number; null: what the carrier takes. */
  numberRate: Record<Currency, number | null>;
  callerIdRate: Record<Currency, number>;
}

export interface Subscription {
  kind: FeeKind;
  id: string;
  paidUntil: number;
  nextAttempt: number;
  unpaidSince: number | null;
}

export interface Movement {
  kind: string;
  paid: number;
  free: number;
  currency: Currency;
  /** Of a fee of 30 days: their beginning. */
  begin: number | null;
}

export interface Paper {
  document: 'invoice' | 'credit_note';
  kind: string;
  amount: number;
  tax: number[];
  currency: Currency;
}

export interface Reversal {
  id: string;
  amount: number;
  status: 'taken' | 'final' | 'returned';
  /** Taken for it, in the payment's currency. */
  credits: number;
  bonus: number;
  moved: Movement | null;
  note: Paper | null;
}

export interface Payment {
  id: string;
  amount: number;
  bonus: number;
  couponBonus: number;
  tax: number[];
  currency: Currency;
  /** Agreed with the order; null: it is paid in rupees. */
  paisePerDollar: number | null;
  credited: boolean;
  reversals: Reversal[];
}

export interface Bonus {
  percent: number;
  max: number | null;
  min: number;
  currency: Currency;
}

export interface NumberOrder {
  number: string;
  state: 'ordering' | 'releasing';
  createdAt: number;
  nextAttempt: number;
  absent: number;
  charged: number;
  currency: Currency;
  moved: Movement | null;
}

export interface Account {
  currency: Currency;
  taxed: boolean;
  closed: boolean;
  paid: number;
  free: number;
  movements: Movement[];
  papers: Paper[];
  plan: PlanId;
  planChangedAt: number;
  ownPrice: number | null;
  /** Included seconds that are left. */
  seconds: number;
  lines: number;
  subscriptions: Subscription[];
  numbers: { number: string; boughtAt: number; paid: boolean }[];
  orders: NumberOrder[];
  callerIds: { id: string; number: string; fee: number; currency: Currency; paidUntil: number | null }[];
  payments: Payment[];
  bonus: Bonus | null;
}

export const newAccount = (taxed: boolean): Account => ({
  ...{ currency: 'INR', taxed, closed: false, paid: 0, free: 0, movements: [], papers: [] },
  ...{ plan: 'starter', planChangedAt: -MONTH_MS, ownPrice: null, seconds: 0, lines: 0, subscriptions: [] },
  ...{ numbers: [], orders: [], callerIds: [], payments: [], bonus: null },
});

export const creditsOf = ({ paid, free }: Account): number => paid + free;

export function move(
  account: Account,
  kind: string,
  paid: number,
  free: number,
  begin: number | null = null,
): Movement {
  account.paid += paid;
  account.free += free;
  const movement = { kind, paid: paid || 0, free: free || 0, currency: account.currency, begin };
  account.movements.push(movement);
  return movement;
}

/** Free credits are spent first; what is missing is a debt. */
export function charge(account: Account, kind: string, paise: number, begin: number | null = null): Movement {
  const free = Math.min(Math.max(account.free, 0), paise);
  return move(account, kind, -(paise - free), -free, begin);
}

/** False: the credits do not cover it. A fee has an invoice, without tax. */
export function takeFee(account: Account, kind: FeeKind, paise: number, begin: number | null): boolean {
  if (paise === 0) return true;
  if (creditsOf(account) < paise) return false;
  charge(account, kind, paise, begin);
  account.papers.push({ document: 'invoice', kind, amount: paise, tax: [], currency: account.currency });
  return true;
}

/** To the nearest, half away from zero. */
export function converted(paise: number, from: Currency, to: Currency, paisePerDollar: number): number {
  if (from === to) return paise;
  const size = Math.abs(paise);
  const doubled = to === 'USD' ? (200 * size) / paisePerDollar : (2 * size * paisePerDollar) / 100;
  return Math.sign(paise) * Math.floor((doubled + 1) / 2) || 0;
}

/** A price in rupees, rounded up where it is paid in dollars. */
export const priceIn = (currency: Currency, paise: number, { paisePerDollar }: World): number =>
  currency === 'INR' ? paise : Math.ceil((paise * 100) / paisePerDollar);

/** One row out of the old currency and one into the new one. False: it is paid in it already. */
export function changeCurrency(account: Account, to: Currency, world: World): boolean {
  const { currency: from, paid, free, ownPrice } = account;
  if (from === to) return false;
  const { paisePerDollar } = world;
  move(account, 'conversion', -paid, -free);
  account.currency = to;
  move(account, 'conversion', converted(paid, from, to, paisePerDollar), converted(free, from, to, paisePerDollar));
  if (ownPrice !== null) {
    account.ownPrice = Math.ceil(to === 'USD' ? (ownPrice * 100) / paisePerDollar : (ownPrice * paisePerDollar) / 100);
  }
  return true;
}

/** A call that costs less than its minimum, and one included second per second. */
export function endCall(
  account: Account,
  world: World,
  seconds: number,
  channel: 'phone' | 'web',
  failed: boolean,
): true {
  if (failed) return true;
  const plan = account.subscriptions.find(({ kind }) => kind === 'plan');
  const covered = plan && plan.unpaidSince === null ? Math.min(seconds, account.seconds) : 0;
  const { perMinute, inBrowser } = PLANS[account.plan];
  const price = account.ownPrice ?? priceIn(account.currency, channel === 'web' ? inBrowser : perMinute, world);
  charge(account, 'call', Math.ceil(((seconds - covered) * price) / 60));
  account.seconds -= covered;
  return true;
}
