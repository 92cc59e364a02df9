import {
  type Account,
  type Bonus,
  type Currency,
  converted,
  move,
  type Paper,
  type Payment,
  type Reversal,
  type World,
} from './account.ts';
import { retry } from './fees.ts';

/** The rules of top-ups, coupons, and money that goes back. */

/** A payment whose order is made: an Indian buyer pays 9 % CGST and 9 % SGST in the seller's own state. */
export function newPayment(account: Account, world: World, id: string, amount: number, bonus: number): Payment {
  const { taxed, currency } = account;
  const half = Math.floor((amount * 9 + 50) / 100);
  return {
    ...{ id, amount, bonus, couponBonus: 0, tax: taxed ? [half, half] : [], currency, credited: false, reversals: [] },
    paisePerDollar: currency === 'USD' ? world.paisePerDollar : null,
  };
}

const sum = (amounts: readonly number[]) => amounts.reduce((total, each) => total + each, 0);

export const totalOf = ({ amount, tax }: Pick<Payment, 'amount' | 'tax'>): number => amount + sum(tax);

const inWallet = (account: Account, payment: Payment, world: World) => (paise: number) =>
  converted(paise, payment.currency, account.currency, payment.paisePerDollar ?? world.paisePerDollar);

/** Money that arrived: once. */
export function credit(account: Account, world: World, payment: Payment, now: number): true {
  if (payment.credited) return true;
  const here = inWallet(account, payment, world);
  const { amount, bonus, tax, currency } = payment;
  payment.credited = true;
  retry(account, now);
  move(account, 'topup', here(amount), 0);
  if (bonus > 0) move(account, 'grant', 0, here(bonus));
  const waiting = account.bonus;
  if (waiting && waiting.currency === currency && amount >= waiting.min) {
    payment.couponBonus = Math.min(
      Math.floor((amount * waiting.percent) / 100),
      waiting.max ?? Number.MAX_SAFE_INTEGER,
    );
    move(account, 'grant', 0, here(payment.couponBonus));
    account.bonus = null;
  }
  account.papers.push({ document: 'invoice', kind: 'topup', amount, tax, currency });
  return true;
}

export interface Coupon {
  currency: Currency;
  used: boolean;
  credit: number | null;
  bonus: Omit<Bonus, 'currency'> | null;
}

export function redeem(account: Account, { currency, used, credit: amount, bonus }: Coupon, now: number): boolean {
  if (currency !== account.currency || used || (bonus && account.bonus)) return false;
  if (bonus) account.bonus = { ...bonus, currency };
  if (amount === null) return true;
  retry(account, now);
  move(account, 'grant', 0, amount);
  return true;
}

export function grant(account: Account, kind: 'grant' | 'adjustment', paise: number, now: number): true {
  if (paise > 0) retry(account, now);
  if (paise > 0) move(account, kind, kind === 'grant' ? 0 : paise, kind === 'grant' ? paise : 0);
  else {
    const free = Math.min(account.free, -paise);
    move(account, kind, paise + free, -free);
  }
  return true;
}

const LATER = ['taken', 'final', 'returned'];

/** A report of a refund or a dispute: `taken`, `final` and `returned` follow each other, and an earlier one than before says nothing. */
export function reverse(
  account: Account,
  world: World,
  payment: Payment,
  report: Pick<Reversal, 'id' | 'amount' | 'status'>,
): void {
  const known = payment.reversals.find(({ id }) => id === report.id);
  if (known && LATER.indexOf(known.status) >= LATER.indexOf(report.status)) return;
  const reversal: Reversal = known ?? { ...report, credits: 0, bonus: 0, moved: null, note: null };
  reversal.status = report.status;
  if (!known) payment.reversals.push(reversal);
  if (known && report.status === 'returned') giveBack(account, world, payment, reversal);
  if (!known && report.status !== 'returned') takeBack(account, world, payment, reversal);
  if (report.status === 'final') reversal.note = noteOf(account, payment, reversal);
  if (report.status === 'returned' && reversal.note) account.papers.push({ ...reversal.note, document: 'invoice' });
}

/** The share of what is gone, rounded down, less what was taken for others. */
function stillToTake(payment: Payment) {
  const { amount, bonus, couponBonus, reversals } = payment;
  const total = totalOf(payment);
  const gone = sum(reversals.filter(({ status }) => status !== 'returned').map((each) => each.amount));
  const share = (paise: number) => Math.floor((paise * Math.min(gone, total)) / total);
  return {
    credits: share(amount) - sum(reversals.map((each) => each.credits)),
    bonus: share(bonus + couponBonus) - sum(reversals.map((each) => each.bonus)),
  };
}

function takeBack(account: Account, world: World, payment: Payment, reversal: Reversal): void {
  Object.assign(reversal, stillToTake(payment));
  const here = inWallet(account, payment, world);
  const bonus = here(reversal.bonus);
  const all = here(reversal.credits) + bonus;
  if (all <= 0) return;
  const free = Math.min(bonus, account.free);
  reversal.moved = move(account, 'adjustment', free - all, -free);
}

/** What it took comes back as it was taken, less or more the paisa that keeps the share right. */
function giveBack(account: Account, world: World, payment: Payment, reversal: Reversal): void {
  const more = stillToTake(payment);
  reversal.credits += more.credits;
  reversal.bonus += more.bonus;
  if (!reversal.moved) return;
  const { paid, free, currency } = reversal.moved;
  const back = (paise: number) => converted(-paise, currency, account.currency, world.paisePerDollar);
  const left = inWallet(account, payment, world)(reversal.credits + reversal.bonus);
  move(account, 'adjustment', back(paid) - left, back(free));
}

/** A credit note, of which several over all of the invoice are exactly it; null: less of it is left. */
function noteOf(account: Account, payment: Payment, reversal: Reversal): Paper | null {
  const notes = payment.reversals.filter((each) => each.note && each.status !== 'returned' && each !== reversal);
  const total = totalOf(payment);
  const after = sum(notes.map(({ amount }) => amount)) + reversal.amount;
  if (after > total) return null;
  const tax = payment.tax.map((line, at) => {
    const before = sum(notes.map(({ note }) => note!.tax[at]!));
    return Math.max(0, Math.floor((2 * line * after + total) / (2 * total)) - before);
  });
  const note = { document: 'credit_note', kind: 'topup', amount: reversal.amount - sum(tax), tax } as const;
  const paper: Paper = { ...note, currency: payment.currency };
  account.papers.push(paper);
  return paper;
}
