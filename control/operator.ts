import { parseArgs } from 'node:util';
import { z } from 'zod';
import { systemClock } from '../shared/clock.ts';
import { readEnv } from '../shared/env.ts';
import { errorText } from '../shared/log.ts';
import { checkSchema } from './db/check-schema.ts';
import { connectDatabase, type Pooler, type Sql } from './db/connect.ts';
import { openSecretKeys } from './db/secret-keys.ts';
import { APP_COMMANDS } from './operators/apps.ts';
import { BILLING_COMMANDS } from './operators/billing.ts';
import { BUS_COMMANDS } from './operators/bus.ts';
import { CALL_DATA_COMMANDS } from './operators/call-data.ts';
import { CALLBACK_KEY_COMMANDS } from './operators/callback-keys.ts';
import { CAPTURE_COMMANDS } from './operators/captures.ts';
import { accountsOf } from './operators/carrier-accounts.ts';
import {
  type Command,
  type CommandGroup,
  FLAGS,
  OPERATOR,
  OPTIONS,
  type OperatorDeps,
  type Options,
  UsageError,
} from './operators/command.ts';
import { CREDIT_COMMANDS } from './operators/credits.ts';
import { CURRENCY_COMMANDS } from './operators/currencies.ts';
import { DEAD_EVENT_COMMANDS } from './operators/dead-events.ts';
import { EVALUATION_COMMANDS } from './operators/evaluate-calls.ts';
import { EXPORT_COMMANDS } from './operators/export-workspace.ts';
import { GUARDRAIL_COMMANDS } from './operators/guardrails.ts';
import { details, overview, usageOf } from './operators/help.ts';
import { MIGRATION_COMMANDS } from './operators/migrations.ts';
import { NUMBER_COMMANDS } from './operators/numbers.ts';
import { OWNER_COMMANDS } from './operators/owners.ts';
import { PEOPLE_COMMANDS } from './operators/people.ts';
import { PRICE_COMMANDS } from './operators/prices.ts';
import { REQUEST_COMMANDS } from './operators/requests.ts';
import { SECRET_COMMANDS } from './operators/secrets.ts';
import { SUBSCRIPTION_COMMANDS } from './operators/subscriptions.ts';
import { givenKey, whoRunsIt } from './operators/who-runs-it.ts';
import { WORKSPACE_LIMIT_COMMANDS } from './operators/workspace-limits.ts';
import { WORKSPACE_COMMANDS } from './operators/workspaces.ts';

/** The operator's command line. `runCommand` can be called in-process too. */

const GROUPS: readonly CommandGroup[] = [
  {
    title: 'Workspaces and their keys',
    commands: [...WORKSPACE_COMMANDS, ...WORKSPACE_LIMIT_COMMANDS, ...OWNER_COMMANDS, ...EXPORT_COMMANDS],
  },
  { title: 'Phone numbers', commands: [...NUMBER_COMMANDS, ...CALLBACK_KEY_COMMANDS] },
  { title: 'Requests that wait for a decision', commands: REQUEST_COMMANDS },
  { title: 'Guardrails', commands: GUARDRAIL_COMMANDS },
  { title: 'Plans and prices', commands: [...PRICE_COMMANDS, ...SUBSCRIPTION_COMMANDS, ...CURRENCY_COMMANDS] },
  { title: 'Credits', commands: CREDIT_COMMANDS },
  { title: 'Invoices, alerts and the audit of money', commands: BILLING_COMMANDS },
  { title: 'Connected apps', commands: APP_COMMANDS },
  { title: 'How calls went', commands: EVALUATION_COMMANDS },
  { title: 'What is kept of calls', commands: [...CALL_DATA_COMMANDS, ...CAPTURE_COMMANDS] },
  { title: 'Events of calls that could not be applied', commands: DEAD_EVENT_COMMANDS },
  { title: 'Who may run these commands', commands: PEOPLE_COMMANDS },
  { title: 'The bus', commands: BUS_COMMANDS },
  { title: 'The database', commands: [...MIGRATION_COMMANDS, ...SECRET_COMMANDS] },
];
export const COMMANDS: readonly Command[] = GROUPS.flatMap(({ commands }) => commands);
const BY_NAME = new Map(COMMANDS.map((command) => [command.name, command]));

/** The commands that begin with these words; all when there are none. */
const beginningWith = (words: readonly string[]): Command[] => {
  const begin = words.slice(0, 2).join(' ');
  return COMMANDS.filter(({ name }) => name === begin || name.startsWith(`${begin} `));
};

/** The overview, or what the commands that begin with `words` take. */
export function helpText(program: string, words: readonly string[] = []): string {
  if (words.length === 0) return overview(program, GROUPS);
  const found = beginningWith(words);
  if (found.length === 0) throw unknownCommand(words);
  return details(program, found);
}

function unknownCommand(words: readonly string[]): UsageError {
  const similar = beginningWith(words.slice(0, 1)).map(({ name }) => name);
  const hint = similar.length === 0 ? '--help lists all' : `there are ${similar.join(', ')}`;
  return new UsageError(`unknown command "${words.slice(0, 2).join(' ')}"; ${hint}`);
}

/** Runs one command. @returns lines for a person, and a result for a script. */
export async function runCommand(deps: OperatorDeps, positionals: readonly string[], options: Options = {}) {
  const command = checkedCommand(positionals, options);
  return command.run(deps, argumentsOf(command, positionals), options);
}

const argumentsOf = ({ name }: Command, positionals: readonly string[]) => positionals.slice(name.split(' ').length);

/** Finds the command that the words begin with. Throws when there is none, or it does not take the rest. */
export function checkedCommand(positionals: readonly string[], options: Options): Command {
  const command = BY_NAME.get(positionals.slice(0, 2).join(' ')) ?? BY_NAME.get(positionals[0] ?? '');
  if (!command) throw unknownCommand(positionals);
  const { name } = command;
  const count = argumentsOf(command, positionals).length;
  const [min, max] =
    typeof command.positionals === 'number' ? [command.positionals, command.positionals] : command.positionals;
  if (count < min || count > max) {
    const taken = min === max ? `${min}` : `${min} to ${max}`;
    throw new UsageError(`"${name}" takes ${taken} argument${taken === '1' ? '' : 's'}: ${usageOf(command)}`);
  }
  const unknown = Object.keys(options).find((option) => !command.options?.includes(option as never));
  if (unknown !== undefined) throw new UsageError(`"${name}" takes no --${unknown}: ${usageOf(command)}`);
  return command;
}

/** The service that the command line works on. */
export interface OperatedService {
  databaseUrl: string;
  pooler?: Pooler;
  hasAccount: NonNullable<OperatorDeps['hasAccount']>;
  secretKeys: NonNullable<OperatorDeps['secretKeys']>;
}

/**
 * Runs the command line and prints what it says.
 *
 * @param program as the user calls it, for the examples of its help
 * @param findService called when there is a command to run; throws when there is no service
 * @returns the exit code: 0 done, 1 not done, 2 called wrongly
 */
export async function runCommandLine(
  program: string,
  args: string[],
  findService: () => OperatedService,
): Promise<number> {
  try {
    const { json, help, options, positionals } = readArguments(args);
    if (help || positionals.length === 0) {
      process.stdout.write(helpText(program, positionals));
      return help ? 0 : 2;
    }
    const command = checkedCommand(positionals, options);
    const { hasAccount, secretKeys, ...service } = findService();
    const {
      lines,
      result,
      failed = false,
    } = await withDatabase(service, async (sql) => {
      if (!command.anySchema) await checkSchema(sql);
      const wallMs = systemClock.wall();
      const who = { key: command.unattended ? '' : givenKey(), nowMs: wallMs, program };
      const { by, notice } = command.unattended
        ? { by: OPERATOR, notice: null }
        : await whoRunsIt(sql, command, options, who);
      if (notice !== null) onProgress(notice);
      const deps = { sql, wallMs, by, hasAccount, secretKeys, onProgress };
      return command.run(deps, argumentsOf(command, positionals), options);
    });
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${lines.join('\n')}\n`);
    return Number(failed);
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Not among the results, which a script reads. */
const onProgress = (line: string) => void process.stderr.write(`${line}\n`);

function readArguments(args: string[]) {
  const strings = Object.fromEntries(OPTIONS.map((name) => [name, { type: 'string' as const }]));
  const flags = Object.fromEntries(FLAGS.map((name) => [name, { type: 'boolean' as const }]));
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' }, ...strings, ...flags },
    });
    const { json, help, ...options } = values;
    return { json, help, options: options as Options, positionals };
  } catch (error) {
    // The first sentence names the option; the rest explains a syntax that no command needs.
    throw new UsageError(`${errorText(error).split('. To specify')[0]}; --help shows what each command takes`);
  }
}

async function withDatabase<Result>(
  { databaseUrl: url, pooler = '' }: Pick<OperatedService, 'databaseUrl' | 'pooler'>,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const sql = connectDatabase({ url, pooler, name: 'antiphon-operator', max: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ETIMEDOUT', 'CONNECT_TIMEOUT', 'ECONNRESET'];

function reasonOf(error: unknown): string {
  const { code } = error as { code?: string };
  if (code === undefined || !UNREACHABLE.includes(code)) return errorText(error);
  return `the database does not answer (${code}): is it running, and is DATABASE_URL its address?`;
}

const SETTINGS = z.object({
  DATABASE_URL: z.string('the address of the database is missing'),
  DATABASE_POOLER: z.enum(['', 'transaction']).default(''),
  SECRETS_KEY: z.string().default(''),
  SECRETS_KMS_COMMAND: z.string().default(''),
  MEDIA_TOKEN_SECRET: z.string().default(''),
});

if (import.meta.main) {
  process.exitCode = await runCommandLine('node control/operator.ts', process.argv.slice(2), () => {
    const settings = readEnv(SETTINGS);
    return {
      ...{ databaseUrl: settings.DATABASE_URL, pooler: settings.DATABASE_POOLER, hasAccount: accountsOf(process.env) },
      secretKeys: () => openSecretKeys(settings),
    };
  });
}
