import { listPlans, type PlanChange, setPlanTerms } from '../billing/plans.ts';
import {
  listRates,
  RATE_COMPONENTS,
  type RateComponent,
  type RateKey,
  removeRate,
  setRate,
} from '../billing/rate-overrides.ts';
import {
  type Command,
  currencyOf,
  definedFields,
  OPERATOR,
  type OperatorDeps,
  OperatorError,
  type Options,
  throwIfRefused,
  wholeNumber,
  writeServiceEvent,
  yesOrNo,
} from './command.ts';
import { money, tableOf } from './table.ts';

export async function savePlan({ sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps, id: string, change: PlanChange) {
  return sql.begin(async (tx) => {
    const result = await setPlanTerms(tx, id, change, at_ms);
    throwIfRefused(result);
    const { before, now } = result;
    const action = before ? 'plan.updated' : 'plan.created';
    await writeServiceEvent(tx, {
      by,
      action,
      target: { kind: 'plan', id, name: now.name },
      before: before ?? {},
      now,
      at_ms,
    });
    return now;
  });
}

/** Sets a rate; `paise` null removes it, so that the standard one applies again. */
export async function saveRate(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  key: RateKey,
  paise: number | null,
) {
  const name = [key.component, key.provider, key.model].filter((each) => each !== '').join(' ');
  return sql.begin(async (tx) => {
    const now = paise === null ? null : { ...key, rate_paise: paise, updated_at: new Date(at_ms) };
    const before = now ? await setRate(tx, now) : await removeRate(tx, key);
    if (!now && !before) throw new OperatorError(`no rate is set for ${name} in ${key.currency}`);
    await writeServiceEvent(tx, {
      by,
      action: now ? 'rate.set' : 'rate.removed',
      target: { kind: 'rate', id: `${name} ${key.currency}`, name },
      before: before ?? {},
      now: now ?? {},
      at_ms,
    });
    return { ...key, rate_paise: paise };
  });
}

const PLAN_OPTIONS = [
  'name',
  'icon',
  'currency',
  'price',
  'browser-price',
  'monthly-fee',
  'minutes',
  'numbers',
  'caller-verification',
  'concurrency',
  'members',
  'custom',
] as const;

function planChange(options: Options): PlanChange {
  const { members } = options;
  const browser = options['browser-price'];
  return {
    currency: currencyOf(options.currency),
    price: definedFields({
      price_per_minute_paise: wholeNumber('--price', options.price),
      browser_price_per_minute_paise: browser === 'phone' ? null : wholeNumber('--browser-price', browser),
      monthly_fee_paise: wholeNumber('--monthly-fee', options['monthly-fee']),
    }) as PlanChange['price'],
    ...(definedFields({
      name: options.name,
      icon: options.icon,
      included_minutes: wholeNumber('--minutes', options.minutes),
      included_numbers: wholeNumber('--numbers', options.numbers),
      includes_caller_verification: yesOrNo('caller-verification', options['caller-verification']),
      concurrency_limit: wholeNumber('--concurrency', options.concurrency),
      member_limit: members === 'none' ? null : wholeNumber('--members', members),
      custom: yesOrNo('custom', options.custom),
    }) as Partial<PlanChange>),
  };
}

function rateKey(component: string, options: Options): RateKey {
  if (!RATE_COMPONENTS.includes(component as RateComponent)) {
    throw new OperatorError(`a component is one of ${RATE_COMPONENTS.join(', ')}`);
  }
  const { provider = '', model = '' } = options;
  if (provider.length > 60 || model.length > 120) throw new OperatorError('a provider or model has a shorter name');
  return { component: component as RateComponent, provider, model, currency: currencyOf(options.currency) };
}

export const PRICE_COMMANDS: Command[] = [
  {
    name: 'plan list',
    reads: true,
    usage: '',
    description: 'list the plans with their prices',
    example: 'plan list',
    positionals: 0,
    async run({ sql }) {
      const rows = await listPlans(sql);
      const priced = rows.flatMap(({ prices, ...plan }) =>
        Object.entries(prices).map(([currency, price]) => ({ ...plan, ...price, currency })),
      );
      const lines = tableOf(priced, 'no plans', {
        plan: ({ id }) => id,
        name: ({ name }) => name,
        'live calls': ({ concurrency_limit }) => concurrency_limit,
        members: ({ member_limit }) => member_limit ?? 'any',
        minutes: ({ included_minutes }) => included_minutes,
        'per minute': ({ price_per_minute_paise, currency }) => money(price_per_minute_paise, currency),
        'in the browser': ({ browser_price_per_minute_paise, price_per_minute_paise, currency }) =>
          money(browser_price_per_minute_paise ?? price_per_minute_paise, currency),
        'per month': ({ monthly_fee_paise, currency }) => money(monthly_fee_paise, currency),
      });
      return { result: rows, lines };
    },
  },
  {
    name: 'plan set',
    usage:
      'PLAN [--name TEXT] [--concurrency N] [--members N|none] [--currency INR|USD] [--price PAISE] [--browser-price PAISE|phone] ' +
      '[--monthly-fee PAISE] [--minutes N] [--numbers N] [--caller-verification yes|no] [--custom yes|no] [--icon NAME]',
    description: 'create a plan, or change the given fields; prices are in one currency',
    example:
      'plan set growth --name Growth --concurrency 20 --members 10 --price 450 --monthly-fee 499900 --minutes 1000',
    positionals: 1,
    options: PLAN_OPTIONS,
    async run(deps, [id], options) {
      const plan = await savePlan(deps, id!, planChange(options));
      return { result: plan, lines: [`plan ${plan.id} is set`] };
    },
  },
  {
    name: 'rate list',
    reads: true,
    usage: '',
    description: 'list the rates that replace standard ones, and the fees',
    example: 'rate list',
    positionals: 0,
    async run({ sql }) {
      const rows = await listRates(sql);
      const lines = tableOf(rows, 'no rates', {
        component: ({ component }) => component,
        provider: ({ provider }) => provider,
        model: ({ model }) => model,
        rate: ({ rate_paise, currency }) => money(rate_paise, currency),
      });
      return { result: rows, lines };
    },
  },
  {
    name: 'rate set',
    usage: 'COMPONENT PAISE [--provider NAME] [--model NAME] [--currency INR|USD]',
    description: `set the price of a unit, with fractions; a component is one of ${RATE_COMPONENTS.join(', ')}`,
    example: 'rate set llm_input 0.03 --provider openai --model gpt-4.1-mini --currency INR',
    positionals: 2,
    options: ['provider', 'model', 'currency'],
    async run(deps, [component, paise], options) {
      if (!/^\d{1,9}(\.\d{1,6})?$/.test(paise!))
        throw new OperatorError('a rate is a number, in the smallest unit of money');
      const result = await saveRate(deps, rateKey(component!, options), Number(paise));
      return { result, lines: [`${component} costs ${money(Number(paise), result.currency)}`] };
    },
  },
  {
    name: 'rate remove',
    usage: 'COMPONENT [the options of rate set]',
    description: 'return to the standard rate',
    example: 'rate remove llm_input --provider openai --model gpt-4.1-mini',
    positionals: 1,
    options: ['provider', 'model', 'currency'],
    async run(deps, [component], options) {
      const result = await saveRate(deps, rateKey(component!, options), null);
      return { result, lines: ['the rate is removed'] };
    },
  },
];
