import { expect } from 'vitest';
import type { Sql } from '../../control/db/connect.ts';
import { runCommand } from '../../control/operator.ts';
import type { Options } from '../../control/operators/command.ts';

export type OperatorCommand = ReturnType<typeof createOperatorCommand>;

/** Runs the operator's command line in this process on a test database. */
export function createOperatorCommand(sql: Sql) {
  async function operator(words: string, options: Options = {}) {
    // A word in single quotes may contain spaces.
    const positionals = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
    const { result, lines } = await runCommand({ sql: sql, wallMs: Date.now() }, positionals, options);
    // biome-ignore lint/suspicious/noExplicitAny: results have the type that the test expects
    return { result: result as any, text: lines.join('\n') };
  }

  const refusal = (words: string, options: Options = {}) =>
    operator(words, options).then(
      () => 'succeeded',
      (error: Error) => error.message,
    );

  /** Returns the operator's audit actions on the workspace, sorted. */
  async function trailOf(workspaceId: string): Promise<string[]> {
    const rows = await sql<{ action: string; actor_kind: string; actor_name: string }[]>`
    select action, actor_kind, actor_name from audit_events where workspace_id = ${workspaceId} and actor_kind = 'service'`;
    expect(rows.every(({ actor_name }) => actor_name === 'operator')).toBe(true);
    return rows.map(({ action }) => action).sort();
  }

  return { operator, refusal, trailOf };
}
