import { connectDatabase, type Sql } from '../control/db/connect.ts';
import { giveCredits } from '../control/operators/credits.ts';
import { createWorkspace } from '../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../control/workspaces/request-limit.ts';
import type { Stack } from './stack.ts';

const REQUESTS_PER_MINUTE = 60_000;
const CREDITS_PAISE = 100_000_000;

export interface FirstWorkspace {
  workspace_id: string;
  api_key: string;
}

/** The workspace a new copy begins with. Its key is shown by the database once, so the home keeps it (mode 0600). */
export async function firstWorkspace(stack: Stack, name: string): Promise<FirstWorkspace> {
  const stored = await stack.home.readOrCreate('first-workspace.json', () =>
    asOperator(stack, async (sql) => {
      const made = await createWorkspace({ sql, wallMs: Date.now() }, name);
      // Demos, tests and benches ask for their calls many times a second.
      await setRequestsPerMinute(sql, made.workspace_id, REQUESTS_PER_MINUTE);
      // And talk for days.
      const note = 'for trying it out';
      await giveCredits({ sql, wallMs: Date.now() }, 'grant', made.workspace_id, CREDITS_PAISE, note);
      return JSON.stringify(made);
    }),
  );
  return JSON.parse(stored);
}

/** Runs something with a connection to the copy's database. */
export async function asOperator<T>(stack: Stack, run: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connectDatabase({ url: stack.databaseUrl, name: 'antiphon-dev', max: 1 });
  try {
    return await run(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
