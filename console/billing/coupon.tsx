import { ok } from '@oazapfts/runtime';
import { useState } from 'preact/hooks';
import { changeProblemText } from '../data/problem-text.ts';
import { postBillingCouponsRedeem as redeem } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { TextField } from '../ui/fields.tsx';
import { bonusText, creditText } from './billing-texts.ts';

/** Redeems a code: credits at once, or a bonus that waits for the next top-up. */
export function Coupon({ onRedeemed }: { onRedeemed: () => void }) {
  const [code, setCode] = useState('');
  const [error, setError] = useState('');
  const [redeemed, setRedeemed] = useState('');
  const [busy, setBusy] = useState(false);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (busy) return;
    setRedeemed('');
    if (code.trim() === '') return setError(t('Enter a code.'));
    setBusy(true);
    setError('');
    try {
      const { amount_paise, pending_bonus, currency } = await ok(redeem({ code: code.trim() }));
      setRedeemed(pending_bonus ? bonusText(pending_bonus) : creditText(amount_paise ?? 0, currency));
      setCode('');
      onRedeemed();
    } catch (failure) {
      setError(changeProblemText(failure));
    }
    setBusy(false);
  }

  return (
    <section class="card" aria-labelledby="coupon-title">
      <h2 id="coupon-title">{t('Redeem a code')}</h2>
      <form class="inline-form" onSubmit={submit} noValidate>
        <TextField label={t('Code')} value={code} onChange={setCode} maxLength={40} error={error || undefined} />
        <button type="submit" class="secondary" aria-disabled={busy}>
          {busy ? t('One moment…') : t('Redeem')}
        </button>
      </form>
      <p class="message" data-kind="good" role="status">
        {redeemed}
      </p>
    </section>
  );
}
