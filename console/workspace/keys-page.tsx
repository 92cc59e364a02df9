import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useMay } from '../data/session.ts';
import { type ApiKey, deleteKeysKeyId, getKeys, type NewApiKey } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { ShownOnce } from '../ui/copy.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { timeText } from '../ui/format.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { NewKeyDialog, RotateKeyDialog } from './key-dialogs.tsx';
import { keyState } from './key-form.ts';
import { scopesText } from './scopes.ts';
import { useChange } from './use-change.ts';
import { WorkspaceFrame } from './workspace-frame.tsx';

/** API keys: each is shown once, may be limited, and is replaced without a gap. */
export function KeysPage() {
  const may = useMay();
  const [made, setMade] = useState<NewApiKey | null>(null);
  const [making, setMaking] = useState(false);
  const keys = useQuery({ queryKey: ['keys'], queryFn: ({ signal }) => ok(getKeys({}, { signal })) });
  return (
    <WorkspaceFrame
      title={t('API keys')}
      aside={
        may('keys.manage') && (
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            {t('Make a key')}
          </button>
        )
      }
    >
      <p class="quiet">{t('Programs use the API with a key. It acts for the workspace, not for a person.')}</p>
      {made && (
        <ShownOnce
          title={t('The key {{name}} is made.', { name: made.name })}
          secret={made.key}
          onStored={() => setMade(null)}
        />
      )}
      {keys.data ? (
        keys.data.length === 0 ? (
          <Nothing title={t('There are no API keys yet.')} />
        ) : (
          <KeyList keys={keys.data} onMade={setMade} />
        )
      ) : keys.isError ? (
        <Problem error={keys.error} what={t('the API keys')} onRetry={() => void keys.refetch()} />
      ) : (
        <Loading what={t('the API keys')} />
      )}
      {making && (
        <NewKeyDialog
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false);
            setMade(key);
          }}
        />
      )}
    </WorkspaceFrame>
  );
}

interface KeyListProps {
  keys: readonly ApiKey[];
  onMade: (key: NewApiKey) => void;
}

function KeyList({ keys, onMade }: KeyListProps) {
  const [asking, setAsking] = useState<{ key: ApiKey; what: 'rotate' | 'revoke' } | null>(null);
  return (
    <>
      <ul class="panel rows" aria-label={t('API keys')}>
        {keys.map((key) => (
          <KeyRow key={key.id} apiKey={key} onAsk={(what) => setAsking({ key, what })} />
        ))}
      </ul>
      {asking?.what === 'revoke' && <RevokeKey apiKey={asking.key} onClose={() => setAsking(null)} />}
      {asking?.what === 'rotate' && (
        <RotateKeyDialog
          apiKey={asking.key}
          onClose={() => setAsking(null)}
          onMade={(key) => {
            setAsking(null);
            onMade(key);
          }}
        />
      )}
    </>
  );
}

interface KeyRowProps {
  apiKey: ApiKey;
  onAsk: (what: 'rotate' | 'revoke') => void;
}

function KeyRow({ apiKey, onAsk }: KeyRowProps) {
  const may = useMay();
  const { name, prefix, created_by, created_at, last_used_at, last_used_address, allowed_addresses } = apiKey;
  const text = (at: string) => timeText(at, Date.now());
  const state = keyState(apiKey, Date.now(), text);
  const used =
    last_used_at === null
      ? t('never used')
      : t('last used {{time}} from {{address}}', { time: text(last_used_at), address: last_used_address });
  return (
    <li class="key-row">
      <div class="row-text">
        <span>
          {name} <code>{prefix}…</code>{' '}
          {state && (
            <span class="chip" data-tone={state.tone}>
              {state.text}
            </span>
          )}
        </span>
        <span class="quiet small">{scopesText(apiKey.scopes)}</span>
        {allowed_addresses.length > 0 && (
          <span class="quiet small">{t('Only from {{addresses}}', { addresses: allowed_addresses.join(', ') })}</span>
        )}
        <span class="quiet small">
          {t('Made {{time}} by {{name}}', { time: text(created_at), name: created_by })} · {used}
        </span>
      </div>
      {may('keys.manage') && (
        <div class="row-actions">
          {!state?.isOver && apiKey.replaced_by === null && (
            <button
              type="button"
              class="plain"
              aria-label={t('Replace {{name}}', { name })}
              onClick={() => onAsk('rotate')}
            >
              {t('Replace')}
            </button>
          )}
          <button
            type="button"
            class="plain"
            aria-label={t('Revoke {{name}}', { name })}
            onClick={() => onAsk('revoke')}
          >
            {t('Revoke')}
          </button>
        </div>
      )}
    </li>
  );
}

function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoking = useChange({
    change: () => ok(deleteKeysKeyId(apiKey.id)),
    reads: ['keys'],
    what: t('the API keys'),
    onDone: () => {
      onClose();
      toast(t('The key {{name}} is revoked.', { name: apiKey.name }));
    },
  });
  return (
    <ConfirmDialog
      title={t('Revoke {{name}}?', { name: apiKey.name })}
      action={t('Revoke')}
      busy={revoking.busy}
      error={revoking.problem}
      onConfirm={() => revoking.send()}
      onClose={onClose}
    >
      {t('Programs that use it are refused at once. This cannot be undone.')}
    </ConfirmDialog>
  );
}
