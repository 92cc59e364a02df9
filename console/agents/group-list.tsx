import { useEffect, useRef } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { type GroupName, groupOf, groups } from './groups.ts';

interface GroupListProps {
  chosen: GroupName;
  /** Paths of fields. */
  changed: readonly string[];
  wrong: readonly string[];
  onChoose: (group: GroupName) => void;
}

/** What is left of the group before the chosen one. */
const EDGE_PX = 48;

/** The groups of settings, with what is changed or wrong in them. */
export function GroupList({ chosen, changed, wrong, onChoose }: GroupListProps) {
  const [withChanges, withErrors] = [changed, wrong].map((paths) => new Set(paths.map(groupOf)));
  // On a small screen they are one row, which scrolls.
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const button = list.current?.querySelector<HTMLElement>(`[data-group="${chosen}"]`);
    if (button) list.current!.scrollLeft = button.offsetLeft - list.current!.offsetLeft - EDGE_PX;
  }, [chosen]);
  return (
    <nav class="group-list" ref={list} aria-label={t('Groups of settings')}>
      {groups().map(({ name, title }) => (
        <button
          key={name}
          type="button"
          data-group={name}
          aria-current={name === chosen ? 'true' : undefined}
          onClick={() => onChoose(name)}
        >
          <span>{title}</span>
          {withErrors!.has(name) ? (
            <span class="chip" data-tone="bad">
              {t('Wrong')}
            </span>
          ) : (
            withChanges!.has(name) && (
              <span class="changed-mark">
                <span class="hidden-title">{t('Changed')}</span>
              </span>
            )
          )}
        </button>
      ))}
    </nav>
  );
}
