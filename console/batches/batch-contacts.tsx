import { ok } from '@oazapfts/runtime';
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { withFilter } from '../calls/call-filters.ts';
import { type Batch, type BatchContact, getBatchesBatchIdContacts } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { lengthText, timeText } from '../ui/format.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { CONTACT_STATUSES, contactStatus, contactTone, isMoving } from './batch-texts.ts';
import { ScrollArea } from './scroll-area.tsx';

const PAGE_SIZE = 50;
const REFRESH_MS = 5_000;

/** The contacts of a batch in the order of the file; status and page are in the address. */
export function BatchContacts({ batch }: { batch: Batch }) {
  const { path, query, route } = useLocation();
  const status = CONTACT_STATUSES.find((each) => each === query.status);
  const page = Math.max(1, Math.floor(Number(query.page)) || 1);
  const contacts = useQuery({
    queryKey: ['batch-contacts', batch.id, status, page],
    queryFn: ({ signal }) => {
      const filters = { ...(status && { status: [status] }), limit: PAGE_SIZE, skip: (page - 1) * PAGE_SIZE };
      return ok(getBatchesBatchIdContacts(batch.id, filters, { signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: isMoving(batch) ? REFRESH_MS : false,
  });
  const total = contacts.data?.total ?? 0;
  const pages = Math.max(1, Math.ceil(total / PAGE_SIZE));
  const setPage = (next: number) => route(withFilter(path, query, 'page', next === 1 ? '' : String(next)), true);
  return (
    <section class="contacts" aria-labelledby="contacts-title">
      <div class="page-head">
        <h2 id="contacts-title">{t('Contacts')}</h2>
        <label class="filter">
          <span class="hidden-title">{t('Status')}</span>
          <select
            value={status ?? ''}
            onChange={(event) => {
              const chosen = event.currentTarget.value;
              route(withFilter(path, {}, 'status', chosen), true);
            }}
          >
            <option value="">{t('Any status')}</option>
            {CONTACT_STATUSES.map((each) => (
              <option key={each} value={each}>
                {contactStatus(each)}
              </option>
            ))}
          </select>
        </label>
        {contacts.data && (
          <span class="quiet" role="status">
            {tn('{{count}} contact', '{{count}} contacts', total)}
          </span>
        )}
      </div>
      {contacts.data ? (
        contacts.data.items.length === 0 ? (
          <Nothing title={t('No contact is in this state.')} />
        ) : (
          <ContactTable contacts={contacts.data.items} />
        )
      ) : contacts.isError ? (
        <Problem error={contacts.error} what={t('the contacts')} onRetry={() => void contacts.refetch()} />
      ) : (
        <Loading what={t('the contacts')} />
      )}
      {pages > 1 && (
        <nav class="buttons" aria-label={t('Pages of contacts')}>
          <button type="button" class="secondary" disabled={page === 1} onClick={() => setPage(page - 1)}>
            {t('Back')}
          </button>
          <span class="page-count">{t('Page {{page}} of {{pages}}', { page, pages })}</span>
          <button type="button" class="secondary" disabled={page >= pages} onClick={() => setPage(page + 1)}>
            {t('Next')}
          </button>
        </nav>
      )}
    </section>
  );
}

function ContactTable({ contacts }: { contacts: readonly BatchContact[] }) {
  return (
    <ScrollArea class="table-scroll" label={t('Table of contacts')}>
      <table class="table contact-table">
        <thead>
          <tr>
            <th scope="col" class="number">
              {t('Row')}
            </th>
            <th scope="col">{t('Number')}</th>
            <th scope="col">{t('Status')}</th>
            <th scope="col" class="number">
              {t('Times called')}
            </th>
            <th scope="col" class="number">
              {t('Length')}
            </th>
            <th scope="col">{t('Values')}</th>
          </tr>
        </thead>
        <tbody>
          {contacts.map((contact) => (
            <ContactRow key={contact.id} contact={contact} />
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function ContactRow({ contact }: { contact: BatchContact }) {
  const { row, to_number, status, attempts, call_id, duration_seconds, hangup_reason, next_attempt_at } = contact;
  return (
    <tr>
      <td class="number quiet">{row}</td>
      <td class="contact-number">{call_id ? <a href={`/calls/${call_id}`}>{to_number}</a> : to_number}</td>
      <td>
        <span class="chip" data-tone={contactTone(status)}>
          {contactStatus(status)}
        </span>
        {next_attempt_at && status === 'retrying' && (
          <span class="quiet small"> {t('from {{time}}', { time: timeText(next_attempt_at, Date.now()) })}</span>
        )}
        {hangup_reason !== '' && hangup_reason !== status && <span class="quiet small"> {hangup_reason}</span>}
      </td>
      <td class="number">{attempts}</td>
      <td class="number">{duration_seconds > 0 ? lengthText(duration_seconds) : '–'}</td>
      <td class="quiet small">
        {Object.entries(contact.user_data)
          .map(([name, value]) => `${name}: ${value}`)
          .join(', ') || '–'}
      </td>
    </tr>
  );
}
