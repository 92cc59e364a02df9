import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { changeProblemText } from '../../data/problem-text.ts';
import {
  postGuardrailsIncidentsIncidentIdAcknowledge as acknowledge,
  postGuardrailsIncidentsIncidentIdAppeal as appeal,
  type GuardrailIncident,
  getGuardrailsIncidents as readIncidents,
  getGuardrailsRules as readRules,
} from '../../generated/api.ts';
import { t } from '../../texts/texts.ts';
import { CopyCurl } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/fields.tsx';
import { timeText } from '../../ui/format.ts';
import { Loading, Problem } from '../../ui/states.tsx';
import { toast } from '../../ui/toasts.tsx';
import { Section } from '../setting.tsx';
import type { Editor } from '../use-draft.ts';

/** The rules of the service, and what this agent did against them. */
export function GuardrailsGroup({ editor }: { editor: Editor }) {
  const { agent, mayEdit } = editor;
  const rules = useQuery({ queryKey: ['editor', 'rules'], queryFn: ({ signal }) => ok(readRules({}, { signal })) });
  const incidents = useQuery({
    queryKey: ['editor', 'incidents', agent.id],
    queryFn: ({ signal }) => ok(readIncidents({ agentId: agent.id }, { signal })),
  });
  return (
    <>
      <Section title={t('What this agent did against the rules')}>
        {incidents.isPending ? (
          <Loading what={t('the incidents')} />
        ) : incidents.isError ? (
          <Problem error={incidents.error} what={t('the incidents')} onRetry={() => void incidents.refetch()} />
        ) : incidents.data.length === 0 ? (
          <p class="quiet">{t('Nothing so far.')}</p>
        ) : (
          <ul class="rows">
            {incidents.data.map((each) => (
              <Incident key={each.id} incident={each} mayEdit={mayEdit} />
            ))}
          </ul>
        )}
      </Section>
      <Section
        title={t('Rules')}
        hint={t(
          'Every call is checked against them after it ended. The team of this service sets them for all agents.',
        )}
      >
        {rules.isPending ? (
          <Loading what={t('the rules')} />
        ) : rules.isError ? (
          <Problem error={rules.error} what={t('the rules')} onRetry={() => void rules.refetch()} />
        ) : rules.data.length === 0 ? (
          <p class="quiet">{t('There are no rules.')}</p>
        ) : (
          <ul class="rows">
            {rules.data.map(({ id, name, description, severity, strikes, enabled }) => (
              <li key={id}>
                <span class="row-text">
                  <strong>{name}</strong>
                  <span class="quiet small">{description}</span>
                  {severity === 'violation' && strikes > 0 && (
                    <span class="quiet small">
                      {t('An agent that breaks it {{strikes}} times in 30 days is frozen.', { strikes })}
                    </span>
                  )}
                </span>
                <span class="chip">{!enabled ? t('Off') : severity === 'warning' ? t('Warning only') : t('On')}</span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

function Incident({ incident, mayEdit }: { incident: GuardrailIncident; mayEdit: boolean }) {
  const client = useQueryClient();
  const [appealing, setAppealing] = useState(false);
  const { id, rule_name, quote, created_at, status, call_id, answer } = incident;
  const seen = useMutation({
    mutationFn: () => ok(acknowledge(id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['editor', 'incidents'] }),
    onError: (error) => toast(changeProblemText(error), { tone: 'error' }),
  });
  const mayAppeal = mayEdit && (status === 'open' || status === 'acknowledged');
  return (
    <li>
      <span class="row-text">
        <strong>{rule_name}</strong>
        <q>{quote}</q>
        <span class="quiet small">
          {timeText(created_at, Date.now())} · <a href={`/calls/${call_id}`}>{t('The call')}</a> ·{' '}
          {statusText(incident)}
        </span>
        {answer && <span class="small">{answer}</span>}
      </span>
      {mayEdit && status === 'open' && (
        <button type="button" class="plain" onClick={() => seen.mutate()}>
          {t('Mark as seen')}
        </button>
      )}
      {mayAppeal && (
        <button type="button" class="plain" onClick={() => setAppealing(true)}>
          {t('Appeal')}
        </button>
      )}
      {appealing && <AppealDialog incident={incident} onClose={() => setAppealing(false)} />}
    </li>
  );
}

function statusText({ status, action }: GuardrailIncident): string {
  if (status === 'acknowledged') return t('seen');
  if (status === 'appealed') return t('appealed');
  if (status === 'upheld') return t('the appeal was rejected');
  if (status === 'dismissed') return t('withdrawn');
  return action === 'frozen' ? t('the agent was frozen') : t('open');
}

function AppealDialog({ incident, onClose }: { incident: GuardrailIncident; onClose: () => void }) {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const send = useMutation({
    mutationFn: () => ok(appeal(incident.id, { text })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['editor', 'incidents'] });
      toast(t('The appeal was sent.'));
      onClose();
    },
  });
  return (
    <Dialog title={t('Appeal')} onClose={onClose}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!send.isPending) send.mutate();
        }}
      >
        <TextArea
          label={t('Why the rule was not broken')}
          hint={t('The team of this service reads it and answers.')}
          value={text}
          rows={5}
          maxLength={2000}
          onChange={setText}
          error={send.isError ? changeProblemText(send.error) : undefined}
        />
        <div class="buttons">
          <button type="submit" class="primary" aria-disabled={send.isPending}>
            {send.isPending ? t('One moment…') : t('Send')}
          </button>
          <button type="button" class="plain" onClick={onClose}>
            {t('Cancel')}
          </button>
          <CopyCurl call={(opts) => appeal(incident.id, { text }, {}, opts)} />
        </div>
      </form>
    </Dialog>
  );
}
