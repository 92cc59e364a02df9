import { BILLING_PATH } from '../address.ts';
import { type Currency, money } from '../billing/money.ts';
import type { Balance, Batch, CallsSummary, GuardrailIncident } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';

/** Something that a person should look at, and where. */
export interface Attention {
  text: string;
  href: string;
  urgent: boolean;
}

/** What is known; what could not be read, or may not be seen, is left out. */
export interface Known {
  balance?: Pick<Balance, 'credits_paise' | 'low_balance' | 'minutes_left' | 'currency'> | undefined;
  /** Of the last 24 hours. */
  totals?: Pick<CallsSummary['totals'], 'calls' | 'failed'> | undefined;
  incidents?: readonly Pick<GuardrailIncident, 'agent_name'>[] | undefined;
  pausedBatches?: readonly Pick<Batch, 'id' | 'name'>[] | undefined;
  /** Deliveries of the last 24 hours that no try is left for. */
  failedDeliveries?: number | undefined;
}

/** Fewer failed calls than these are chance. */
const FAILED_AT_LEAST = 3;
const FAILED_SHARE = 0.1;

/** What needs attention, the urgent first. */
export function attentionOf({
  balance,
  totals,
  incidents = [],
  pausedBatches = [],
  failedDeliveries = 0,
}: Known): Attention[] {
  const found: Attention[] = [];
  if (balance && balance.credits_paise < 0) {
    const amount = money(-balance.credits_paise, balance.currency as Currency);
    found.push({
      text: t('{{amount}} are owed. No calls are placed until you add credits.', { amount }),
      href: BILLING_PATH,
      urgent: true,
    });
  } else if (balance?.low_balance) {
    const left = tn(
      'Credits are left for {{count}} minute.',
      'Credits are left for {{count}} minutes.',
      Math.floor(balance.minutes_left),
    );
    found.push({ text: left, href: BILLING_PATH, urgent: true });
  }
  if (totals && totals.failed >= FAILED_AT_LEAST && totals.failed >= FAILED_SHARE * totals.calls) {
    const text = tn('{{count}} call of the last day failed.', '{{count}} calls of the last day failed.', totals.failed);
    found.push({ text, href: '/calls?status=failed', urgent: true });
  }
  if (incidents.length > 0) {
    const text = tn(
      '{{count}} incident of the guardrails waits to be seen.',
      '{{count}} incidents of the guardrails wait to be seen.',
      incidents.length,
    );
    found.push({ text, href: '/workspace/guardrails', urgent: false });
  }
  for (const { id, name } of pausedBatches) {
    found.push({ text: t('The batch {{name}} is paused.', { name }), href: `/batches/${id}`, urgent: false });
  }
  if (failedDeliveries > 0) {
    const text = tn(
      '{{count}} event of the last day could not be delivered to your webhooks.',
      '{{count}} events of the last day could not be delivered to your webhooks.',
      failedDeliveries,
    );
    found.push({ text, href: '/webhooks/deliveries?status=failed', urgent: false });
  }
  return found.toSorted((a, b) => Number(b.urgent) - Number(a.urgent));
}
