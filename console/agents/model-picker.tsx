import { type Currency, money } from '../billing/money.ts';
import type { CatalogEntry } from '../generated/api.ts';
import { modelNote } from '../texts/service-text.ts';
import { t } from '../texts/texts.ts';
import { type Option, SelectField } from '../ui/fields.tsx';
import { latencyText } from '../ui/format.ts';
import { languageName } from './language-names.ts';
import { speaks } from './new-agent.ts';
import { providerName } from './provider-names.ts';
import { useCatalog } from './queries.ts';

interface ModelPickerProps {
  kind: CatalogEntry['kind'];
  provider: string;
  model: string;
  /** Leaves out other models; default: all of the kind are offered. */
  offers?: (entry: CatalogEntry) => boolean;
  /** It should be known by the model; empty: it does not matter. */
  language?: string;
  labels: { provider: string; model: string };
  errors: { provider?: string | undefined; model?: string | undefined };
  onChange: (choice: { provider: string; model: string }) => void;
}

const LISTS = { llm: 'llm_models', tts: 'tts_models', stt: 'stt_models' } as const;

/** Chooses a provider and one of its models, with prices and the latency of the last week. */
export function ModelPicker({
  kind,
  provider,
  model,
  offers = () => true,
  language = '',
  labels,
  errors,
  onChange,
}: ModelPickerProps) {
  const { data } = useCatalog();
  const currency = data?.currency ?? 'INR';
  const all = (data?.[LISTS[kind]] ?? []).filter(offers);
  const models = all.filter((each) => each.provider === provider);
  const chosen = models.find(({ id }) => id === model);
  const options = models.map(
    (each): Option => ({
      value: each.id,
      label: [modelName(each), shortPrice(each, currency), each.latency_ms === null ? '' : latencyText(each.latency_ms)]
        .filter(Boolean)
        .join(' · '),
      disabled: !each.available && each.id !== model,
    }),
  );
  // A model of the operator's own, or one that is no longer offered.
  if (model !== '' && !chosen) options.push({ value: model, label: model });
  if (model === '') options.unshift({ value: '', label: t('The usual one') });
  return (
    <>
      <div class="form-row">
        <SelectField
          label={labels.provider}
          value={provider}
          options={providerOptions(all, provider)}
          error={errors.provider}
          onChange={(next) => onChange({ provider: next, model: usualModel(all, next) })}
        />
        <SelectField
          label={labels.model}
          value={model}
          options={options}
          error={errors.model}
          onChange={(next) => onChange({ provider, model: next })}
        />
      </div>
      {chosen && (
        <p class="quiet hint model-note">
          {[modelNote(chosen.description), longPrice(chosen, currency)].filter(Boolean).join(' · ')}
          {chosen.latency_ms !== null && (
            <> · {t('answers after {{time}}', { time: latencyText(chosen.latency_ms) })}</>
          )}
        </p>
      )}
      {chosen && !speaks(chosen, language) && (
        <p class="notice urgent">
          {t('{{model}} does not know {{language}}.', { model: modelName(chosen), language: languageName(language) })}
        </p>
      )}
    </>
  );
}

function providerOptions(all: readonly CatalogEntry[], present: string): Option[] {
  const names = [...new Set([...all.map((each) => each.provider as string), present])];
  const usable = (name: string) => all.some((each) => each.provider === name && each.available);
  return names
    .toSorted((a, b) => Number(usable(b)) - Number(usable(a)))
    .map((name) => ({
      value: name,
      label:
        usable(name) || all.length === 0
          ? providerName(name)
          : t('{{name}} (not set up)', { name: providerName(name) }),
      disabled: !usable(name) && name !== present,
    }));
}

/** The model an agent gets that names none: the marked one, else the provider's first. */
export const usualModel = (all: readonly CatalogEntry[], provider: string): string => {
  const own = all.filter((each) => each.provider === provider && each.available);
  return (own.find((each) => each.default) ?? own[0])?.id ?? '';
};

/** Without the provider, which stands beside it. */
const modelName = ({ name }: CatalogEntry): string => name.split(' · ').at(-1) ?? name;

const shortPrice = ({ unit, price_paise, output_price_paise }: CatalogEntry, currency: Currency): string => {
  const price = money(price_paise, currency);
  if (unit === 'minute') return t('{{price}}/min', { price });
  return output_price_paise === null ? price : `${price} / ${money(output_price_paise, currency)}`;
};

function longPrice({ unit, price_paise, output_price_paise }: CatalogEntry, currency: Currency): string {
  const price = money(price_paise, currency);
  if (unit === 'minute') return t('{{price}} for a minute of audio', { price });
  if (unit === '1k_characters') return t('{{price}} for 1,000 characters', { price });
  const output = money(output_price_paise ?? 0, currency);
  return t('{{price}} for a million tokens read, {{output}} for a million written', { price, output });
}
