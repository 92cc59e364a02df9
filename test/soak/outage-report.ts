import type { Sql } from '../../control/db/connect.ts';
import { pause } from '../support/until.ts';

/** What `make outage` prints. */

export interface Outcome {
  seed: number;
  wrong: readonly string[];
  /** From the end of the last failure. */
  recoveredMs: number;
  tookMs: number;
  facts: Record<string, number>;
}

export const seconds = (ms: number) => (ms / 1_000).toFixed(1);

/** Prints how many calls have which status, and what is away. */
export async function report(
  sql: Sql,
  workspaceIds: readonly string[],
  startMs: number,
  doing: ReadonlySet<string>,
): Promise<void> {
  const counted = sql<{ status: string; count: number }[]>`
    select status, count(*)::integer as count from calls where workspace_id = any(${[...workspaceIds]}) group by 1 order by 1`;
  const silent = pause(2_000).then(() => null);
  const rows = await Promise.race([counted.catch(() => null), silent]);
  const text = rows ? rows.map(({ status, count }) => `${count} ${status}`).join(', ') : 'the database does not answer';
  console.log(
    `  ${seconds(performance.now() - startMs)} s  ${text}${doing.size > 0 ? ` (${[...doing].join(', ')})` : ''}`,
  );
}

/** How many calls ended for which reason, and how many events and deliveries they had. */
export async function factsOf(sql: Sql, workspaceIds: readonly string[]): Promise<Record<string, number>> {
  const rows = await sql<{ what: string; count: number }[]>`
    select hangup_reason as what, count(*)::integer as count from calls where workspace_id = any(${[...workspaceIds]})
    group by 1 order by 2 desc`;
  const [more] = await sql<{ events: number; deliveries: number }[]>`
    select (select count(*) from call_events where workspace_id = any(${[...workspaceIds]}))::integer as events,
      (select count(*) from webhook_deliveries where workspace_id = any(${[...workspaceIds]}))::integer as deliveries`;
  return { ...Object.fromEntries(rows.map(({ what, count }) => [what || 'none', count])), ...more! };
}

export function printTable(outcomes: readonly Outcome[]): void {
  const columns = [...new Set(outcomes.flatMap(({ facts }) => Object.keys(facts)))];
  const rows = outcomes.map(({ seed, wrong, recoveredMs, tookMs, facts }) => [
    ...[String(seed), wrong.length === 0 ? 'passed' : 'FAILED', seconds(recoveredMs), seconds(tookMs)],
    ...columns.map((name) => String(facts[name] ?? 0)),
  ]);
  const all = [['seed', 'result', 'recovered after s', 'took s', ...columns], ...rows];
  const widths = all[0]!.map((_, at) => Math.max(...all.map((row) => row[at]!.length)));
  console.log('');
  for (const row of all) console.log(row.map((cell, at) => cell.padStart(widths[at]!)).join('  '));
  const failed = outcomes.filter(({ wrong }) => wrong.length > 0).length;
  console.log(`\n${outcomes.length - failed} passed, ${failed} failed`);
}
