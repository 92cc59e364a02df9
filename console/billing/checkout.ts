import type { StartedPayment } from '../generated/api.ts';

/** Opens the checkout of a payment gateway: its script within this page, or its own page. */

export interface CheckoutResult {
  gateway_payment_id: string;
  gateway_signature: string;
}

export interface CheckoutEvents {
  onPaid(result: CheckoutResult): void;
  /** An attempt failed; the checkout stays open for another one. */
  onAttemptFailed(description: string): void;
  onClosed(): void;
}

/** Razorpay's Standard Checkout, as its script defines it. */
interface RazorpayCheckout {
  open(): void;
  on(event: 'payment.failed', listener: (response: { error: { description?: string } }) => void): void;
}
type RazorpayConstructor = new (options: object) => RazorpayCheckout;

export interface Payer {
  name: string;
  email: string;
}

/** @returns false when the gateway's script could not be loaded. */
export async function openCheckout(payment: StartedPayment, payer: Payer, events: CheckoutEvents): Promise<boolean> {
  const { gateway } = payment;
  if (gateway.checkout_url !== '') {
    location.assign(gateway.checkout_url);
    return true;
  }
  const Razorpay = await loadRazorpay(gateway.script_url);
  if (!Razorpay) return false;
  const checkout = new Razorpay({
    key: gateway.public_key,
    order_id: gateway.order_id,
    amount: payment.total_paise,
    currency: payment.currency,
    name: 'Antiphon',
    description: 'Prepaid credits',
    prefill: payer,
    retry: { enabled: true },
    handler: (response: { razorpay_payment_id: string; razorpay_signature: string }) =>
      events.onPaid({
        gateway_payment_id: response.razorpay_payment_id,
        gateway_signature: response.razorpay_signature,
      }),
    modal: { ondismiss: () => events.onClosed() },
  });
  checkout.on('payment.failed', ({ error }) => events.onAttemptFailed(error.description ?? ''));
  checkout.open();
  return true;
}

const loadedConstructor = () => (globalThis as { Razorpay?: RazorpayConstructor }).Razorpay ?? null;

function loadRazorpay(url: string): Promise<RazorpayConstructor | null> {
  const loaded = loadedConstructor();
  if (loaded) return Promise.resolve(loaded);
  return new Promise((resolve) => {
    const script = document.createElement('script');
    script.src = url;
    script.onload = () => resolve(loadedConstructor());
    script.onerror = () => {
      script.remove();
      resolve(null);
    };
    document.head.append(script);
  });
}

/** What a checkout on the gateway's own page came back with; `session` is null when nothing was paid. */
export interface CheckoutReturn {
  payment_id: string;
  session: string | null;
}

/** Reads it from the query of the page's address; null when the page was opened otherwise. */
export function checkoutReturn(query: string): CheckoutReturn | null {
  const fields = new URLSearchParams(query);
  const payment_id = fields.get('payment') ?? '';
  return /^[a-f0-9]{32}$/.test(payment_id) ? { payment_id, session: fields.get('session') } : null;
}
