import { type Currency, money } from '../billing/money.ts';
import type { AgentCanary } from '../generated/api.ts';
import { language, t } from '../texts/texts.ts';
import { latencyText, lengthText, percentText } from '../ui/format.ts';
import { costOfAnswered } from './figures.ts';

type Figures = AgentCanary['figures']['canary'];

/** The figures of a canary's calls beside those of the agent's other calls since it began. */
export function CanaryFigures({ canary: { version, figures, currency } }: { canary: AgentCanary }) {
  const latency = (ms: number | null) => (ms === null ? '–' : latencyText(ms));
  const cost = (paise: number | null) => (paise === null ? '–' : money(paise, currency as Currency));
  const count = (calls: number) => calls.toLocaleString(language());
  const rows: [name: string, text: (figures: Figures) => string][] = [
    [t('Calls'), ({ calls }) => count(calls)],
    [t('Answered'), ({ calls, answer_rate }) => (calls === 0 ? '–' : percentText(answer_rate))],
    [t('Half of the replies within'), (each) => latency(each.first_audio_p50_ms)],
    [t('95 % of the replies within'), (each) => latency(each.first_audio_p95_ms)],
    [t('Average length'), (each) => (each.connected === 0 ? '–' : lengthText(each.avg_duration_seconds))],
    [t('Cost of an answered call'), (each) => cost(costOfAnswered(each))],
    [t('Completed'), ({ completed }) => count(completed)],
    [t('Failed'), ({ failed }) => count(failed)],
    [t('Not answered'), ({ no_answer, busy }) => count(no_answer + busy)],
    [t('Voicemail'), ({ voicemail }) => count(voicemail)],
  ];
  return (
    <div class="table-scroll">
      <table class="table canary-figures">
        <thead>
          <tr>
            <th scope="col">{t('Since the canary began')}</th>
            <th scope="col" class="number">
              {t('Version {{version}}', { version })}
            </th>
            <th scope="col" class="number">
              {t('Other calls')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, text]) => (
            <tr key={name}>
              <td>{name}</td>
              <td class="number">{text(figures.canary)}</td>
              <td class="number">{text(figures.others)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
