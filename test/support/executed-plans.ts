import postgres from 'postgres';
import type { Sql } from '../../control/db/connect.ts';
import { afterFile } from './after-file.ts';

interface Plan {
  'Relation Name'?: string;
  'Actual Loops': number;
  Plans?: Plan[];
}

/**
 * Opens a connection whose every statement PostgreSQL explains as it was executed (auto_explain), with plans for any values, as statements
 * have that were prepared long ago.
 */
export async function connectExplained(url: string) {
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
  await sql.unsafe(`load 'auto_explain'; set auto_explain.log_analyze = on; set auto_explain.log_format = json;
    set auto_explain.log_min_duration = 0; set plan_cache_mode = force_generic_plan`);
  return {
    sql,
    /** The tables that were read, not those that a plan names for other values. */
    async tablesRead(run: (sql: Sql) => Promise<unknown>): Promise<string[]> {
      plans = [];
      await run(sql);
      return [...new Set(plans.flatMap(tablesOf))].sort();
    },
  };
}

function tablesOf(plan: Plan): string[] {
  if (plan['Actual Loops'] === 0) return [];
  const table = plan['Relation Name'];
  return [...(table === undefined ? [] : [table]), ...(plan.Plans ?? []).flatMap(tablesOf)];
}
