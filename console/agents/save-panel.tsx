import { useLocation } from 'preact-iso';
import { useMay } from '../data/session.ts';
import { putAgentsAgentId as saveAgent } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { requestOf } from './draft.ts';
import { PricePanel } from './price-panel.tsx';
import type { DraftState } from './use-draft.ts';

interface SavePanelProps {
  state: DraftState;
  saving: boolean;
  /** @returns whether it was saved. */
  onSave: () => Promise<boolean>;
  /** Saves a version that no call uses yet. */
  onSaveVersion: () => void;
}

/** Beside the settings: the price, and what becomes of the changes. */
export function SavePanel({ state, saving, onSave, onSaveVersion }: SavePanelProps) {
  const { route } = useLocation();
  const may = useMay();
  const { base, draft, changed, mayEdit, rebase } = state;
  const count = changed.length;
  const talk = `/agents/${base.id}/talk`;
  const saveAndTalk = async () => {
    if (count === 0 || (await onSave())) route(talk);
  };
  return (
    <aside class="save-panel" aria-label={t('Price and changes')}>
      <PricePanel draft={draft} />
      {mayEdit && (
        <>
          <p class="quiet small" role="status">
            {count === 0
              ? t('Version {{version}}, all saved.', { version: base.version })
              : tn('{{count}} setting is not saved.', '{{count}} settings are not saved.', count)}
          </p>
          <div class="save-buttons">
            <button
              type="button"
              class="primary"
              aria-disabled={count === 0 || saving}
              onClick={() => {
                if (count > 0 && !saving) void onSave();
              }}
            >
              {saving ? t('One moment…') : t('Save')}
            </button>
            {may('calls.place') && (
              <button
                type="button"
                class="secondary"
                aria-disabled={saving}
                onClick={() => !saving && void saveAndTalk()}
              >
                {count === 0 ? t('Talk to it') : t('Save and talk')}
              </button>
            )}
            {count > 0 && (
              <button type="button" class="secondary" aria-disabled={saving} onClick={() => !saving && onSaveVersion()}>
                {t('Save for a share of the calls')}
              </button>
            )}
            {count > 0 && (
              <button type="button" class="plain" onClick={() => rebase(base)}>
                {t('Discard')}
              </button>
            )}
            <CopyCurl call={(opts) => saveAgent(base.id, requestOf(draft), { ifMatch: String(base.version) }, opts)} />
          </div>
        </>
      )}
    </aside>
  );
}
