import { ok } from '@oazapfts/runtime';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { failureOf } from '../data/failure.ts';
import {
  postBillingPaymentsPaymentIdComplete as completePayment,
  getBillingPayments as listPayments,
  type Payment,
  type StartedPayment,
  postBillingTopup as startTopUp,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { noScriptText, notConfirmedText, notPaidText, paidText, topUpError, waitingText } from './billing-texts.ts';
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
        // A look that fails is followed by another one.
        const list = await ok(listPayments()).catch(() => []);
        const payment: Payment | undefined = list.find(({ id }) => id === paymentId);
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
    async (paymentId: string, gateway_payment_id: string, gateway_signature = '') => {
      setBusy(true);
      let payment: Payment | null = null;
      try {
        payment = await ok(completePayment(paymentId, { gateway_payment_id, gateway_signature }));
        if (payment.status === 'paid') setMessage({ kind: 'good', text: paidText(payment) });
        else setMessage({ kind: 'waiting', text: waitingText() });
      } catch (error) {
        const failure = failureOf(error);
        // A person who got no answer has paid all the same.
        const isOpen = failure.status === 0 || failure.status >= 500;
        setMessage(isOpen ? { kind: 'waiting', text: notConfirmedText() } : { kind: 'bad', text: topUpError(failure) });
      }
      setBusy(false);
      onChange();
      // The gateway tells the service too, whatever became of this report.
      if (!payment || payment.status === 'created') void watch(paymentId);
    },
    [onChange, watch],
  );

  const notPaid = useCallback(() => {
    setBusy(false);
    setMessage({ kind: 'waiting', text: notPaidText() });
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
      let payment: StartedPayment;
      try {
        payment = await ok(startTopUp(what, { idempotencyKey: unanswered.current.key }));
        unanswered.current.choice = '';
      } catch (error) {
        const failure = failureOf(error);
        if (failure.status !== 0) unanswered.current.choice = '';
        setBusy(false);
        setMessage({ kind: 'bad', text: topUpError(failure) });
        return;
      }
      const opened = await openCheckout(payment, payer, {
        onPaid: ({ gateway_payment_id, gateway_signature }) =>
          void complete(payment.id, gateway_payment_id, gateway_signature),
        onAttemptFailed: (text) => setMessage({ kind: 'bad', text: text || t('The payment failed.') }),
        onClosed: notPaid,
      });
      if (opened) return;
      setBusy(false);
      setMessage({ kind: 'bad', text: noScriptText() });
    },
    [busy, payer, complete, notPaid],
  );

  return { busy, message, start, complete, notPaid };
}
