import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { type AuditEvent, getAuditEvents as readEvents } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { language, t } from '../texts/texts.ts';
import type { Option } from '../ui/fields.tsx';
import { FilterChoice, FilterDay } from '../ui/filters.tsx';
import { timeText } from '../ui/format.ts';
import { Pager } from '../ui/pager.tsx';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { actionText, actionTexts } from './action-text.ts';
import { fieldChanges } from './change-text.ts';
import { addressWith, auditFiltersIn, dayStart } from './log-filters.ts';
import { LogTabs } from './log-tabs.tsx';
import './logs.css';

const PAGE_SIZE = 50;

/** Who changed what in this workspace, newest first. */
export function AuditPage() {
  const { path, query, route } = useLocation();
  const filters = auditFiltersIn(query);
  const page = Math.max(0, Number(query.page ?? 0) || 0);
  const events = useQuery({
    queryKey: ['audit', filters, page],
    queryFn: ({ signal }) =>
      ok(
        readEvents(
          {
            ...{ action: filters.action, actorId: filters.actor_id, targetId: filters.target_id },
            ...{ since: dayStart(filters.since), until: dayStart(filters.until, 1) },
            ...{ limit: PAGE_SIZE, skip: page * PAGE_SIZE },
          },
          { signal },
        ),
      ),
  });
  const set = (name: string) => (value: string) => route(addressWith(path, query, name, value), true);
  return (
    <main class="wide-page">
      <Heading title={t('Logs')} />
      <LogTabs />
      <search class="filters" aria-label={t('Filters')}>
        <FilterChoice
          name={t('What happened')}
          value={filters.action ?? ''}
          onChange={set('action')}
          options={actionOptions(filters.action)}
        />
        <FilterDay name={t('Since')} value={filters.since ?? ''} onChange={set('since')} />
        <FilterDay name={t('Until')} value={filters.until ?? ''} onChange={set('until')} />
        {Object.keys(filters).length > 0 && (
          <button type="button" class="plain" onClick={() => route(path, true)}>
            {t('Clear all')}
          </button>
        )}
      </search>
      {events.isPending ? (
        <Loading what={t('the audit trail')} />
      ) : events.isError ? (
        <Problem error={events.error} what={t('the audit trail')} onRetry={() => void events.refetch()} />
      ) : events.data.items.length === 0 ? (
        <Nothing title={t('Nothing was changed that fits.')} />
      ) : (
        <>
          <div class="table-scroll">
            <table class="table audit-table">
              <thead>
                <tr>
                  <th scope="col">{t('When')}</th>
                  <th scope="col">{t('Who')}</th>
                  <th scope="col">{t('What')}</th>
                  <th scope="col">{t('Changes')}</th>
                </tr>
              </thead>
              <tbody>
                {events.data.items.map((event) => (
                  <AuditRow key={event.id} event={event} />
                ))}
              </tbody>
            </table>
          </div>
          <Pager
            page={page}
            pageSize={PAGE_SIZE}
            total={events.data.total}
            isMinimum={events.data.total_is_estimate}
            hrefOf={(to) => addressWith(path, { ...query }, 'page', String(to))}
          />
        </>
      )}
    </main>
  );
}

function AuditRow({ event: { at, actor, action, target, changes, address } }: { event: AuditEvent }) {
  const found = fieldChanges(target.kind, changes);
  return (
    <tr>
      <td>
        <time dateTime={at}>{timeText(at, Date.now())}</time>
      </td>
      <td>
        <a href={`/logs/audit?actor_id=${encodeURIComponent(actor.id)}`}>{actor.name || kindText(actor.kind)}</a>
        <span class="quiet small block">{address || kindText(actor.kind)}</span>
      </td>
      <td>
        <span class="block" title={action}>
          {actionText(action)}
        </span>
        {target.name && <span class="small block">{target.name}</span>}
      </td>
      <td>
        {found.map(({ field, before, after }) => (
          <span key={field} class="small block">
            {field}: {before !== '' && <span class="quiet">{before} → </span>}
            {after}
          </span>
        ))}
      </td>
    </tr>
  );
}

/** Every action by its words, and the one that the address asks for even where it is none of them, like `agent.`. */
function actionOptions(asked: string | undefined): Option[] {
  const texts: Record<string, string> = { ...(asked && { [asked]: asked }), ...actionTexts() };
  return Object.entries(texts)
    .map(([value, label]) => ({ value, label }))
    .toSorted((one, other) => one.label.localeCompare(other.label, language()));
}

function kindText(kind: AuditEvent['actor']['kind']): string {
  if (kind === 'user') return t('a person');
  if (kind === 'api_key') return t('an API key');
  return kind === 'oauth_app' ? t('a connected app') : t('the service');
}
