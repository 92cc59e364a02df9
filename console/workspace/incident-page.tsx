import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { useMay } from '../data/session.ts';
import {
  type GuardrailIncident,
  getGuardrailsIncidentsIncidentId,
  postGuardrailsIncidentsIncidentIdAcknowledge,
  postGuardrailsIncidentsIncidentIdAppeal,
} from '../generated/api.ts';
import { BackIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { Fact } from '../ui/fact.tsx';
import { TextArea } from '../ui/fields.tsx';
import { percentText, timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { FormEnd, onSubmit } from './form-end.tsx';
import { actionText, categoryText, incidentState, severityText } from './guardrail-texts.ts';
import { useChange } from './use-change.ts';
import { WorkspaceFrame } from './workspace-frame.tsx';

const READS = ['guardrail-incident', 'guardrail-incidents', 'guardrail-summary'];

/** One incident: what was said, what followed, and what the workspace says to it. */
export function IncidentPage() {
  const { incident_id = '' } = useRoute().params;
  const incident = useQuery({
    queryKey: ['guardrail-incident', incident_id],
    queryFn: ({ signal }) => ok(getGuardrailsIncidentsIncidentId(incident_id, {}, { signal })),
  });
  const { data } = incident;
  return (
    <WorkspaceFrame
      title={data?.rule_name ?? t('Incident')}
      aside={
        data && (
          <span class="chip" data-tone={incidentState(data.status).tone}>
            {incidentState(data.status).text}
          </span>
        )
      }
    >
      <a class="back" href="/workspace/guardrails">
        <BackIcon /> {t('All incidents')}
      </a>
      {data ? (
        <Incident incident={data} />
      ) : incident.isError ? (
        <Problem error={incident.error} what={t('the incident')} onRetry={() => void incident.refetch()} />
      ) : (
        <Loading what={t('the incident')} />
      )}
    </WorkspaceFrame>
  );
}

function Incident({ incident }: { incident: GuardrailIncident }) {
  const may = useMay();
  const { agent_id, agent_name, call_id, quote, confidence, strike, answer, appeal_text, status } = incident;
  const undecided = status === 'open' || status === 'acknowledged';
  return (
    <>
      <dl class="facts">
        <Fact name={t('Agent')}>
          <a href={`/agents/${agent_id}`}>{agent_name}</a>
        </Fact>
        <Fact name={t('Call')}>
          <a href={`/calls/${call_id}`}>{timeText(incident.created_at, Date.now())}</a>
        </Fact>
        <Fact name={t('Kind')}>{`${severityText(incident.severity)} · ${categoryText(incident.category)}`}</Fact>
        <Fact name={t('Confidence')}>{percentText(confidence)}</Fact>
        {strike > 0 && <Fact name={t('Strike')}>{t('{{count}} within 30 days', { count: strike })}</Fact>}
        {incident.acknowledged_by !== '' && <Fact name={t('Seen by')}>{incident.acknowledged_by}</Fact>}
      </dl>
      <section class="panel" aria-labelledby="quote-title">
        <h2 id="quote-title">{t('What was said')}</h2>
        {quote === '' ? (
          <p class="quiet">{t('It was removed together with the call.')}</p>
        ) : (
          <blockquote>{quote}</blockquote>
        )}
        <p class="quiet">{actionText(incident.action)}</p>
        {status === 'open' && may('agents.edit') && <Acknowledge id={incident.id} />}
      </section>
      {appeal_text !== '' && (
        <section class="panel" aria-labelledby="appeal-title">
          <h2 id="appeal-title">{t('Appeal of {{name}}', { name: incident.appealed_by })}</h2>
          <p>{appeal_text}</p>
          {answer === '' ? (
            <p class="quiet">{t('The service has not answered yet.')}</p>
          ) : (
            <p>{t('Answer: {{answer}}', { answer })}</p>
          )}
        </section>
      )}
      {undecided && may('agents.edit') && <Appeal id={incident.id} />}
    </>
  );
}

function Acknowledge({ id }: { id: string }) {
  const acknowledging = useChange({
    change: () => ok(postGuardrailsIncidentsIncidentIdAcknowledge(id)),
    reads: READS,
    what: t('the incident'),
    onDone: () => toast(t('Marked as seen.')),
  });
  return (
    <div>
      <button type="button" class="secondary" aria-disabled={acknowledging.busy} onClick={() => acknowledging.send()}>
        {acknowledging.busy ? t('One moment…') : t('Mark as seen')}
      </button>
      <p class="error" role="alert">
        {acknowledging.problem}
      </p>
    </div>
  );
}

function Appeal({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const form = useForm({ text: '' });
  const appealing = useChange({
    change: () => ok(postGuardrailsIncidentsIncidentIdAppeal(id, form.values)),
    reads: READS,
    what: t('the incident'),
    form,
    onDone: () => toast(t('The appeal is sent.')),
  });
  if (!open) {
    return (
      <div>
        <button type="button" class="plain" onClick={() => setOpen(true)}>
          {t('Appeal against it')}
        </button>
      </div>
    );
  }
  return (
    <section class="panel" aria-labelledby="appeal-title">
      <h2 id="appeal-title">{t('Appeal')}</h2>
      <form class="form" onSubmit={onSubmit(() => appealing.send())} noValidate>
        <TextArea
          label={t('Why it is no incident')}
          hint={t('The service reads it and answers.')}
          value={form.values.text}
          error={form.errors.text}
          onChange={(value) => form.set('text', value)}
        />
        <FormEnd
          action={t('Send the appeal')}
          busy={appealing.busy}
          problem={appealing.problem}
          call={(opts) => postGuardrailsIncidentsIncidentIdAppeal(id, form.values, {}, opts)}
        />
      </form>
    </section>
  );
}
