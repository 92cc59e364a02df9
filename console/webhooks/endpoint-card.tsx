import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { changeProblemText } from '../data/problem-text.ts';
import {
  deleteWebhooksEndpointId as deleteEndpoint,
  patchWebhooksEndpointId as patchEndpoint,
  postWebhooksEndpointIdTest as pingEndpoint,
  postWebhooksEndpointIdRotateSecret as rotateSecret,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { useConfirmed } from '../ui/confirmed.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { CheckField } from '../ui/fields.tsx';
import { timeText } from '../ui/format.ts';
import { toast } from '../ui/toasts.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { PingResult } from './ping-result.tsx';

interface EndpointCardProps {
  endpoint: WebhookEndpoint;
  /** A new secret is there, to be shown once. */
  onSecret: (endpoint: WebhookEndpointWithSecret) => void;
}

/** One endpoint with all that can be done with it. */
export function EndpointCard({ endpoint, onSecret }: EndpointCardProps) {
  const client = useQueryClient();
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete' | null>(null);
  const { id, url, description, events, active, secret_hint, created_at, created_by } = endpoint;
  const readAgain = () => client.invalidateQueries({ queryKey: ['webhooks'] });
  const switching = useMutation({
    mutationFn: (on: boolean) => ok(patchEndpoint(id, { active: on })),
    onMutate: (on) => {
      client.setQueryData<WebhookEndpoint[]>(['webhooks'], (all) =>
        all?.map((each) => (each.id === id ? { ...each, active: on } : each)),
      );
    },
    onError: (error) => toast(changeProblemText(error), { tone: 'error' }),
    onSettled: readAgain,
  });
  const pinging = useMutation({ mutationFn: () => ok(pingEndpoint(id)) });
  const named = events.filter((type) => type !== '*');
  return (
    <li class="card endpoint">
      <div class="page-head">
        <h2 class="endpoint-url">{url}</h2>
        {!active && <span class="chip">{t('Off')}</span>}
      </div>
      {description !== '' && <p>{description}</p>}
      <p class="quiet small">
        {[
          events.includes('*') ? t('The life of every call') : '',
          named.length > 3 ? tn('{{count}} single event', '{{count}} single events', named.length) : named.join(', '),
        ]
          .filter(Boolean)
          .join(' + ')}
        {' · '}
        {t('Secret {{hint}}', { hint: secret_hint })}
        {' · '}
        {t('Made by {{person}}, {{time}}', { person: created_by, time: timeText(created_at, Date.now()) })}
      </p>
      <CheckField label={t('Gets events')} checked={active} onChange={(on) => switching.mutate(on)} />
      <div class="buttons">
        <button
          type="button"
          class="secondary"
          aria-disabled={pinging.isPending}
          onClick={() => !pinging.isPending && pinging.mutate()}
        >
          {pinging.isPending ? t('Sending …') : t('Send a test')}
        </button>
        <button type="button" class="secondary" onClick={() => setOpen('edit')}>
          {t('Edit')}
        </button>
        <button type="button" class="secondary" onClick={() => setOpen('rotate')}>
          {t('New secret')}
        </button>
        <a class="secondary button-link" href={`/webhooks/deliveries?endpoint=${id}`}>
          {t('Its deliveries')}
        </a>
        <button type="button" class="danger" onClick={() => setOpen('delete')}>
          {t('Delete')}
        </button>
      </div>
      {pinging.data && <PingResult delivery={pinging.data} />}
      <p class="error" role="alert">
        {pinging.isError && changeProblemText(pinging.error)}
      </p>
      {open === 'edit' && (
        <EndpointDialog endpoint={endpoint} onSaved={() => setOpen(null)} onClose={() => setOpen(null)} />
      )}
      {open === 'rotate' && (
        <RotateDialog
          endpoint={endpoint}
          onClose={() => setOpen(null)}
          onSecret={(rotated) => {
            setOpen(null);
            void readAgain();
            onSecret(rotated);
          }}
        />
      )}
      {open === 'delete' && (
        <DeleteDialog
          endpoint={endpoint}
          onClose={() => setOpen(null)}
          onDeleted={() => {
            setOpen(null);
            void readAgain();
          }}
        />
      )}
    </li>
  );
}

interface RotateDialogProps {
  endpoint: WebhookEndpoint;
  onSecret: (endpoint: WebhookEndpointWithSecret) => void;
  onClose: () => void;
}

function RotateDialog({ endpoint, onSecret, onClose }: RotateDialogProps) {
  const confirmed = useConfirmed();
  const rotating = useMutation({
    mutationFn: () => confirmed.run(() => ok(rotateSecret(endpoint.id))),
    onSuccess: onSecret,
  });
  return (
    <>
      <ConfirmDialog
        title={t('Make a new secret?')}
        action={t('Make a new secret')}
        busy={rotating.isPending}
        error={rotating.isError ? changeProblemText(rotating.error) : undefined}
        onConfirm={() => rotating.mutate()}
        onClose={onClose}
      >
        {t(
          'The old secret stops working at once, also for deliveries that wait to be sent again. Put the new one into your server right after: until then it refuses what is sent, and that is sent again later.',
        )}
      </ConfirmDialog>
      {confirmed.dialog}
    </>
  );
}

interface DeleteDialogProps {
  endpoint: WebhookEndpoint;
  onDeleted: () => void;
  onClose: () => void;
}

function DeleteDialog({ endpoint, onDeleted, onClose }: DeleteDialogProps) {
  const deleting = useMutation({ mutationFn: () => ok(deleteEndpoint(endpoint.id)), onSuccess: onDeleted });
  return (
    <ConfirmDialog
      title={t('Delete this endpoint?')}
      action={t('Delete')}
      busy={deleting.isPending}
      error={deleting.isError ? changeProblemText(deleting.error) : undefined}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      {t('It gets no more events, and what waits for it is not sent. This cannot be undone.')}
    </ConfirmDialog>
  );
}
