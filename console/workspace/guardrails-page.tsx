import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { withFilter } from '../calls/call-filters.ts';
import {
  type GuardrailIncident,
  type GuardrailRule,
  type GuardrailSummary,
  getGuardrailsIncidents,
  getGuardrailsRules,
  getGuardrailsSummary,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import {
  categoryText,
  INCIDENT_STATUSES,
  type IncidentStatus,
  incidentState,
  severityText,
  strikesText,
} from './guardrail-texts.ts';
import { WorkspaceFrame } from './workspace-frame.tsx';

/** What agents must not do, and where they did. */
export function GuardrailsPage() {
  const { path, query, route } = useLocation();
  const status = INCIDENT_STATUSES.find((each) => each === query.status);
  const summary = useQuery({
    queryKey: ['guardrail-summary'],
    queryFn: ({ signal }) => ok(getGuardrailsSummary({}, { signal })),
  });
  const incidents = useQuery({
    queryKey: ['guardrail-incidents', status ?? ''],
    queryFn: ({ signal }) => ok(getGuardrailsIncidents(status ? { status: [status] } : {}, { signal })),
  });
  const rules = useQuery({
    queryKey: ['guardrail-rules'],
    queryFn: ({ signal }) => ok(getGuardrailsRules({}, { signal })),
  });
  return (
    <WorkspaceFrame title={t('Guardrails')}>
      <p class="quiet">{t('What agents say is checked after each call against the rules of the service.')}</p>
      {summary.data && <Summary summary={summary.data} />}
      <section class="panel" aria-labelledby="incidents-title">
        <div class="page-head">
          <h2 id="incidents-title">{t('Incidents')}</h2>
          <label class="filter">
            <span>{t('Status')}</span>
            <select
              value={status ?? ''}
              onChange={(event) => route(withFilter(path, query, 'status', event.currentTarget.value), true)}
            >
              <option value="">{t('Any')}</option>
              {INCIDENT_STATUSES.map((each: IncidentStatus) => (
                <option key={each} value={each}>
                  {incidentState(each).text}
                </option>
              ))}
            </select>
          </label>
        </div>
        {incidents.data ? (
          incidents.data.length === 0 ? (
            <p>{status ? t('There are none in this state.') : t('No agent has broken a rule.')}</p>
          ) : (
            <IncidentList incidents={incidents.data} />
          )
        ) : incidents.isError ? (
          <Problem error={incidents.error} what={t('the incidents')} onRetry={() => void incidents.refetch()} />
        ) : (
          <Loading what={t('the incidents')} />
        )}
      </section>
      {rules.data ? (
        <RuleList rules={rules.data} />
      ) : rules.isError ? (
        <Problem error={rules.error} what={t('the rules')} onRetry={() => void rules.refetch()} />
      ) : (
        <Loading what={t('the rules')} />
      )}
    </WorkspaceFrame>
  );
}

function Summary({ summary }: { summary: GuardrailSummary }) {
  const figures: [string, number][] = [
    [t('Open'), summary.open],
    [t('Appealed'), summary.appealed],
    [t('Violations in 30 days'), summary.violations_30_days],
    [t('Warnings in 30 days'), summary.warnings_30_days],
    [t('Frozen agents'), summary.frozen_agents],
  ];
  return (
    <dl class="facts figures">
      {figures.map(([name, count]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{count.toLocaleString()}</dd>
        </div>
      ))}
    </dl>
  );
}

function IncidentList({ incidents }: { incidents: readonly GuardrailIncident[] }) {
  return (
    <ul class="rows" aria-label={t('Incidents')}>
      {incidents.map(({ id, rule_name, agent_name, severity, status, created_at }) => (
        <li key={id}>
          <div class="row-text">
            <a href={`/workspace/guardrails/${id}`}>{rule_name}</a>
            <span class="quiet small">
              {agent_name} · {severityText(severity)} · {timeText(created_at, Date.now())}
            </span>
          </div>
          <span class="chip" data-tone={incidentState(status).tone}>
            {incidentState(status).text}
          </span>
        </li>
      ))}
    </ul>
  );
}

function RuleList({ rules }: { rules: readonly GuardrailRule[] }) {
  if (rules.length === 0) return <Nothing title={t('The service has no rules at present.')} />;
  return (
    <section class="panel" aria-labelledby="rules-title">
      <h2 id="rules-title">{t('Rules')}</h2>
      <ul class="rows" aria-label={t('Rules')}>
        {rules.map(({ id, name, description, category, severity, strikes, enabled }) => (
          <li key={id}>
            <div class="row-text">
              <span>{name}</span>
              <span class="small">{description}</span>
              <span class="quiet small">
                {[categoryText(category), severityText(severity), strikesText({ severity, strikes })].join(' · ')}
              </span>
            </div>
            {!enabled && <span class="chip">{t('Off')}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
