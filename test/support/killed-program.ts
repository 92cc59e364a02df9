import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connectDatabase, type Sql } from '../../control/db/connect.ts';
import { eventually } from './until.ts';

/** The name, in the database, of the connections of a program that `runUntilKilled` runs. */
export const killedName = (pid: number): string => `killed/${pid}`;

/**
 * Runs a program that kills itself with SIGKILL; its first argument is the address of the database, to which it connects under
 * `killedName`. Afterwards nothing that it had locked is locked. Throws when it ends in any other way.
 */
export async function runUntilKilled(program: string, databaseUrl: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, ['--no-warnings', program, databaseUrl, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit');
  if (signal !== 'SIGKILL')
    throw new Error(`${program} was to be killed, and ended with ${signal ?? `exit code ${code}`}`);
  const sql = connectDatabase({ url: databaseUrl, max: 1 });
  await untilNoticed(sql, killedName(child.pid!)).finally(() => sql.end());
}

/** The database notices a closed socket a while later, and holds the locks until then. @param name of the connections */
export const untilNoticed = (sql: Sql, name: string): Promise<true> =>
  eventually('the database to notice the cut', 60_000, async () => {
    const [left] = await sql`select from pg_stat_activity where application_name = ${name}`;
    return left ? null : true;
  });
