import { expect, it } from 'vitest';
import { type LogFilters, listServerLogs } from '../../../control/observability/list-logs.ts';
import { LOG_LEVELS, LOG_SOURCES, type LogLevel, type LogSource } from '../../../control/observability/log-records.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { seededRandom } from '../../support/seeded-random.ts';

/** Random lines, listed with random filters, against the same filters in TypeScript. */

const LINES = 7_000;
const QUERIES = 120;
const FIRST_MS = Date.UTC(2026, 0, 5);
const WORDS = ['zebra', 'Anrufer', 'नमस्ते', '100%', 'a_b', 'C:\\x', 'ok', 'GET /api/v1/calls: 200'];

const { sql } = await createTestDatabase();
const random = seededRandom(83);
const below = (limit: number) => Math.floor(random() * limit);
const oneOf = <Value>(values: readonly Value[]) => values[below(values.length)]!;
const maybe = <Value>(value: () => Value) => (random() < 0.5 ? value() : undefined);
/** The first words are in few lines. */
const aWord = () => WORDS[Math.floor(random() ** 0.25 * WORDS.length)]!;

const lines = Array.from({ length: LINES }, (_, nth) => ({
  ...{ id: `${below(1_000)}-${nth}`, atMs: FIRST_MS + below(LINES) * 1_000, level: oneOf(LOG_LEVELS) as LogLevel },
  ...{
    source: oneOf(LOG_SOURCES) as LogSource,
    message: `line ${aWord()}`,
    detail: aWord(),
    call_id: oneOf(['', '', 'a', 'b']),
  },
}));
await sql`
  insert into server_logs (workspace_id, id, at, level, source, message, data, call_id)
  select name, id, at::timestamptz, level, source, message, data::jsonb, call_id
  from unnest(
    ${lines.map(({ id }) => id)}::text[], ${lines.map(({ atMs }) => new Date(atMs).toISOString())}::text[],
    ${lines.map(({ level }) => level)}::text[], ${lines.map(({ source }) => source)}::text[],
    ${lines.map(({ message }) => message)}::text[], ${lines.map(({ detail }) => JSON.stringify({ detail }))}::text[],
    ${lines.map(({ call_id }) => call_id)}::text[]
  ) as line (id, at, level, source, message, data, call_id)
  cross join unnest('{acme,other}'::text[]) as name`;
await sql`vacuum analyze server_logs`;

function expected({ level, source, call_id, q, since, until }: LogFilters): string[] {
  return lines
    .filter((line) => (level?.includes(line.level) ?? true) && (source ?? line.source) === line.source)
    .filter((line) => (call_id ?? line.call_id) === line.call_id)
    .filter(({ atMs }) => (since?.getTime() ?? 0) <= atMs && atMs <= (until?.getTime() ?? Number.POSITIVE_INFINITY))
    .filter(({ message, detail }) => {
      const text = `${message} {"detail": ${JSON.stringify(detail)}}`;
      return text.toLowerCase().includes(q?.toLowerCase() ?? '');
    })
    .sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
}

it('lists exactly the lines that match, and counts them or says that there may be more', async () => {
  for (let query = 0; query < QUERIES; query++) {
    const filters: LogFilters = {
      level: maybe(() => [oneOf(LOG_LEVELS), oneOf(LOG_LEVELS)]),
      source: maybe(() => oneOf(LOG_SOURCES)),
      call_id: random() < 0.2 ? oneOf(['a', 'c']) : undefined,
      q: maybe(() => oneOf([...WORDS, 'ZEBRA', 'zq', 'line', '"detail"', 'क'])),
      since: maybe(() => new Date(FIRST_MS + below(LINES) * 1_000)),
      until: maybe(() => new Date(FIRST_MS + below(LINES) * 1_000)),
    };
    const [limit, skip] = [1 + below(100), oneOf([0, 0, below(200)])];
    const ids = expected(filters);
    const { items, ...counted } = await listServerLogs(sql, 'acme', filters, limit, skip);
    const what = JSON.stringify({ query, filters, limit, skip });
    expect(
      items.map(({ id }) => id),
      what,
    ).toEqual(ids.slice(skip, skip + limit));
    if (counted.total_is_estimate) expect(counted.total, what).toBeLessThanOrEqual(ids.length);
    else expect(counted.total, what).toBe(ids.length);
  }
});
