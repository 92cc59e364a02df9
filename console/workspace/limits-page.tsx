import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useMay } from '../data/session.ts';
import {
  getWorkspaceLimits,
  getWorkspaceLimitsRequests,
  type LimitRequest,
  type Limits,
  postWorkspaceLimitsRequests,
} from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { NumberField, TextArea } from '../ui/fields.tsx';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { FormEnd, onSubmit } from './form-end.tsx';
import { useChange } from './use-change.ts';
import { WorkspaceFrame } from './workspace-frame.tsx';
import { requestState } from './workspace-texts.ts';

/** Calls come and go. */
const REFRESH_MS = 5_000;

/** What the workspace may use, what of it is in use, and requests for more live calls. */
export function LimitsPage() {
  const may = useMay();
  const limits = useQuery({
    queryKey: ['workspace-limits'],
    queryFn: ({ signal }) => ok(getWorkspaceLimits({}, { signal })),
    refetchInterval: REFRESH_MS,
  });
  const requests = useQuery({
    queryKey: ['limit-requests'],
    queryFn: ({ signal }) => ok(getWorkspaceLimitsRequests({}, { signal })),
  });
  return (
    <WorkspaceFrame title={t('Limits')}>
      {limits.data ? (
        <>
          <LimitCards limits={limits.data} />
          {may('members.manage') && limits.data.pending_request === null && <RequestForm limits={limits.data} />}
        </>
      ) : limits.isError ? (
        <Problem error={limits.error} what={t('the limits')} onRetry={() => void limits.refetch()} />
      ) : (
        <Loading what={t('the limits')} />
      )}
      {requests.isError ? (
        <Problem error={requests.error} what={t('the requests')} onRetry={() => void requests.refetch()} />
      ) : (
        requests.data && requests.data.length > 0 && <Requests requests={requests.data} />
      )}
    </WorkspaceFrame>
  );
}

function LimitCards({ limits }: { limits: Limits }) {
  const { concurrency_limit, active_calls, queued_calls, plan_limit, extra_lines, agents, members } = limits;
  const lines = t('{{plan}} of the plan, {{extra}} extra lines', { plan: plan_limit, extra: extra_lines });
  const waiting = queued_calls > 0 ? tn('{{count}} call waits.', '{{count}} calls wait.', queued_calls) : '';
  return (
    <ul class="limit-cards">
      <LimitCard title={t('Live calls')} used={active_calls} limit={concurrency_limit}>
        {[lines, waiting].filter(Boolean).join('. ')}
      </LimitCard>
      <LimitCard title={t('Agents')} used={agents.used} limit={agents.limit}>
        {t('Of the workspace.')}
      </LimitCard>
      <LimitCard title={t('Members')} used={members.used} limit={members.limit}>
        {t('With invites that are open.')}
      </LimitCard>
      <li class="card">
        <h2>{t('API requests in a minute')}</h2>
        <p class="figure">{limits.api_requests_per_minute.toLocaleString()}</p>
        <p class="quiet small">{t('For each key and each connected app.')}</p>
      </li>
    </ul>
  );
}

interface LimitCardProps {
  title: string;
  used: number;
  /** Null: none. */
  limit: number | null;
  children: string;
}

function LimitCard({ title, used, limit, children }: LimitCardProps) {
  return (
    <li class="card">
      <h2>{title}</h2>
      <p class="figure">{limit === null ? used.toLocaleString() : t('{{used}} of {{limit}}', { used, limit })}</p>
      {limit !== null && <meter min={0} max={limit} high={limit * 0.9} value={used} aria-label={title} />}
      <p class="quiet small">{limit === null ? t('No limit. {{text}}', { text: children }) : children}</p>
    </li>
  );
}

function RequestForm({ limits }: { limits: Limits }) {
  const form = useForm({ requested_limit: (limits.concurrency_limit + 10) as number | null, reason: '' });
  const { values, errors, set } = form;
  const body = { ...values, requested_limit: values.requested_limit ?? 0 };
  const asking = useChange({
    change: () => ok(postWorkspaceLimitsRequests(body)),
    reads: ['workspace-limits', 'limit-requests'],
    what: t('the requests'),
    form,
    onDone: () => toast(t('The request is sent.')),
  });
  return (
    <section class="panel" aria-labelledby="request-title">
      <h2 id="request-title">{t('Ask for more live calls')}</h2>
      <form class="form" onSubmit={onSubmit(() => asking.send())} noValidate>
        <NumberField
          label={t('Live calls at a time')}
          value={values.requested_limit}
          min={limits.concurrency_limit + 1}
          max={100}
          step={1}
          error={errors.requested_limit}
          onChange={(value) => set('requested_limit', value)}
        />
        <TextArea
          label={t('Why')}
          hint={t('What the calls are for, and when there are many of them.')}
          value={values.reason}
          error={errors.reason}
          maxLength={1000}
          onChange={(value) => set('reason', value)}
        />
        <FormEnd
          action={t('Send the request')}
          busy={asking.busy}
          problem={asking.problem}
          call={(opts) => postWorkspaceLimitsRequests(body, {}, opts)}
        />
      </form>
    </section>
  );
}

function Requests({ requests }: { requests: readonly LimitRequest[] }) {
  return (
    <section class="panel" aria-labelledby="requests-title">
      <h2 id="requests-title">{t('Requests')}</h2>
      <ul class="rows" aria-label={t('Requests')}>
        {requests.map(({ id, requested_limit, reason, status, answer, requested_by, created_at }) => (
          <li key={id}>
            <div class="row-text">
              <span>{tn('{{count}} live call', '{{count}} live calls', requested_limit)}</span>
              <span class="quiet small">{reason}</span>
              <span class="quiet small">
                {requested_by}, {timeText(created_at, Date.now())}
              </span>
              {answer !== '' && <span class="small">{t('Answer: {{answer}}', { answer })}</span>}
            </div>
            <span class="chip" data-tone={requestState(status).tone}>
              {requestState(status).text}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
