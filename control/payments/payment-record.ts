import { z } from 'zod';
import { time } from '../http/times.ts';
import { GATEWAY_NAMES } from './gateway.ts';
import type { StartedTopup } from './start-topup.ts';
import type { ListedPaymentRow } from './store.ts';

/** The API's record of a payment. Money is in the smallest unit of `currency`. */

const fields = {
  id: z.string().describe('32 hex characters'),
  status: z
    .enum(['created', 'paid', 'failed', 'expired'])
    .describe('`expired`: not paid within 30 minutes; money that arrives later is credited all the same'),
  amount_paise: z.int().describe('credits bought, and their price before tax'),
  bonus_paise: z.int().describe('free credits on top: of the pack, and once it is paid of a coupon'),
  tax_paise: z.int().describe('GST'),
  total_paise: z.int().describe('what is paid'),
  refunded_paise: z.int().describe('what went back of it by refunds and disputes'),
  currency: z.enum(['INR', 'USD']).describe('what it is paid in'),
  pack_id: z.string().nullable().describe('the pack that was bought; null: an amount'),
  method: z.string().describe('how it was paid, in the words of the gateway, as `card` or `upi`; empty: not known'),
  invoice_id: z.string().nullable().describe('its invoice; null until it is paid'),
  created_by: z.string().describe('who began it'),
  created_at: time('when it began'),
  paid_at: time('when the money arrived').nullable().describe('null: it has not'),
  failure_reason: z.string().describe('why it failed, or why the last attempt did; empty: it did not'),
};

export const paymentRecord = z.object(fields).meta({ id: 'Payment' });

export const startedPaymentRecord = z
  .object({
    ...fields,
    gateway: z
      .object({
        name: z.enum(GATEWAY_NAMES).describe('the payment gateway of the currency'),
        order_id: z.string().describe("the gateway's id of what is to be paid"),
        public_key: z.string().describe('names the account in the checkout; may be empty'),
        script_url: z.string().describe("the gateway's checkout script for the page; empty: there is none"),
        checkout_url: z
          .string()
          .describe('the page to send the browser to instead; empty: the script opens the checkout'),
      })
      .describe('what a page needs to let somebody pay'),
  })
  .meta({ id: 'StartedPayment' });

export const toRecord = (row: ListedPaymentRow) => ({
  ...row,
  bonus_paise: row.bonus_paise + row.coupon_bonus_paise,
});

export const toStartedRecord = ({ gateway_checkout, ...row }: StartedTopup) => ({
  ...toRecord(row),
  gateway: gateway_checkout,
});
