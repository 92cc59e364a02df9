import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { money } from '../billing/money.ts';
import { changeProblemText } from '../data/problem-text.ts';
import { fetchWithin } from '../data/requests.ts';
import { type AnalyticsTest, getCalls, postAgentsAgentIdAnalyticsTest as testAnalytics } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { SelectField } from '../ui/fields.tsx';
import { lengthText, timeText } from '../ui/format.ts';
import { WRITING_TIMEOUT_MS } from './new-agent-dialog.tsx';
import { Section } from './setting.tsx';
import type { Editor } from './use-draft.ts';

const CALLS_OFFERED = 20;

/** Runs what the draft wants to find out on a call that is over; nothing is saved. */
export function TryAnalytics({ editor: { agent, draft } }: { editor: Editor }) {
  const query = { agentId: agent.id, status: ['completed' as const], limit: CALLS_OFFERED };
  const calls = useQuery({
    queryKey: ['editor', 'calls', agent.id],
    queryFn: ({ signal }) => ok(getCalls(query, { signal })),
  });
  const [chosen, setChosen] = useState('');
  const items = calls.data?.items ?? [];
  const callId = chosen || (items[0]?.id ?? '');
  const body = () => ({ call_id: callId, analytics: draft.analytics });
  const run = useMutation({
    mutationFn: () => ok(testAnalytics(agent.id, body(), {}, { fetch: fetchWithin(WRITING_TIMEOUT_MS) })),
  });
  return (
    <Section title={t('Try it out')} hint={t('On a call that is over. Nothing is saved, and it costs a few credits.')}>
      {items.length === 0 ? (
        <p class="quiet">{t('This agent has no finished calls yet.')}</p>
      ) : (
        <>
          <SelectField
            label={t('Call')}
            value={callId}
            options={items.map(({ id, created_at, to_number, from_number, direction, duration_seconds }) => ({
              value: id,
              label: [
                timeText(created_at, Date.now()),
                (direction === 'inbound' ? from_number : to_number) || t('Browser'),
                lengthText(duration_seconds),
              ].join(' · '),
            }))}
            onChange={setChosen}
          />
          <div class="buttons">
            <button
              type="button"
              class="secondary"
              aria-disabled={run.isPending}
              onClick={() => {
                if (!run.isPending) run.mutate();
              }}
            >
              {run.isPending ? t('One moment…') : t('Try it out')}
            </button>
            <CopyCurl call={(opts) => testAnalytics(agent.id, body(), {}, opts)} />
          </div>
          <p class="error" role="alert">
            {run.isError ? changeProblemText(run.error) : ''}
          </p>
          {run.data && <Found result={run.data} />}
        </>
      )}
    </Section>
  );
}

function Found({ result: { summary, extracted, cost_paise, currency } }: { result: AnalyticsTest }) {
  return (
    <dl class="written" aria-label={t('What was found')}>
      {summary && (
        <>
          <dt class="quiet">{t('Summary')}</dt>
          <dd>{summary}</dd>
        </>
      )}
      {Object.entries(extracted).map(([key, value]) => (
        <>
          <dt class="quiet">{key}</dt>
          <dd>{value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </>
      ))}
      <dt class="quiet">{t('Cost')}</dt>
      <dd>{money(cost_paise, currency)}</dd>
    </dl>
  );
}
