import {
  type Account,
  type Currency,
  charge,
  converted,
  creditsOf,
  DAY_MS,
  type FeeKind,
  MONTH_MS,
  move,
  type NumberOrder,
  PLANS,
  type PlanId,
  priceIn,
  type Subscription,
  takeFee,
  type World,
} from './account.ts';

/** The rules of what is paid every 30 days: plans, call lines, numbers, caller ids. False: it is refused, and nothing is to change. */

const LINE: Record<Currency, number> = { INR: 60_000, USD: 700 };
/** What the simulated carrier takes, in cents. */
export const NUMBER_CENTS = { monthly: 115, setup: 100 };

export const concurrencyOf = ({ plan, lines }: Account): number => Math.min(100, PLANS[plan].calls + lines);

const find = (account: Account, kind: FeeKind, id: string) =>
  account.subscriptions.find((each) => each.kind === kind && each.id === id);

function subscribe(account: Account, kind: FeeKind, id: string, now: number): void {
  unsubscribe(account, kind, id);
  const paidUntil = now + MONTH_MS;
  account.subscriptions.push({ kind, id, paidUntil, nextAttempt: paidUntil, unpaidSince: null });
}

function unsubscribe(account: Account, kind: FeeKind, id: string): void {
  account.subscriptions = account.subscriptions.filter((each) => each.kind !== kind || each.id !== id);
}

/** What is unpaid is tried again at the next opportunity: credits or the plan have changed. */
export function retry(account: Account, now: number): true {
  for (const each of account.subscriptions) {
    if (each.unpaidSince !== null) each.nextAttempt = Math.min(each.nextAttempt, now);
  }
  return true;
}

const carrierPrice = (currency: Currency, cents: number, { paisePerDollar }: World) =>
  currency === 'USD' ? cents : Math.ceil((cents * paisePerDollar) / 100);

function numberFee({ currency }: Account, world: World): { monthly: number; setup: number } {
  const { INR } = world.numberRate;
  // One that is set in rupees only is converted.
  const rate = world.numberRate[currency] ?? (INR === null ? null : priceIn(currency, INR, world));
  if (rate !== null) return { monthly: Math.ceil(rate), setup: 0 };
  return {
    monthly: carrierPrice(currency, NUMBER_CENTS.monthly, world),
    setup: carrierPrice(currency, NUMBER_CENTS.setup, world),
  };
}

const callerIdFee = ({ plan, currency }: Account, world: World) =>
  PLANS[plan].callerId ? 0 : Math.ceil(world.callerIdRate[currency]);

/** The oldest numbers, as many as the plan includes. */
function isIncluded({ numbers, plan }: Account, number: string): boolean {
  const oldest = [...numbers].sort((a, b) => a.boughtAt - b.boughtAt || (a.number < b.number ? -1 : 1));
  return oldest.slice(0, PLANS[plan].numbers).some((each) => each.number === number);
}

function feeOf(account: Account, world: World, { kind, id }: Pick<Subscription, 'kind' | 'id'>): number {
  if (kind === 'plan') return priceIn(account.currency, PLANS[account.plan].fee, world);
  if (kind === 'lines') return account.lines * LINE[account.currency];
  if (kind === 'number') return isIncluded(account, id) ? 0 : numberFee(account, world).monthly;
  return callerIdFee(account, world);
}

/** One attempt to take a fee that is due. */
export function attempt(account: Account, world: World, key: Pick<Subscription, 'kind' | 'id'>, now: number): void {
  const subscription = find(account, key.kind, key.id)!;
  const { kind, id, paidUntil, unpaidSince } = subscription;
  const fee = feeOf(account, world, subscription);
  if (!account.closed && takeFee(account, kind, fee, paidUntil)) {
    const end = paidUntil + MONTH_MS;
    Object.assign(subscription, { paidUntil: end, nextAttempt: end, unpaidSince: null });
    if (kind === 'plan') account.seconds = PLANS[account.plan].seconds;
    if (kind === 'number') account.numbers.find(({ number }) => number === id)!.paid = true;
    const callerId = account.callerIds.find((each) => kind === 'caller_id' && each.id === id);
    if (callerId) Object.assign(callerId, { fee, currency: account.currency, paidUntil: fee > 0 ? end : null });
    return;
  }
  if (account.closed || (unpaidSince !== null && now >= unpaidSince + 7 * DAY_MS)) {
    lapse(account, kind, id, now);
    return;
  }
  const since = unpaidSince ?? now;
  let nextAttempt = since;
  while (nextAttempt <= now) nextAttempt += DAY_MS;
  Object.assign(subscription, { nextAttempt, unpaidSince: since });
  if (kind === 'plan') account.seconds = 0;
  if (kind === 'number') account.numbers.find(({ number }) => number === id)!.paid = false;
}

function lapse(account: Account, kind: FeeKind, id: string, now: number): void {
  unsubscribe(account, kind, id);
  if (kind === 'plan') putOnPlan(account, 'starter', now);
  if (kind === 'lines') account.lines = 0;
  if (kind === 'number') releaseNumber(account, id, now);
  if (kind === 'caller_id') account.callerIds = account.callerIds.filter((each) => each.id !== id);
}

/** Without a charge. */
export function putOnPlan(account: Account, plan: PlanId, now: number): true {
  const { fee, seconds } = PLANS[plan];
  unsubscribe(account, 'plan', account.plan);
  Object.assign(account, { plan, seconds, planChangedAt: now });
  if (fee > 0) subscribe(account, 'plan', plan, now);
  return retry(account, now);
}

export function switchPlan(account: Account, world: World, plan: PlanId, now: number): boolean {
  if (plan === account.plan || PLANS[plan].custom || now < account.planChangedAt + 60_000) return false;
  putOnPlan(account, plan, now);
  return takeFee(account, 'plan', feeOf(account, world, { kind: 'plan', id: plan }), now);
}

export function buyLines(account: Account, world: World, quantity: number, now: number): boolean {
  if (concurrencyOf(account) + quantity > 100) return false;
  for (let all = find(account, 'lines', 'all'); all && all.paidUntil <= now; ) {
    const before = all.paidUntil;
    attempt(account, world, all, now);
    if (all.paidUntil === before) return false;
  }
  const running = find(account, 'lines', 'all');
  let days = 0;
  for (let at = now; at < (running?.paidUntil ?? now + MONTH_MS); at += DAY_MS) days++;
  account.lines += quantity;
  if (!running) subscribe(account, 'lines', 'all', now);
  return takeFee(account, 'lines', Math.ceil((quantity * LINE[account.currency] * days) / 30), null);
}

export function removeLines(account: Account, quantity: number): boolean {
  if (quantity > account.lines) return false;
  account.lines -= quantity;
  if (account.lines === 0) unsubscribe(account, 'lines', 'all');
  return true;
}

/** Writes the order down and takes its fee, before the carrier is asked. */
export function orderNumber(account: Account, world: World, number: string, now: number): boolean {
  const open = account.orders.filter(({ state }) => state === 'ordering').length;
  const included = account.numbers.length + open < PLANS[account.plan].numbers;
  const { monthly, setup } = numberFee(account, world);
  const charged = included ? 0 : monthly + setup;
  if (charged > 0 && creditsOf(account) < charged) return false;
  const moved = charged > 0 ? charge(account, 'number', charged) : null;
  account.orders.push({
    ...{ number, state: 'ordering', createdAt: now, nextAttempt: now + 30_000, absent: 0 },
    ...{ charged, currency: account.currency, moved },
  });
  return true;
}

/** The carrier has sold it, or has not: then its fee comes back, in the currency of now. What a closed one bought is given up. */
export function settleOrder(account: Account, world: World, order: NumberOrder, bought: boolean, now: number): void {
  account.orders = account.orders.filter((each) => each !== order);
  const { number, charged, currency, moved } = order;
  if (bought && account.closed) account.orders.push({ ...order, state: 'releasing', nextAttempt: now });
  else if (bought) {
    account.numbers.push({ number, boughtAt: now, paid: true });
    subscribe(account, 'number', number, now);
    // In what was taken.
    if (charged > 0) account.papers.push({ document: 'invoice', kind: 'number', amount: charged, tax: [], currency });
    return;
  }
  if (!moved) return;
  const back = (paise: number) => converted(-paise, currency, account.currency, world.paisePerDollar);
  move(account, 'number', back(moved.paid), back(moved.free));
}

/** One look at what the carrier's account has; null: nothing. */
export function lookAtOrder(
  account: Account,
  world: World,
  order: NumberOrder,
  held: 'held' | 'pending' | null,
  now: number,
): void {
  if (order.state === 'releasing') account.orders = account.orders.filter((each) => each !== order);
  else if (held === 'held') settleOrder(account, world, order, true, now);
  else if (held === 'pending' && now >= order.createdAt + DAY_MS) {
    settleOrder(account, world, order, false, now);
    account.orders.push({ ...order, state: 'releasing', nextAttempt: now });
  } else if (held === null && ++order.absent > 2) settleOrder(account, world, order, false, now);
}

/** Nothing is given back. */
export function releaseNumber(account: Account, number: string, now: number): true {
  account.numbers = account.numbers.filter((each) => each.number !== number);
  unsubscribe(account, 'number', number);
  for (const { id } of account.callerIds.filter((each) => each.number === number)) removeCallerId(account, id);
  account.orders.push({
    ...{ number, state: 'releasing', createdAt: now, nextAttempt: now, absent: 0, charged: 0 },
    ...{ currency: account.currency, moved: null },
  });
  return true;
}

/** A caller id is shown from its approval on, which charges it. */
export function approveCallerId(account: Account, world: World, id: string, number: string, now: number): boolean {
  const fee = callerIdFee(account, world);
  if (!takeFee(account, 'caller_id', fee, now)) return false;
  subscribe(account, 'caller_id', id, now);
  const paidUntil = fee > 0 ? now + MONTH_MS : null;
  account.callerIds.push({ id, number, fee, currency: account.currency, paidUntil });
  return true;
}

export function removeCallerId(account: Account, id: string): true {
  unsubscribe(account, 'caller_id', id);
  account.callerIds = account.callerIds.filter((each) => each.id !== id);
  return true;
}
