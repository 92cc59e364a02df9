import type { Clock } from '../../shared/clock.ts';
import type { Fragment, Sql } from './connect.ts';

/** A query that finds a row while a background job may have work: `select from emails where sent_at is null`. */
export type OpenWorkQuery = (sql: Sql) => Fragment;

/** One job's part of the question. */
export interface OpenWorkCheck {
  /** Whether there may be work. Rejects when the database does not answer. */
  mayBe(): Promise<boolean>;
  leave(): void;
}

/** An answer serves the jobs that ask within this time. */
const FRESH_MS = 100;

interface Asked {
  atMs: number;
  answers: Promise<Map<OpenWorkQuery, boolean>>;
}

interface PoolChecks {
  queries: Set<OpenWorkQuery>;
  asked: Asked | null;
}

const checksOf = new WeakMap<Sql, PoolChecks>();

/**
 * Adds a job's query to those of its pool. The jobs of a pool ask together, in one statement: a service with nothing to do sends
 * one where it has twenty jobs. Every statement asks for all of them, so that its text stays the same and is prepared once.
 */
export function joinOpenWork(sql: Sql, query: OpenWorkQuery, clock: Pick<Clock, 'now'>): OpenWorkCheck {
  const checks = checksOf.get(sql) ?? { queries: new Set(), asked: null };
  checksOf.set(sql, checks);
  // A function of its own: two jobs may have the same query.
  const own: OpenWorkQuery = (pool) => query(pool);
  checks.queries.add(own);
  checks.asked = null;
  return {
    async mayBe() {
      const nowMs = clock.now();
      if (!checks.asked || nowMs - checks.asked.atMs >= FRESH_MS) {
        checks.asked = { atMs: nowMs, answers: ask(sql, [...checks.queries]) };
      }
      return (await checks.asked.answers).get(own)!;
    },
    leave() {
      checks.queries.delete(own);
      checks.asked = null;
    },
  };
}

async function ask(sql: Sql, queries: readonly OpenWorkQuery[]): Promise<Map<OpenWorkQuery, boolean>> {
  const [first, ...rest] = queries.map((query) => sql`exists (${query(sql)})`);
  const list = rest.reduce((all, each) => sql`${all}, ${each}`, first!);
  const [row] = await sql<{ open: boolean[] }[]>`select array[${list}] as open`;
  return new Map(queries.map((query, index) => [query, row!.open[index]!]));
}
