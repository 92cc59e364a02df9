import { connectDatabase, type Sql } from '../control/db/connect.ts';
import { giveCredits } from '../control/operators/credits.ts';
import { createWorkspace } from '../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../control/workspaces/plan.ts';
import type { Stack } from './stack.ts';

const REQUESTS_PER_MINUTE = 60_000;
const CREDITS_PAISE = 100_000_000;

export interface FirstWorkspace {
  workspace_id: string;
  api_key: string;
}

/** Returns the first workspace. Its API key is shown once, so the home folder stores it (mode 0600). */
export async function firstWorkspace(stack: Stack, name: string): Promise<FirstWorkspace> {
  const stored = await stack.home.readOrCreate('first-workspace.json', () =>
    asOperator(stack, async (sql) => {
      const created = await createWorkspace({ sql, wallMs: Date.now() }, name);
      // Demos, tests and benches poll their calls many times a second.
      await setRequestsPerMinute(sql, created.workspace_id, REQUESTS_PER_MINUTE);
      // They also run many calls.
      const note = 'for trying it out';
      await giveCredits({ sql, wallMs: Date.now() }, 'grant', created.workspace_id, CREDITS_PAISE, note);
      return JSON.stringify(created);
    }),
  );
  return JSON.parse(stored);
}

/** Runs a function with a connection to the database. */
export async function asOperator<T>(stack: Stack, run: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connectDatabase({ url: stack.databaseUrl, name: 'antiphon-dev', max: 1 });
  try {
    return await run(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
