import { writeAudit } from '../audit/write-audit.ts';
import { hasRunningBatch } from '../batches/batch-lookups.ts';
import { changeCurrency } from '../billing/change-currency.ts';
import { type ExchangeRates, exchangeRates, STANDARD_EXCHANGE_RATES } from '../billing/exchange-rates.ts';
import { countLiveCalls } from '../calls/queue/call-concurrency.ts';
import { hasUnchargedLegs } from '../calls/transfers/transfer-row.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import { type Command, checkWorkspace, currencyOf, OPERATOR, type OperatorDeps, OperatorError } from './command.ts';
import { saveRate } from './prices.ts';
import { money, tableOf } from './table.ts';

/** Exchange rates, and the currency that a workspace pays in. */

export async function setExchangeRate(deps: OperatorDeps, currency: string, rupees: string) {
  if (!Object.hasOwn(STANDARD_EXCHANGE_RATES, currency)) throw new OperatorError('a currency is USD or EUR');
  const paise = Math.round(Number(rupees) * 100);
  if (!/^\d{1,4}(\.\d{1,4})?$/.test(rupees) || paise < 100) {
    throw new OperatorError('an exchange rate is a number of rupees, like 88.50');
  }
  await saveRate(deps, { component: 'exchange_rate', provider: currency, model: '', currency: 'INR' }, paise);
  return { currency: currency as keyof ExchangeRates, paise };
}

export async function changeWorkspaceCurrency(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  currency: string,
) {
  await checkWorkspace(sql, workspace_id);
  const to = currencyOf(currency);
  return sql.begin(async (tx) => {
    await lockWorkspace(tx, workspace_id);
    const live = await countLiveCalls(tx, workspace_id);
    if (live > 0)
      throw new OperatorError(`the workspace has ${live} live calls; change its currency when they are over`);
    if (await hasRunningBatch(tx, workspace_id)) {
      throw new OperatorError('a batch of the workspace is running; change the currency when it is over or paused');
    }
    if (await hasUnchargedLegs(tx, workspace_id)) {
      throw new OperatorError('a transferred call is not charged yet; change the currency when it is');
    }
    const change = await changeCurrency(tx, { workspace_id, to, by_name: by.name, at_ms });
    if (!change) throw new OperatorError(`the workspace pays in ${to} already`);
    const { from, paise_per_dollar } = change;
    await writeAudit(tx, {
      ...{ workspace_id, actor: by, action: 'workspace.currency_changed', at_ms },
      target: { kind: 'workspace', id: workspace_id, name: '' },
      changes: { currency: [from, to] },
      data: { paise_per_dollar },
    });
    return { workspace_id, ...change };
  });
}

export const CURRENCY_COMMANDS: Command[] = [
  {
    name: 'exchange list',
    reads: true,
    usage: '',
    description: 'list the exchange rates in force',
    example: 'exchange list',
    positionals: 0,
    async run({ sql }) {
      const rates = await exchangeRates(sql);
      const rows = Object.entries(rates).map(([currency, paise]) => ({ currency, paise }));
      const lines = tableOf(rows, 'none', {
        currency: ({ currency }) => currency,
        'in rupees': ({ paise }) => money(paise, 'INR'),
      });
      return { result: rates, lines };
    },
  },
  {
    name: 'exchange set',
    usage: 'USD|EUR RUPEES',
    description: 'set what a dollar or a euro costs from now on; charges keep the rate that they were made at',
    example: 'exchange set USD 88.50',
    positionals: 2,
    async run(deps, [currency, rupees]) {
      const result = await setExchangeRate(deps, currency!, rupees!);
      return { result, lines: [`1 ${result.currency} is ${money(result.paise, 'INR')} from now on`] };
    },
  },
  {
    name: 'workspace currency',
    usage: 'WORKSPACE INR|USD',
    description: 'change the currency a workspace pays in; its credits are converted at the exchange rate in force',
    example: 'workspace currency WORKSPACE USD',
    positionals: 2,
    async run(deps, [workspace, currency]) {
      const result = await changeWorkspaceCurrency(deps, workspace!, currency!);
      const { from, to, credits_before_paise, credits_paise } = result;
      const before = money(credits_before_paise, from);
      return { result, lines: [`the workspace pays in ${to}; ${before} became ${money(credits_paise, to)}`] };
    },
  },
];
