import { z } from 'zod';
import { time } from '../http/times.ts';
import { LEDGER_KINDS } from './ledger.ts';

/** The API's records of billing. Money is in the smallest unit of `currency`. */

const currency = z.enum(['INR', 'USD']).describe('the billing currency of the workspace');

const pendingBonus = z
  .object({
    code: z.string().describe('of the coupon'),
    percent: z.int().describe('of the next top-up, as extra credits'),
    max_paise: z.int().nullable().describe('limit of the bonus; null: none'),
    min_topup_paise: z.int().describe('smallest top-up that gets it, before GST'),
    redeemed_at: time('when the code was redeemed'),
  })
  .nullable()
  .describe('a bonus that waits for the next top-up');

const planMinutes = {
  plan_minutes_left_seconds: z.int().describe('included seconds that are left in this cycle'),
  plan_minutes_total_seconds: z.int().describe('included seconds of the whole cycle'),
  plan_minutes_cycle_end: time('when the cycle ends')
    .nullable()
    .describe('null: the plan has neither a fee nor included minutes'),
};

export const balanceRecord = z
  .object({
    credits_paise: z.int().describe('paid and free credits together; below 0: a debt'),
    price_per_minute_paise: z.int().describe("the plan's price of a minute"),
    minutes_left: z.int().describe("what the credits pay for at the plan's price; included minutes not counted"),
    low_balance: z.boolean().describe('fewer than 10 minutes are left'),
    currency,
    plan_name: z.string().describe('of the present plan'),
    plan_id: z.string().describe('of the present plan'),
    pending_bonus: pendingBonus,
    ...planMinutes,
  })
  .meta({ id: 'Balance' });

export const ledgerItem = z
  .object({
    id: z.string().describe('32 hex characters'),
    at: time('when the credits moved'),
    kind: z.enum(LEDGER_KINDS).describe('why they moved'),
    amount_paise: z.int().describe('negative: a charge; 0: included minutes paid for all of it'),
    balance_after_paise: z.int().describe('the credits after it'),
    note: z.string().describe('what it was for'),
    call_id: z.string().nullable().describe('the call it was for'),
    payment_id: z.string().nullable().describe('the payment it came with'),
    by_name: z.string().describe('who caused it; empty: the service'),
    currency,
    funded: z.enum(['paid', 'free']).describe('`free`: it moved only free credits'),
    paid_paise: z.int().describe('the part of it that moved paid credits'),
    free_paise: z.int().describe('the part of it that moved free credits'),
  })
  .meta({ id: 'LedgerItem' });

export const usageRecord = z
  .object({
    month: z.string().describe('`YYYY-MM`, in the zone asked for'),
    total_minutes: z.number().describe('talked on connected calls, with two decimals; waived calls are left out'),
    total_calls: z.int().describe('connected calls that ended in the month; waived ones are left out'),
    spent_paise: z.int().describe('credits spent on calls, prompts and tests; fees are in the ledger only'),
    daily: z
      .array(
        z.object({
          day: z.string().describe('`YYYY-MM-DD`'),
          calls: z.int().describe('connected calls that ended on this day'),
          minutes: z.number().describe('talked on them'),
          spent_paise: z.int().describe('credits spent on this day'),
        }),
      )
      .describe('every day of the month that has begun, oldest first'),
    first_month: z.string().describe('the month the workspace was made in'),
    currency,
  })
  .meta({ id: 'Usage' });

const planFields = {
  id: z.string().describe('for switching to it'),
  name: z.string().describe('for people'),
  icon: z.string().describe('a name or an address of a picture; may be empty'),
  price_per_minute_paise: z
    .int()
    .describe('minimum price of a minute on the phone; a price agreed with the workspace holds on every plan'),
  browser_price_per_minute_paise: z.int().nullable().describe('in a browser; null: as on the phone'),
  monthly_fee_paise: z.int().describe('for 30 days; 0: none'),
  included_minutes: z.int().describe('of every 30 days that are paid'),
  included_numbers: z.int().describe('phone numbers without a fee'),
  includes_caller_verification: z.boolean().describe('a shown caller id has no fee'),
  concurrency_limit: z.int().describe('live calls'),
  member_limit: z.int().nullable().describe('null: no limit'),
  custom: z.boolean().describe('agreed with each workspace'),
  current: z.boolean().describe('the workspace is on it'),
  can_switch: z.boolean().describe('it can be switched to now'),
  currency,
};

export const planRecord = z.object(planFields).meta({ id: 'Plan' });

export const ownPlanRecord = z
  .object({
    ...planFields,
    plan_paid_until: time('when the paid cycle ends').nullable().describe('null: nothing is paid'),
    next_charge_paise: z.int().describe('the fee at the end of the cycle; 0: none'),
    plan_past_due_since: time('since when the fee could not be taken').nullable().describe('null: it was taken'),
    ...planMinutes,
  })
  .meta({ id: 'OwnPlan' });

export const packRecord = z
  .object({
    id: z.string().describe('for buying it'),
    name: z.string().describe('for people'),
    amount_paise: z.int().describe('credits bought, and what they cost before tax'),
    bonus_paise: z.int().describe('free credits on top'),
    currency,
    popular: z.boolean().describe('the most popular one'),
  })
  .meta({ id: 'CreditPack' });

export const linesRecord = z
  .object({
    extra_lines: z.int().describe('lines beyond the limit of the plan'),
    price_per_line_paise: z.int().describe('of one line for 30 days'),
    lines_paid_until: time('when the paid cycle ends').nullable().describe('null: nothing is paid'),
    next_charge_paise: z.int().describe('of all lines at the end of the cycle'),
    lines_past_due_since: time('since when they could not be paid').nullable().describe('null: they were paid'),
    concurrency_limit: z.int().describe('live calls, these lines included'),
    can_add: z.int().describe('lines that can still be bought'),
    currency,
  })
  .meta({ id: 'CallLines' });

export const redeemedRecord = z
  .object({
    kind: z.enum(['credit', 'topup_bonus']).describe('credits at once, or more of them with the next top-up'),
    amount_paise: z.int().nullable().describe('of a credit'),
    percent: z.int().nullable().describe('of a bonus'),
    credits_paise: z.int().nullable().describe('of a credit: the credits with it'),
    pending_bonus: pendingBonus,
    currency,
  })
  .meta({ id: 'RedeemedCoupon' });
