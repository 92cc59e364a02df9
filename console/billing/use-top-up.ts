import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { completePayment, listPayments, startTopUp } from './billing-api.ts';
import type { Payment } from './billing-records.ts';
import {
  NO_SCRIPT_TEXT,
  NOT_CONFIRMED_TEXT,
  NOT_PAID_TEXT,
  paidText,
  topUpError,
  WAITING_TEXT,
} from './billing-texts.ts';
import { openCheckout, type Payer } from './checkout.ts';

export interface TopUpMessage {
  kind: 'good' | 'waiting' | 'bad';
  text: string;
}

/** How often a payment is looked up whose money is on its way. */
const LOOKS = 10;
const LOOK_EVERY_MS = 3_000;

/** Buying credits: begins a payment, opens its checkout, and says what came of it. `onChange`: credits may have been added. */
export function useTopUp(payer: Payer, onChange: () => void) {
  const [busy, setBusy] = useState(false);
  const [message, setMessage] = useState<TopUpMessage | null>(null);
  // The same key for the same choice until there is an answer, so that a lost one makes no second payment.
  const unanswered = useRef({ choice: '', key: '' });

  const watch = useCallback(
    async (paymentId: string) => {
      for (let look = 0; look < LOOKS; look++) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
        const list = await listPayments();
        const payment: Payment | undefined = list.ok ? list.value.find(({ id }) => id === paymentId) : undefined;
        if (!payment || payment.status === 'created') continue;
        setMessage(payment.status === 'paid' ? { kind: 'good', text: paidText(payment) } : null);
        onChange();
        return;
      }
    },
    [onChange],
  );

  /** Reports what the checkout gave back. */
  const complete = useCallback(
    async (paymentId: string, gatewayPaymentId: string, signature?: string) => {
      setBusy(true);
      const result = await completePayment(paymentId, gatewayPaymentId, signature);
      setBusy(false);
      if (!result.ok) {
        // Whoever got no answer has paid all the same.
        const isOpen = result.status === 0 || result.status >= 500;
        setMessage(isOpen ? { kind: 'waiting', text: NOT_CONFIRMED_TEXT } : { kind: 'bad', text: topUpError(result) });
      } else if (result.value.status === 'paid') setMessage({ kind: 'good', text: paidText(result.value) });
      else setMessage({ kind: 'waiting', text: WAITING_TEXT });
      onChange();
      // The gateway tells the service too, whatever became of this report.
      if (!result.ok || result.value.status === 'created') void watch(paymentId);
    },
    [onChange, watch],
  );

  const notPaid = useCallback(() => {
    setBusy(false);
    setMessage({ kind: 'waiting', text: NOT_PAID_TEXT });
    onChange();
  }, [onChange]);

  // The browser's way back from the gateway's page may show this one as it was left.
  useEffect(() => {
    const onShown = ({ persisted }: PageTransitionEvent) => {
      if (persisted) notPaid();
    };
    addEventListener('pageshow', onShown);
    return () => removeEventListener('pageshow', onShown);
  }, [notPaid]);

  const start = useCallback(
    async (what: { pack_id: string } | { amount_paise: number }) => {
      if (busy) return;
      setBusy(true);
      setMessage(null);
      const choice = JSON.stringify(what);
      if (unanswered.current.choice !== choice) unanswered.current = { choice, key: crypto.randomUUID() };
      const result = await startTopUp(what, unanswered.current.key);
      if (result.ok || result.status !== 0) unanswered.current.choice = '';
      if (!result.ok) {
        setBusy(false);
        setMessage({ kind: 'bad', text: topUpError(result) });
        return;
      }
      const payment = result.value;
      const opened = await openCheckout(payment, payer, {
        onPaid: ({ gateway_payment_id, gateway_signature }) =>
          void complete(payment.id, gateway_payment_id, gateway_signature),
        onAttemptFailed: (text) => setMessage({ kind: 'bad', text: text || 'The payment failed.' }),
        onClosed: notPaid,
      });
      if (opened) return;
      setBusy(false);
      setMessage({ kind: 'bad', text: NO_SCRIPT_TEXT });
    },
    [busy, payer, complete, notPaid],
  );

  return { busy, message, start, complete, notPaid };
}
