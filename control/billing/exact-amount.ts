import { MICRO } from './rates.ts';

/**
 * Amounts as whole numbers, without rounding. Rates are whole millionths, quantities whole thousandths, and prices are per minute,
 * thousand characters or million tokens: a paisa of 3 × 10¹⁵ parts can be divided by all of them. Millionths would not do: a third
 * and two thirds of a paisa, each rounded up, are more than one, and the customer would pay two.
 */
export type Exact = bigint;

/** Parts of a millionth. */
const PARTS = 3_000_000_000n;
const PAISA = PARTS * BigInt(MICRO);

/** Seconds, characters or tokens in one unit of a rate. */
export type Per = 60 | 1_000 | 1_000_000;

/** The price of a quantity at a rate in millionths per `per` units. */
export function exactAmount(rateMicro: number, quantityThousandths: number, per: Per): Exact {
  return BigInt(rateMicro) * BigInt(quantityThousandths) * (PARTS / BigInt(per * 1_000));
}

/** A quantity, which has two decimals at most, in thousandths; an invalid one is 0. */
export function thousandths(quantity: number | undefined): number {
  const whole = Math.round((quantity ?? 0) * 1_000);
  return Number.isSafeInteger(whole) && whole > 0 ? whole : 0;
}

/** Rounds up to whole paise. */
export function ceilPaise(amount: Exact): number {
  return Number(ceilDivided(amount, PAISA));
}

/** `amount × by / of + plus`, rounded up once to whole paise. */
export function ceilShare(amount: Exact, by: number, of: number, plus: Exact): number {
  return Number(ceilDivided(amount * BigInt(by) + plus * BigInt(of), PAISA * BigInt(of)));
}

/** The amount in ten-thousandths of `unitMicro`, rounded up. */
export function tenThousandthsOf(amount: Exact, unitMicro: number): bigint {
  return ceilDivided(amount * 10_000n, BigInt(unitMicro) * PARTS);
}

/** The amount in paise with four decimals, for display. */
export function toDecimalPaise(amount: Exact): number {
  return Number((amount * 10_000n + PAISA / 2n) / PAISA) / 10_000;
}

/** Division rounded up, of numbers that are not negative. */
export function ceilDivided(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
