/**
 * The billing rules of the specification for plans, call lines and calls once more, step by step, without a line of the product. A
 * state never changes: each rule returns the next one. Money is in paise, time in milliseconds.
 */

const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;
const LINE_PAISE = 60_000;

/** The table of the specification. */
const PLANS = {
  starter: { fee: 0, seconds: 0, perMinute: 550, calls: 5 },
  growth: { fee: 299_900, seconds: 600 * 60, perMinute: 475, calls: 15 },
  scale: { fee: 999_900, seconds: 2_500 * 60, perMinute: 400, calls: 40 },
};
export type PlanId = keyof typeof PLANS;
export type FeeKind = 'plan' | 'lines';

interface Subscription {
  paidUntil: number;
  nextAttempt: number;
  unpaidSince: number | null;
}

export interface SlowState {
  credits: number;
  plan: PlanId;
  /** Included seconds that are left. */
  seconds: number;
  lines: number;
  subscriptions: Record<FeeKind, Subscription | null>;
  /** What was taken, in order, with the beginning of the month it paid for; null: lines within a month. */
  taken: { kind: FeeKind; paise: number; begin: number | null }[];
}

export const newSlowState = (): SlowState => ({
  ...{ credits: 0, plan: 'starter', seconds: 0, lines: 0, taken: [] },
  subscriptions: { plan: null, lines: null },
});

export const concurrencyOf = ({ plan, lines }: SlowState): number => Math.min(100, PLANS[plan].calls + lines);

const month = (from: number): Subscription => ({
  paidUntil: from + MONTH_MS,
  nextAttempt: from + MONTH_MS,
  unpaidSince: null,
});

const take = (state: SlowState, kind: FeeKind, paise: number, begin: number | null): SlowState => ({
  ...state,
  credits: state.credits - paise,
  taken: paise === 0 ? state.taken : [...state.taken, { kind, paise, begin }],
});

const withSubscription = (state: SlowState, kind: FeeKind, subscription: Subscription | null): SlowState => ({
  ...state,
  subscriptions: { ...state.subscriptions, [kind]: subscription },
});

/** All states that the fees which are due can lead to: which of two is taken first is not said. */
export function afterFees(state: SlowState, now: number, mayTake: (kind: FeeKind) => boolean): SlowState[] {
  const due = (['plan', 'lines'] as const).filter((kind) => {
    const subscription = state.subscriptions[kind];
    return subscription !== null && subscription.nextAttempt <= now && mayTake(kind);
  });
  return due.length === 0 ? [state] : due.flatMap((kind) => afterFees(attempt(state, kind, now), now, mayTake));
}

function attempt(state: SlowState, kind: FeeKind, now: number): SlowState {
  const { paidUntil, unpaidSince } = state.subscriptions[kind]!;
  const fee = kind === 'plan' ? PLANS[state.plan].fee : state.lines * LINE_PAISE;
  if (state.credits >= fee) {
    const paid = withSubscription(take(state, kind, fee, paidUntil), kind, month(paidUntil));
    return kind === 'plan' ? { ...paid, seconds: PLANS[state.plan].seconds } : paid;
  }
  if (unpaidSince !== null && now >= unpaidSince + 7 * DAY_MS) {
    const ended = withSubscription(state, kind, null);
    return kind === 'plan' ? retried({ ...ended, plan: 'starter', seconds: 0 }, now) : { ...ended, lines: 0 };
  }
  const since = unpaidSince ?? now;
  let nextAttempt = since;
  while (nextAttempt <= now) nextAttempt += DAY_MS;
  const unpaid = withSubscription(state, kind, { paidUntil, nextAttempt, unpaidSince: since });
  return kind === 'plan' ? { ...unpaid, seconds: 0 } : unpaid;
}

export const topUp = (state: SlowState, paise: number, now: number): SlowState =>
  retried({ ...state, credits: state.credits + paise }, now);

/** With what is unpaid tried again at the next opportunity: credits or the plan have changed. */
function retried(state: SlowState, now: number): SlowState {
  let next = state;
  for (const kind of ['plan', 'lines'] as const) {
    const subscription = next.subscriptions[kind];
    if (subscription && subscription.unpaidSince !== null && subscription.nextAttempt > now) {
      next = withSubscription(next, kind, { ...subscription, nextAttempt: now });
    }
  }
  return next;
}

/** Null: it is refused. */
export function switchTo(state: SlowState, plan: PlanId, now: number): SlowState | null {
  const { fee, seconds } = PLANS[plan];
  if (plan === state.plan || state.credits < fee) return null;
  const next = { ...take(state, 'plan', fee, now), plan, seconds };
  return retried(withSubscription(next, 'plan', fee > 0 ? month(now) : null), now);
}

/** Null: it is refused. */
export function buy(state: SlowState, quantity: number, now: number): SlowState | null {
  if (concurrencyOf(state) + quantity > 100) return null;
  let next = state;
  while (next.subscriptions.lines && next.subscriptions.lines.paidUntil <= now) {
    const fee = next.lines * LINE_PAISE;
    if (next.credits < fee) return null;
    const { paidUntil } = next.subscriptions.lines;
    next = withSubscription(take(next, 'lines', fee, paidUntil), 'lines', month(paidUntil));
  }
  const running = next.subscriptions.lines;
  let days = 0;
  for (let at = now; at < (running?.paidUntil ?? now + MONTH_MS); at += DAY_MS) days++;
  const price = Math.ceil((quantity * LINE_PAISE * days) / 30);
  if (next.credits < price) return null;
  const bought = { ...take(next, 'lines', price, null), lines: next.lines + quantity };
  return running ? bought : withSubscription(bought, 'lines', month(now));
}

/** Null: it is refused. */
export function remove(state: SlowState, quantity: number): SlowState | null {
  if (quantity > state.lines) return null;
  const next = { ...state, lines: state.lines - quantity };
  return next.lines === 0 ? withSubscription(next, 'lines', null) : next;
}

/** A call that costs less than its minimum, and one included second per second. */
export function call(state: SlowState, seconds: number): SlowState {
  const covered = Math.min(seconds, state.seconds);
  const paise = Math.ceil(((seconds - covered) * PLANS[state.plan].perMinute) / 60);
  return { ...state, seconds: state.seconds - covered, credits: state.credits - paise };
}
