import type { Currency } from '../billing/money.ts';

/** The parts of `cost_breakdown` that the page shows; amounts have fractions. */
export interface CostBreakdown {
  components: Record<string, number>;
  lines: CostLine[];
  usage_paise: number;
  floor_paise: number;
  floor_per_minute_paise: number;
  floor_applied: boolean;
  total_paise: number;
  waived: string | null;
  waived_paise: number;
}

export interface CostLine {
  component: string;
  provider: string;
  model: string;
  quantity: number;
  unit: string;
  amount_paise: number;
}

/** Null: the call was not charged yet, or long ago, without a breakdown. */
export function costBreakdownIn(value: Record<string, unknown>): CostBreakdown | null {
  const { components, lines } = value;
  if (typeof components !== 'object' || components === null || !Array.isArray(lines)) return null;
  return value as unknown as CostBreakdown;
}

const LOCALES: Record<Currency, string> = { INR: 'en-IN', USD: 'en-US' };

/** Parts of a rupee are written down to a hundredth of the smallest unit. */
export const fineMoney = (paise: number, currency: Currency): string =>
  new Intl.NumberFormat(LOCALES[currency], {
    ...{ style: 'currency', currency, minimumFractionDigits: 2, maximumFractionDigits: 4 },
  }).format(paise / 100);
