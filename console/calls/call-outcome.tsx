import type { Call, TimelineItem } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { valueText } from './tool-runs.ts';

/** What came of it: summary, extracted values, what the agent knew before, and rules that were broken. */
export function CallOutcome({ call, events }: { call: Call; events: readonly TimelineItem[] }) {
  const extracted = Object.entries(call.extracted);
  const known = Object.entries(call.user_data);
  const verdicts = events.filter(({ type }) => type === 'guardrail.violation');
  return (
    <>
      {(call.summary !== '' || extracted.length > 0) && (
        <section class="panel" aria-labelledby="summary-title">
          <h2 id="summary-title">{t('Outcome')}</h2>
          <div class="outcome">
            {call.summary !== '' && <p>{call.summary}</p>}
            {extracted.length > 0 && <Values values={extracted} />}
          </div>
        </section>
      )}
      {verdicts.length > 0 && (
        <section class="panel" aria-labelledby="verdicts-title">
          <h2 id="verdicts-title">{t('Guardrails')}</h2>
          <ul class="verdicts">
            {verdicts.map(({ id, level, message, data }) => (
              <li key={id}>
                <strong>{text(data.rule_name) || message}</strong>{' '}
                <span class="chip" data-tone={level === 'error' ? 'bad' : 'plain'}>
                  {level === 'error' ? t('Violation') : t('Warning')}
                </span>
                {text(data.quote) !== '' && <blockquote>{text(data.quote)}</blockquote>}
              </li>
            ))}
          </ul>
        </section>
      )}
      {known.length > 0 && (
        <section class="panel" aria-labelledby="known-title">
          <h2 id="known-title">{t('What the agent was given')}</h2>
          <Values values={known} />
        </section>
      )}
    </>
  );
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function Values({ values }: { values: readonly [string, unknown][] }) {
  return (
    <dl class="values-list">
      {values.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {typeof value === 'object' && value !== null ? (
              <pre class="json">{valueText(value)}</pre>
            ) : value === true ? (
              t('yes')
            ) : value === false ? (
              t('no')
            ) : (
              String(value ?? '–')
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
