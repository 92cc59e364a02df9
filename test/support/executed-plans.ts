import postgres from 'postgres';
import type { Sql } from '../../control/db/connect.ts';
import { afterFile } from './after-file.ts';

/** A node of a plan as it was executed. */
export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}

/**
 * Opens a connection whose every statement PostgreSQL explains as it was executed, with rows and buffers (auto_explain).
 *
 * @param forAnyValues with plans for any values, as statements have that were prepared long ago
 */
export async function connectExplained(url: string, { forAnyValues = false } = {}) {
  let plans: Plan[] = [];
  const sql = postgres(url, {
    max: 1,
    connection: { client_min_messages: 'log' },
    onnotice: ({ message }) => {
      const at = message?.indexOf('{') ?? -1;
      if (message?.includes('plan:') && at >= 0) plans.push((JSON.parse(message.slice(at)) as { Plan: Plan }).Plan);
    },
  }) as Sql;
  afterFile(() => sql.end({ timeout: 5 }));
  await sql.unsafe(`load 'auto_explain'; set auto_explain.log_analyze = on; set auto_explain.log_buffers = on;
    set auto_explain.log_timing = off; set auto_explain.log_format = json; set auto_explain.log_min_duration = 0`);
  if (forAnyValues) await sql.unsafe('set plan_cache_mode = force_generic_plan');

  /** The plans of the statements that were executed meanwhile. */
  async function plansOf(run: () => Promise<unknown>): Promise<Plan[]> {
    plans = [];
    await run();
    return plans;
  }

  return {
    sql,
    plansOf,
    /** The tables that were read, not those that a plan names for other values. */
    async tablesRead(run: (sql: Sql) => Promise<unknown>): Promise<string[]> {
      return [...new Set((await plansOf(() => run(sql))).flatMap(tablesOf))].sort();
    },
  };
}

/** The rows of tables that a plan's scans read, with those that they threw away; an index-only scan's are its entries. */
export function rowsRead(plan: Plan): number {
  const thrownAway = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = plan['Relation Name'] === undefined ? 0 : (plan['Actual Rows'] + thrownAway) * plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, inner) => sum + rowsRead(inner), own);
}

/** The pages of tables and indexes that a plan read, each as often as it did. */
export const blocksRead = (plan: Plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

function tablesOf(plan: Plan): string[] {
  if (plan['Actual Loops'] === 0) return [];
  const table = plan['Relation Name'];
  return [...(table === undefined ? [] : [table]), ...(plan.Plans ?? []).flatMap(tablesOf)];
}
