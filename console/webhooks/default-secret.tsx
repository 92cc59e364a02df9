import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { changeProblemText } from '../data/problem-text.ts';
import {
  getWebhooksDefaultSecret as readSecret,
  postWebhooksDefaultSecretRotate as rotateSecret,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { useConfirmed } from '../ui/confirmed.tsx';
import { ShownOnce } from '../ui/copy.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { timeText } from '../ui/format.ts';

/** The secret that signs for the webhook URLs of agents and batches. */
export function DefaultSecret() {
  const client = useQueryClient();
  const confirmed = useConfirmed();
  const [asking, setAsking] = useState(false);
  const [secret, setSecret] = useState('');
  const known = useQuery({
    queryKey: ['webhook-default-secret'],
    queryFn: ({ signal }) => ok(readSecret({}, { signal })),
  });
  const rotating = useMutation({
    mutationFn: () => confirmed.run(() => ok(rotateSecret())),
    onSuccess: (made) => {
      setAsking(false);
      setSecret(made.secret);
      void client.invalidateQueries({ queryKey: ['webhook-default-secret'] });
    },
  });
  if (!known.data) return null;
  const { secret_hint, created_at } = known.data;
  return (
    <section class="panel" aria-labelledby="default-secret-title">
      <h2 id="default-secret-title">{t('Default secret')}</h2>
      <p class="quiet">
        {t('It signs what goes to the webhook URLs of agents and batches. Endpoints above have secrets of their own.')}
      </p>
      <p>
        <code>{secret_hint}</code>{' '}
        <span class="quiet small">{t('since {{time}}', { time: timeText(created_at, Date.now()) })}</span>
      </p>
      {secret !== '' && (
        <ShownOnce title={t('The new default secret.')} secret={secret} onStored={() => setSecret('')} />
      )}
      <div class="buttons">
        <button type="button" class="secondary" onClick={() => setAsking(true)}>
          {t('New default secret')}
        </button>
      </div>
      {asking && (
        <ConfirmDialog
          title={t('Make a new default secret?')}
          action={t('Make a new secret')}
          busy={rotating.isPending}
          error={rotating.isError ? changeProblemText(rotating.error) : undefined}
          onConfirm={() => rotating.mutate()}
          onClose={() => setAsking(false)}
        >
          {t(
            'The old one stops working at once, for every agent and batch, also for deliveries that wait to be sent again.',
          )}
        </ConfirmDialog>
      )}
      {confirmed.dialog}
    </section>
  );
}
