/** Filters of the server logs and the audit trail, as they are in a page's address. */

const LOG_FILTERS = ['level', 'source', 'q', 'request_id', 'call_id', 'since', 'until'] as const;
const AUDIT_FILTERS = ['action', 'actor_id', 'target_id', 'since', 'until'] as const;

export type LogFilters = Partial<Record<(typeof LOG_FILTERS)[number], string>>;
export type AuditFilters = Partial<Record<(typeof AUDIT_FILTERS)[number], string>>;

type Query = Readonly<Record<string, string | undefined>>;

const filtersOf = <Name extends string>(names: readonly Name[], query: Query): Partial<Record<Name, string>> =>
  Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : []))) as never;

export const logFiltersIn = (query: Query): LogFilters => filtersOf(LOG_FILTERS, query);
export const auditFiltersIn = (query: Query): AuditFilters => filtersOf(AUDIT_FILTERS, query);

/** The instant at which a day of the viewer begins; with `after`, the day behind it. */
export function dayStart(day: string | undefined, after = 0): string | undefined {
  if (!day) return undefined;
  const [year, month, date] = day.split('-').map(Number);
  const start = new Date(year!, month! - 1, date! + after);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

/** The address with a filter set, or without it when it is empty. Pages begin anew. */
export function addressWith(path: string, query: Query, name: string, value: string): string {
  const next = new URLSearchParams(
    Object.entries({ ...query, [name]: value, page: '' }).filter((entry): entry is [string, string] => !!entry[1]),
  );
  return next.size === 0 ? path : `${path}?${next}`;
}
