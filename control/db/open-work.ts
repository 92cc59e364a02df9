import type { Clock } from '../../shared/clock.ts';
import { isPooled, type Sql } from './connect.ts';

/** A query that finds a row while a background job may have work: `select from emails where sent_at is null`. Without parameters. */
export type OpenWorkQuery = string;

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
  /** Each query, and how many jobs have it. */
  queries: Map<OpenWorkQuery, number>;
  asked: Asked | null;
}

const checksOf = new WeakMap<Sql, PoolChecks>();

/**
 * Adds a job's query to those of its pool. The jobs of a pool ask together, in one statement: a service with nothing to do sends
 * one where it has twenty jobs. Every statement asks for all of them, so that its text stays the same and is prepared once.
 */
export function joinOpenWork(sql: Sql, query: OpenWorkQuery, clock: Pick<Clock, 'now'>): OpenWorkCheck {
  const checks = checksOf.get(sql) ?? { queries: new Map(), asked: null };
  checksOf.set(sql, checks);
  checks.queries.set(query, (checks.queries.get(query) ?? 0) + 1);
  checks.asked = null;
  return {
    async mayBe() {
      const nowMs = clock.now();
      if (!checks.asked || nowMs - checks.asked.atMs >= FRESH_MS) {
        checks.asked = { atMs: nowMs, answers: ask(sql, [...checks.queries.keys()]) };
      }
      return (await checks.asked.answers).get(query)!;
    },
    leave() {
      const others = checks.queries.get(query)! - 1;
      if (others > 0) checks.queries.set(query, others);
      else checks.queries.delete(query);
      checks.asked = null;
    },
  };
}

async function ask(sql: Sql, queries: readonly OpenWorkQuery[]): Promise<Map<OpenWorkQuery, boolean>> {
  const list = queries.map((query) => `exists (${query})`).join(', ');
  // The driver takes texts without parameters for several statements, which cannot be prepared.
  const options = { prepare: !isPooled(sql), simple: false };
  const [row] = await sql.unsafe<{ open: boolean[] }[]>(`select array[${list}] as open`, [], options);
  return new Map(queries.map((query, index) => [query, row!.open[index]!]));
}
