import type { Agent } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { timeText } from '../ui/format.ts';
import { conflictOf, type Draft, draftOf, valueAt } from './draft.ts';
import { fieldLabel } from './settings.ts';

interface ConflictDialogProps {
  /** As it was when the page was opened. */
  base: Agent;
  mine: Draft;
  /** As it is now. */
  theirs: Agent;
  onMerge: () => void;
  onTakeTheirs: () => void;
  onClose: () => void;
}

/** Somebody else saved the agent meanwhile: shows what they changed, and lets the person choose. */
export function ConflictDialog({ base, mine, theirs, onMerge, onTakeTheirs, onClose }: ConflictDialogProps) {
  const now = draftOf(theirs);
  const conflict = conflictOf(draftOf(base), mine, now);
  const both = new Set(conflict.both);
  return (
    <Dialog title={t('The agent was changed meanwhile')} wide onClose={onClose}>
      <p>
        {t('{{name}} saved version {{version}} at {{time}}. Your changes are not saved yet.', {
          name: theirs.updated_by,
          version: theirs.version,
          time: timeText(theirs.updated_at, Date.now()),
        })}
      </p>
      <div class="table-scroll">
        <table class="table">
          <thead>
            <tr>
              <th>{t('Setting')}</th>
              <th>{t('Saved by them')}</th>
              <th>{t('Yours')}</th>
            </tr>
          </thead>
          <tbody>
            {[...new Set([...conflict.both, ...conflict.theirs, ...conflict.mine])].map((path) => (
              <tr key={path}>
                <th scope="row">
                  {fieldLabel(path)}{' '}
                  {both.has(path) && (
                    <span class="chip" data-tone="bad">
                      {t('both')}
                    </span>
                  )}
                </th>
                <td>{conflict.theirs.includes(path) ? written(valueAt(now, path)) : t('not changed')}</td>
                <td>{conflict.mine.includes(path) ? written(valueAt(mine, path)) : t('not changed')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="quiet">
        {both.size > 0
          ? t('Keep both takes their changes and yours; where both changed a setting, yours counts.')
          : t('Keep both takes their changes and yours.')}
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={onMerge}>
          {t('Keep both')}
        </button>
        <button type="button" class="danger" onClick={onTakeTheirs}>
          {t('Drop mine')}
        </button>
        <button type="button" class="plain" onClick={onClose}>
          {t('Go on editing')}
        </button>
      </div>
    </Dialog>
  );
}

const SHOWN_CHARACTERS = 160;

/** A value in brief, for a person. */
function written(value: unknown): string {
  if (value === true) return t('On');
  if (value === false) return t('Off');
  if (value === '' || value === null || value === undefined) return t('empty');
  if (Array.isArray(value)) return listText(value);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

function listText(items: readonly unknown[]): string {
  if (items.length === 0) return t('empty');
  const names = items.map((each) =>
    typeof each === 'object' && each !== null
      ? ((each as { name?: string }).name ?? (each as { key?: string }).key ?? '…')
      : String(each),
  );
  return names.join(', ');
}
