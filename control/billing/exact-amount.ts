import { MICRO } from './rates.ts';

/**
 * Amounts as whole numbers without any rounding. Rates are whole millionths, quantities whole thousandths, and prices are for a
 * minute, a thousand characters or a million tokens: a paisa of 3 × 10¹⁵ parts can be divided by all of them. Millionths alone
 * would not do: a third and two thirds of a paisa, each rounded up, are more than one, and the customer would pay two.
 */
export type Exact = bigint;

/** Parts of a millionth. */
const PARTS = 3_000_000_000n;
const PAISA = PARTS * BigInt(MICRO);

/** What one unit of a rate holds: seconds, characters, tokens. */
export type Per = 60 | 1_000 | 1_000_000;

/** A rate in millionths of so many `per` units, for this quantity. */
export function exactAmount(rateMicro: number, quantityThousandths: number, per: Per): Exact {
  return BigInt(rateMicro) * BigInt(quantityThousandths) * (PARTS / BigInt(per * 1_000));
}

/** Quantities come with two decimals at most; what is none, or cannot be, counts as nothing. */
export function thousandths(quantity: number | undefined): number {
  const whole = Math.round((quantity ?? 0) * 1_000);
  return Number.isSafeInteger(whole) && whole > 0 ? whole : 0;
}

/** In whole paise, rounded up. */
export function ceilPaise(amount: Exact): number {
  return Number(ceilDivided(amount, PAISA));
}

/** `amount × by / of` in whole paise, `plus` something exact, rounded up once. */
export function ceilShare(amount: Exact, by: number, of: number, plus: Exact): number {
  return Number(ceilDivided(amount * BigInt(by) + plus * BigInt(of), PAISA * BigInt(of)));
}

/** How many ten-thousandths of `unitMicro` this is, rounded up. */
export function tenThousandthsOf(amount: Exact, unitMicro: number): bigint {
  return ceilDivided(amount * 10_000n, BigInt(unitMicro) * PARTS);
}

/** In paise with four decimals, for people to read. */
export function toDecimalPaise(amount: Exact): number {
  return Number((amount * 10_000n + PAISA / 2n) / PAISA) / 10_000;
}

/** Of numbers that are not negative. */
export function ceilDivided(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
