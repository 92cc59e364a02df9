import { useState } from 'preact/hooks';
import type { Balance, CreditPack } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { TextField } from '../ui/fields.tsx';
import { bonusText } from './billing-texts.ts';
import { amountError, money, paiseOf } from './money.ts';
import type { useTopUp } from './use-top-up.ts';

interface TopUpProps {
  balance: Balance;
  packs: readonly CreditPack[];
  topUp: ReturnType<typeof useTopUp>;
}

const OTHER = 'other';

/** Chooses a pack or an amount, and pays for it. */
export function TopUp({ balance: { currency, pending_bonus }, packs, topUp }: TopUpProps) {
  const { busy, message, start } = topUp;
  const preferred = packs.find(({ popular }) => popular) ?? packs[0];
  const [choice, setChoice] = useState(preferred?.id ?? OTHER);
  const [amount, setAmount] = useState('');
  const [error, setError] = useState<string | null>(null);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (choice !== OTHER) return void start({ pack_id: choice });
    const paise = paiseOf(amount);
    const wrong = amountError(paise, currency);
    setError(wrong);
    if (wrong === null) void start({ amount_paise: paise! });
    else (event.currentTarget as HTMLFormElement).querySelector<HTMLInputElement>('.form-field input')?.focus();
  }

  const option = (value: string, label: string, note: string, popular = false) => (
    <label class="pack" key={value}>
      <input
        type="radio"
        name="pack"
        value={value}
        checked={choice === value}
        onChange={() => {
          setChoice(value);
          setError(null);
        }}
      />
      <span>
        <span class="pack-name">{label}</span>
        <span class="quiet">{note}</span>
      </span>
      {popular && <span class="chip">{t('popular')}</span>}
    </label>
  );

  return (
    <section class="card" aria-labelledby="top-up-title">
      <h2 id="top-up-title">{t('Add credits')}</h2>
      {pending_bonus && <p class="notice">{bonusText(pending_bonus)}</p>}
      <form onSubmit={submit} noValidate>
        <fieldset class="packs">
          <legend class="hidden-title">{t('How much')}</legend>
          {packs.map(({ id, amount_paise, bonus_paise, popular }) =>
            option(
              id,
              money(amount_paise, currency),
              bonus_paise === 0 ? t('No bonus') : t('{{bonus}} on top', { bonus: money(bonus_paise, currency) }),
              popular,
            ),
          )}
          {option(OTHER, t('Another amount'), t('As much as you choose'))}
        </fieldset>
        {choice === OTHER && (
          <TextField
            label={currency === 'INR' ? t('Amount in rupees') : t('Amount in dollars')}
            value={amount}
            onChange={setAmount}
            maxLength={14}
            required
            error={error ?? undefined}
          />
        )}
        <button type="submit" class="primary" aria-disabled={busy}>
          {busy ? t('One moment…') : t('Pay')}
        </button>
        <p class="quiet small">{t('The checkout shows the total; tax is added where it applies.')}</p>
        <p class="message" data-kind={message?.kind} role="status">
          {message?.text}
        </p>
      </form>
    </section>
  );
}
