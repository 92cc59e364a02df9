import { connectDatabase, type Sql } from '../control/db/connect.ts';
import { giveCredits } from '../control/operators/credits.ts';
import { addPhoneNumber, connectPhoneNumber } from '../control/operators/numbers.ts';
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

/** Gives the agent a number of a simulated carrier in Twilio's place; the workspace has it from then on. */
export async function connectSimulatedNumber(
  stack: Stack,
  workspace_id: string,
  number: string,
  agent_id: string,
): Promise<void> {
  await asOperator(stack, async (sql) => {
    const operator = { sql, wallMs: Date.now() };
    const [known] = await sql`select 1 from numbers where number = ${number}`;
    if (known) await connectPhoneNumber(operator, number, agent_id);
    else await addPhoneNumber(operator, { workspace_id, number, provider: 'twilio', agent_id });
  });
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
