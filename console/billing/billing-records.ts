import type { Currency } from './money.ts';

/** The fields of the API's billing records that the page reads. */

export interface Balance {
  credits_paise: number;
  price_per_minute_paise: number;
  minutes_left: number;
  low_balance: boolean;
  currency: Currency;
  pending_bonus: { code: string; percent: number } | null;
}

export interface OwnPlan {
  name: string;
  price_per_minute_paise: number;
  monthly_fee_paise: number;
  concurrency_limit: number;
  plan_paid_until: string | null;
  next_charge_paise: number;
  plan_past_due_since: string | null;
  plan_minutes_left_seconds: number;
  plan_minutes_total_seconds: number;
}

export interface Pack {
  id: string;
  name: string;
  amount_paise: number;
  bonus_paise: number;
  currency: Currency;
  popular: boolean;
}

export interface Payment {
  id: string;
  status: 'created' | 'paid' | 'failed' | 'expired';
  amount_paise: number;
  bonus_paise: number;
  total_paise: number;
  refunded_paise: number;
  currency: Currency;
  created_at: string;
  failure_reason: string;
}

export interface StartedPayment extends Payment {
  gateway: {
    order_id: string;
    public_key: string;
    /** The script that opens the checkout within the page; empty: `checkout_url` is where to go. */
    script_url: string;
    checkout_url: string;
  };
}

export interface Invoice {
  id: string;
  number: string;
  description: string;
  total_paise: number;
  currency: Currency;
  issued_at: string;
  credit_notes: { id: string; number: string; total_paise: number; issued_at: string }[];
}
