import { commaSeparated } from '../../shared/comma-separated.ts';
import type { ControlConfig } from '../config.ts';
import type { Gateways } from './gateway.ts';
import { razorpay } from './razorpay.ts';
import { stripe } from './stripe.ts';

/** The gateways whose credentials are set. @throws Error when some are missing. */
export function configuredGateways(config: ControlConfig): Gateways {
  const { RAZORPAY_KEY_ID, RAZORPAY_KEY_SECRET, RAZORPAY_WEBHOOK_SECRET, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } =
    config;
  const gateways: Gateways = new Map(
    [
      ...(allSet({ RAZORPAY_KEY_ID, RAZORPAY_KEY_SECRET, RAZORPAY_WEBHOOK_SECRET })
        ? [
            razorpay({
              ...{ key_id: RAZORPAY_KEY_ID, key_secret: RAZORPAY_KEY_SECRET },
              ...{ webhook_secrets: commaSeparated(RAZORPAY_WEBHOOK_SECRET), api_url: config.RAZORPAY_API_URL },
              checkout_url: config.RAZORPAY_CHECKOUT_URL,
            }),
          ]
        : []),
      ...(allSet({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET })
        ? [
            stripe({
              ...{ secret_key: STRIPE_SECRET_KEY, publishable_key: config.STRIPE_PUBLISHABLE_KEY },
              ...{ webhook_secrets: commaSeparated(STRIPE_WEBHOOK_SECRET), api_url: config.STRIPE_API_URL },
            }),
          ]
        : []),
    ].map((gateway) => [gateway.name, gateway]),
  );
  return gateways;
}

/** Half an account is an error: its callbacks could not be checked. */
function allSet(settings: Record<string, string>): boolean {
  const missing = Object.keys(settings).filter((name) => settings[name] === '');
  if (missing.length === Object.keys(settings).length) return false;
  if (missing.length > 0) throw new Error(`${missing.join(' and ')} missing: set all of the payment gateway, or none`);
  return true;
}
