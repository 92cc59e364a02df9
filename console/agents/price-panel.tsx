import { ok } from '@oazapfts/runtime';
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { money } from '../billing/money.ts';
import { postAgentsPricing as estimatePrice, type PriceEstimate } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { type Draft, requestOf } from './draft.ts';
import { providerName } from './provider-names.ts';

/** So that not every key asks for a price. */
const TYPING_PAUSE_MS = 500;

/** What a minute with the draft costs, as it changes. */
export function PricePanel({ draft }: { draft: Draft }) {
  const [asked, setAsked] = useState(draft);
  const [channel, setChannel] = useState<'phone' | 'web'>('phone');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(draft), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  const query = channel === 'web' ? { channel } : {};
  const price = useQuery({
    queryKey: ['draft-price', channel, asked],
    queryFn: ({ signal }) => ok(estimatePrice(requestOf(asked), query, { signal })),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
  return (
    <section class="price-panel" aria-label={t('Price')}>
      <p class="price" role="status" data-stale={price.isPlaceholderData}>
        <span class="figure">{price.data ? money(price.data.total_paise_per_minute, price.data.currency) : '–'}</span>{' '}
        <span class="quiet">{t('a minute')}</span>
      </p>
      {price.isError && <p class="quiet small">{t('There is a price once the settings are right.')}</p>}
      <details class="price-details">
        <summary>{t('What it is made of')}</summary>
        <label class="filter">
          <span>{t('For calls')}</span>
          <select value={channel} onChange={(event) => setChannel(event.currentTarget.value as typeof channel)}>
            <option value="phone">{t('by telephone')}</option>
            <option value="web">{t('in the browser')}</option>
          </select>
        </label>
        {price.data && <Parts estimate={price.data} />}
        <CopyCurl call={(opts) => estimatePrice(requestOf(draft), query, opts)} />
      </details>
    </section>
  );
}

function Parts({ estimate }: { estimate: PriceEstimate }) {
  const { components, currency, floor_applied, floor_paise_per_minute, plan_minutes_multiplier, assumptions } =
    estimate;
  return (
    <>
      <dl class="price-parts">
        {components.map(({ key, provider, model, paise_per_minute }) => (
          <div key={key}>
            <dt>
              {partText(key)}
              {provider && key !== 'platform' && (
                <span class="quiet small"> {[providerName(provider), model].filter(Boolean).join(' · ')}</span>
              )}
            </dt>
            <dd>{money(paise_per_minute, currency)}</dd>
          </div>
        ))}
      </dl>
      {floor_applied && (
        <p class="quiet small">
          {t('Your plan’s price of a minute is {{price}} at least.', {
            price: money(floor_paise_per_minute, currency),
          })}
        </p>
      )}
      {plan_minutes_multiplier > 1 && (
        <p class="quiet small">
          {t('A minute uses {{count}} of the plan’s included minutes.', { count: plan_minutes_multiplier })}
        </p>
      )}
      <p class="quiet small">
        {t('For a usual minute with {{count}} answers; the prompt has about {{tokens}} tokens.', {
          count: assumptions.llm_turns_per_minute,
          tokens: assumptions.prompt_tokens,
        })}
      </p>
    </>
  );
}

function partText(key: PriceEstimate['components'][number]['key']): string {
  if (key === 'transcriber') return t('Listening');
  if (key === 'llm') return t('Language model');
  if (key === 'voice') return t('Voice');
  return key === 'telephony' ? t('Telephone line') : t('Service');
}
