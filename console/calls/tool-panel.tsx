import { duration } from '../call-page/turn-bars.ts';
import type { TimelineItem } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { lengthText } from '../ui/format.ts';
import { type ToolRun, toolRuns, valueText } from './tool-runs.ts';

/** The tools that the agent called, each with its request and answer; nothing when it called none. */
export function ToolPanel({ events }: { events: readonly TimelineItem[] }) {
  const runs = toolRuns(events);
  if (runs.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="tools-title">
      <h2 id="tools-title">{t('Tool calls')}</h2>
      <ol class="tool-runs">
        {runs.map((run) => (
          <li key={run.id}>
            <Run run={run} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Run({ run: { name, offset_ms, url, request, answer } }: { run: ToolRun }) {
  const latency = answer?.latency_ms ?? null;
  return (
    <details>
      <summary>
        <code>{name}</code>
        {answer && (
          <span class="chip" data-tone={answer.failed ? 'bad' : 'good'}>
            {answerText(answer)}
          </span>
        )}
        <span class="quiet tool-time">
          {[offset_ms === null ? '' : lengthText(offset_ms / 1_000), latency === null ? '' : duration(latency)]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </summary>
      <dl class="exchange">
        <dt>{t('Request')}</dt>
        <dd>
          {url !== '' && <p class="url">{url}</p>}
          {request === undefined ? (
            <p class="quiet">{t('It takes no values.')}</p>
          ) : (
            <pre class="json">{valueText(request)}</pre>
          )}
        </dd>
        <dt>{t('Answer')}</dt>
        <dd>
          {answer === null ? (
            <p class="quiet">{t('There is none.')}</p>
          ) : valueText(answer.result) === '' ? (
            <p class="quiet">{t('It was empty.')}</p>
          ) : (
            <pre class="json">{valueText(answer.result)}</pre>
          )}
        </dd>
      </dl>
    </details>
  );
}

const answerText = ({ status, failed }: NonNullable<ToolRun['answer']>): string =>
  status === 0 ? t('no answer') : status !== null ? String(status) : failed ? t('failed') : t('answered');
