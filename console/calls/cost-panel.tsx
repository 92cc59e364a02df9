import { type Currency, money } from '../billing/money.ts';
import type { Call } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { lengthText } from '../ui/format.ts';
import { costBreakdownIn, fineMoney } from './call-cost.ts';

const componentTexts = (): Record<string, string> => ({
  transcriber: t('Transcriber'),
  llm: t('Language model'),
  voice: t('Voice'),
  telephony: t('Telephony'),
  platform: t('Platform'),
});

/** How the cost of the call came about; nothing before it was charged. */
export function CostPanel({ call }: { call: Call }) {
  const cost = costBreakdownIn(call.cost_breakdown);
  if (!cost) return null;
  const currency = call.currency as Currency;
  const texts = componentTexts();
  const used = Object.entries(cost.components).filter(([, amount]) => amount > 0);
  return (
    <section class="panel" aria-labelledby="cost-title">
      <h2 id="cost-title">{t('Cost')}</h2>
      <div>
        <table class="table cost-table">
          <tbody>
            {used.map(([name, amount]) => (
              <tr key={name}>
                <th scope="row">
                  {texts[name] ?? name}
                  <span class="quiet models">
                    {cost.lines
                      .filter(({ component, model }) => component === name && model)
                      .map(({ model }) => model)
                      .join(', ')}
                  </span>
                </th>
                <td class="number">{fineMoney(amount, currency)}</td>
              </tr>
            ))}
            {cost.floor_applied && (
              <Row name={t('Least price of the plan')} amount={fineMoney(cost.floor_paise, currency)} />
            )}
            {call.plan_seconds_covered > 0 && (
              <Row name={t('Covered by plan minutes')} amount={lengthText(call.plan_seconds_covered)} />
            )}
            {cost.waived !== null && (
              <Row name={t('Not charged, since the call failed')} amount={`−${money(cost.waived_paise, currency)}`} />
            )}
            {call.analysis_cost_paise > 0 && (
              <Row name={t('Analysis, charged apart')} amount={money(call.analysis_cost_paise, currency)} />
            )}
          </tbody>
          <tfoot>
            <Row name={t('Charged for the call')} amount={money(cost.total_paise, currency)} />
          </tfoot>
        </table>
      </div>
    </section>
  );
}

const Row = ({ name, amount }: { name: string; amount: string }) => (
  <tr>
    <th scope="row">{name}</th>
    <td class="number">{amount}</td>
  </tr>
);
