import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { changeProblemText } from '../data/problem-text.ts';
import { useMay } from '../data/session.ts';
import {
  type CallerIdRequest,
  getCallerId as readRequests,
  postCallerIdRequestIdRemove as removeRequest,
  postCallerIdRequestIdWithdraw as withdrawRequest,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { timeText } from '../ui/format.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { Logo } from './logo.tsx';
import { callerIdFee, callerIdStanding } from './number-texts.ts';
import { NumbersTabs } from './numbers-tabs.tsx';
import './numbers.css';

/** Requests that phones show a name and a logo when the workspace calls. */
export function CallerIdsPage() {
  const mayManage = useMay()('numbers.manage');
  const [ending, setEnding] = useState<CallerIdRequest | null>(null);
  const requests = useQuery({ queryKey: ['caller-ids'], queryFn: ({ signal }) => ok(readRequests({}, { signal })) });
  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={t('Caller ids')} />
        {mayManage && (
          <a class="primary number-action" href="/numbers/caller-ids/new">
            {t('Request a caller id')}
          </a>
        )}
      </div>
      <NumbersTabs />
      <p class="quiet">{t('Phones that support it show your name, logo and reason when your numbers call.')}</p>
      {requests.data ? (
        requests.data.length === 0 ? (
          <Nothing title={t('No caller id was requested yet.')} />
        ) : (
          <ul class="caller-ids" aria-label={t('Caller ids')}>
            {requests.data.map((request) => (
              <RequestCard key={request.id} request={request} {...(mayManage && { onEnd: () => setEnding(request) })} />
            ))}
          </ul>
        )
      ) : requests.isError ? (
        <Problem error={requests.error} what={t('the caller ids')} onRetry={() => void requests.refetch()} />
      ) : (
        <Loading what={t('the caller ids')} />
      )}
      {ending && <EndRequest request={ending} onClose={() => setEnding(null)} />}
    </main>
  );
}

function RequestCard({ request, onEnd }: { request: CallerIdRequest; onEnd?: () => void }) {
  const { id, display_name, call_reason, numbers, status, rejection_reason } = request;
  const { text, tone } = callerIdStanding(status);
  const isActive = status === 'active';
  const isWaiting = status === 'submitted' || status === 'in_review';
  return (
    <li class="card caller-id">
      <div class="caller-id-shown">
        <Logo requestId={id} name={display_name} />
        <div class="row-text">
          <h2>{display_name}</h2>
          <p>{call_reason}</p>
        </div>
        <span class="chip" data-tone={tone}>
          {text}
        </span>
      </div>
      {rejection_reason !== '' && (
        <p class="notice urgent">{t('Why it was rejected: {{reason}}', { reason: rejection_reason })}</p>
      )}
      <p class="phone-numbers">{numbers.join(', ')}</p>
      <p class="quiet small">
        {[
          t('Requested by {{name}}, {{time}}', {
            name: request.created_by,
            time: timeText(request.created_at, Date.now()),
          }),
          ...(isActive || isWaiting ? [callerIdFee(request)] : []),
        ].join(' · ')}
      </p>
      {onEnd && (isActive || isWaiting) && (
        <div>
          <button type="button" class="secondary" onClick={onEnd}>
            {isActive ? t('Remove') : t('Withdraw')}
          </button>
        </div>
      )}
    </li>
  );
}

function EndRequest({ request, onClose }: { request: CallerIdRequest; onClose: () => void }) {
  const client = useQueryClient();
  const isActive = request.status === 'active';
  const ending = useMutation({
    mutationFn: () => (isActive ? ok(removeRequest(request.id)) : ok(withdrawRequest(request.id))),
    onSuccess: async () => {
      toast(
        isActive
          ? t('{{name}} is no longer shown.', { name: request.display_name })
          : t('The request for {{name}} was withdrawn.', { name: request.display_name }),
      );
      await client.invalidateQueries({ queryKey: ['caller-ids'] });
      void client.invalidateQueries({ queryKey: ['numbers'] });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={
        isActive
          ? t('Remove {{name}}?', { name: request.display_name })
          : t('Withdraw the request for {{name}}?', { name: request.display_name })
      }
      action={isActive ? t('Remove') : t('Withdraw')}
      busy={ending.isPending}
      error={ending.isError ? changeProblemText(ending.error) : undefined}
      onConfirm={() => ending.mutate()}
      onClose={onClose}
    >
      <p>
        {isActive
          ? t('Phones no longer show it. What is paid for it is not given back.')
          : t('Its numbers can be requested again.')}
      </p>
    </ConfirmDialog>
  );
}
