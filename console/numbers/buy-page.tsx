import { HttpError, ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type Currency, money } from '../billing/money.ts';
import { changeProblemText, formProblemText } from '../data/problem-text.ts';
import { fetchWithin } from '../data/requests.ts';
import { type AvailableNumber, postNumbers as buy, getNumbersAvailable as searchNumbers } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { BackIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/fields.tsx';
import { Nothing } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { countryOptions } from './countries.ts';
import { firstFee, numberFacts, typeText } from './number-texts.ts';
import './numbers.css';

/** Carriers are asked, one of which may be slow. */
const CARRIER_TIMEOUT_MS = 60_000;
const SHOWN = 50;
const TYPES = ['local', 'mobile', 'toll_free'] as const;

interface Wanted {
  country: string;
  type: '' | (typeof TYPES)[number];
  contains: string;
}

/** Searches what the carriers rent out, and buys a number. */
export function BuyPage() {
  const form = useForm<Wanted>({ country: 'IN', type: '', contains: '' });
  const [chosen, setChosen] = useState<AvailableNumber | null>(null);
  const query = () => {
    const { country, type, contains } = form.values;
    return {
      ...{ country, limit: SHOWN },
      ...(type !== '' && { $type: type }),
      ...(contains.trim() !== '' && { contains: contains.trim() }),
    };
  };
  const searching = useMutation({
    mutationFn: () => ok(searchNumbers(query(), { fetch: fetchWithin(CARRIER_TIMEOUT_MS) })),
    onError: (error) => void form.showErrors(error),
  });
  return (
    <main class="wide-page">
      <a class="back" href="/numbers">
        <BackIcon /> {t('All numbers')}
      </a>
      <Heading title={t('Buy a number')} />
      <form
        class="form number-search"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!searching.isPending) searching.mutate();
        }}
      >
        <div class="form-row">
          <SelectField
            label={t('Country')}
            value={form.values.country}
            onChange={(value) => form.set('country', value)}
            options={countryOptions()}
            error={form.errors.country}
          />
          <SelectField
            label={t('Kind')}
            value={form.values.type}
            onChange={(value) => form.set('type', value as Wanted['type'])}
            options={[{ value: '', label: t('Any') }, ...TYPES.map((value) => ({ value, label: typeText(value) }))]}
            error={form.errors.type}
          />
          <TextField
            type="tel"
            label={t('Digits in it')}
            placeholder="8044"
            value={form.values.contains}
            onChange={(value) => form.set('contains', value)}
            error={form.errors.contains}
            maxLength={15}
          />
        </div>
        <p class="quiet hint">
          {t('Such as an area code. Numbers of the Indian series 140 and 160 need documents: our team enters them.')}
        </p>
        <div class="buttons">
          <button type="submit" class="primary" aria-disabled={searching.isPending}>
            {searching.isPending ? t('One moment…') : t('Search')}
          </button>
          <CopyCurl call={(opts) => searchNumbers(query(), opts)} />
        </div>
        <p class="error" role="alert">
          {formProblemText(searching.error)}
        </p>
      </form>
      {searching.data && <Available numbers={searching.data} onChoose={setChosen} />}
      {chosen && <ConfirmPurchase number={chosen} onClose={() => setChosen(null)} />}
    </main>
  );
}

interface AvailableProps {
  numbers: readonly AvailableNumber[];
  onChoose: (number: AvailableNumber) => void;
}

function Available({ numbers, onChoose }: AvailableProps) {
  if (numbers.length === 0) {
    return (
      <Nothing title={t('No carrier rents out such a number now.')}>{t('Try other digits or another kind.')}</Nothing>
    );
  }
  return (
    <ul class="rows offers" aria-label={t('Numbers to buy')}>
      {numbers.map((each) => (
        <li key={each.number}>
          <div class="row-text">
            <span class="phone-number">{each.number}</span>
            <span class="quiet small">{numberFacts(each)}</span>
          </div>
          <div class="number-state">
            <span>{t('{{fee}} for 30 days', { fee: money(each.monthly_fee_paise, each.currency as Currency) })}</span>
            {each.setup_fee_paise > 0 && (
              <span class="quiet small">
                {t('and {{fee}} once', { fee: money(each.setup_fee_paise, each.currency as Currency) })}
              </span>
            )}
          </div>
          <button
            type="button"
            class="secondary"
            aria-label={t('Buy {{name}}', { name: each.number })}
            onClick={() => onChoose(each)}
          >
            {t('Buy')}
          </button>
        </li>
      ))}
    </ul>
  );
}

function ConfirmPurchase({ number, onClose }: { number: AvailableNumber; onClose: () => void }) {
  const client = useQueryClient();
  const { route } = useLocation();
  // The same until there is an answer, so that a number is paid for once. An answer would come again for the same key.
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());
  const buying = useMutation({
    mutationFn: () =>
      ok(buy({ number: number.number }, { idempotencyKey }, { fetch: fetchWithin(CARRIER_TIMEOUT_MS) })),
    onSuccess: (bought) => {
      toast(t('{{number}} is yours. Choose who answers it.', { number: bought.number }));
      void client.invalidateQueries({ queryKey: ['numbers'] });
      route('/numbers');
    },
    onError: (error) => {
      if (error instanceof HttpError && error.status < 500) setIdempotencyKey(crypto.randomUUID());
    },
  });
  return (
    <Dialog title={t('Buy {{name}}?', { name: number.number })} onClose={onClose}>
      <p>{numberFacts(number)}</p>
      <p>
        {t('{{first}} is taken from the credits now, then {{fee}} every 30 days until the number is released.', {
          first: firstFee(number),
          fee: money(number.monthly_fee_paise, number.currency as Currency),
        })}
      </p>
      <p class="quiet">{t('Nothing is taken while it is one of the numbers that the plan includes.')}</p>
      <div class="error" role="alert">
        {buying.isError && <PurchaseProblem error={buying.error} />}
      </div>
      <div class="buttons">
        <button
          type="button"
          class="primary"
          aria-disabled={buying.isPending}
          onClick={() => !buying.isPending && buying.mutate()}
        >
          {buying.isPending ? t('One moment…') : t('Buy for {{fee}}', { fee: firstFee(number) })}
        </button>
        <button type="button" class="secondary" onClick={onClose}>
          {t('Cancel')}
        </button>
        <CopyCurl call={(opts) => buy({ number: number.number }, {}, opts)} />
      </div>
    </Dialog>
  );
}

/** Why it was not bought, and where to go for that. */
function PurchaseProblem({ error }: { error: unknown }) {
  const status = error instanceof HttpError ? error.status : 0;
  if (status === 402) {
    return (
      <p>
        {t('There are not enough credits for it.')} <a href="/billing">{t('Add credits in Billing.')}</a>
      </p>
    );
  }
  if (status === 403 && (error as HttpError).data?.code === 'workspace_inactive') {
    return (
      <p>
        {t('The workspace is not active yet.')} <a href="/workspace">{t('Finish its business details first.')}</a>
      </p>
    );
  }
  return <p>{changeProblemText(error)}</p>;
}
