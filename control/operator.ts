import { parseArgs } from 'node:util';
import { z } from 'zod';
import { systemClock } from '../shared/clock.ts';
import { readEnv } from '../shared/env.ts';
import { errorText } from '../shared/log.ts';
import { connectDatabase } from './db/connect.ts';
import { migrate } from './db/migrate.ts';
import { APP_COMMANDS } from './operators/apps.ts';
import { CAPTURE_COMMANDS } from './operators/captures.ts';
import { type Command, OPTIONS, type OperatorDeps, OperatorError, type Options } from './operators/command.ts';
import { CREDIT_COMMANDS } from './operators/credits.ts';
import { GUARDRAIL_COMMANDS } from './operators/guardrails.ts';
import { NUMBER_COMMANDS } from './operators/numbers.ts';
import { OWNER_COMMANDS } from './operators/owners.ts';
import { PRICE_COMMANDS } from './operators/prices.ts';
import { REQUEST_COMMANDS } from './operators/requests.ts';
import { WORKSPACE_COMMANDS } from './operators/workspaces.ts';

/** The operator's command line. `runCommand` can be called in-process too. */

const COMMANDS: readonly Command[] = [
  ...WORKSPACE_COMMANDS,
  ...OWNER_COMMANDS,
  ...NUMBER_COMMANDS,
  ...REQUEST_COMMANDS,
  ...GUARDRAIL_COMMANDS,
  ...PRICE_COMMANDS,
  ...CREDIT_COMMANDS,
  ...APP_COMMANDS,
  ...CAPTURE_COMMANDS,
];
const BY_NAME = new Map(COMMANDS.map((command) => [command.name, command]));

const HELP_WIDTH = 120;

/** Lists every command with its description below it. */
export function helpText(): string {
  const commands = COMMANDS.map(({ name, usage: takes, description: about }) => {
    const usage = wrapText(`${name} ${takes}`.trim(), '  ', '      ');
    return `${usage}\n${wrapText(about, '          ', '          ')}`;
  });
  return `The operator's command line of the control plane. Every change is written to the audit trail.

  node control/operator.ts <command>

${commands.join('\n')}

  --json   print one line of JSON, for scripts
  --help   this page

Amounts are in the smallest unit of money. It works on the database of DATABASE_URL.
`;
}

function wrapText(text: string, first: string, next: string): string {
  const lines: string[] = [];
  let line = first;
  for (const word of text.split(' ')) {
    if (line.trim() !== '' && line.length + word.length >= HELP_WIDTH) {
      lines.push(line.trimEnd());
      line = next;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join('\n');
}

/** Runs one command. @returns lines for a person, and a result for a script. */
export async function runCommand(deps: OperatorDeps, positionals: readonly string[], options: Options = {}) {
  const name = positionals.slice(0, 2).join(' ');
  const args = positionals.slice(2);
  const command = BY_NAME.get(name);
  if (!command) throw new OperatorError(`unknown command "${name}"; --help lists all`);
  const [min, max] =
    typeof command.positionals === 'number' ? [command.positionals, command.positionals] : command.positionals;
  if (args.length < min || args.length > max) {
    const count = min === max ? `${min}` : `${min} to ${max}`;
    throw new OperatorError(`"${name}" takes ${count} argument${count === '1' ? '' : 's'}; --help shows which`);
  }
  const unknown = Object.keys(options).find((option) => !command.options?.includes(option as never));
  if (unknown !== undefined) throw new OperatorError(`"${name}" takes no --${unknown}; --help shows which`);
  return command.run(deps, args, options);
}

async function main(args: string[]): Promise<number> {
  const strings = Object.fromEntries(OPTIONS.map((name) => [name, { type: 'string' as const }]));
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' }, ...strings },
  });
  const { json, help, ...options } = values;
  if (help || positionals.length === 0) {
    process.stdout.write(helpText());
    return help ? 0 : 2;
  }
  const { DATABASE_URL } = readEnv(z.object({ DATABASE_URL: z.string() }));
  const sql = connectDatabase({ url: DATABASE_URL, name: 'antiphon-operator', max: 1 });
  try {
    await migrate(sql);
    const { lines, result } = await runCommand({ sql, wallMs: systemClock.wall() }, positionals, options as Options);
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${lines.join('\n')}\n`);
    return 0;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

if (import.meta.main) {
  main(process.argv.slice(2)).then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`${errorText(error)}\n`);
      process.exitCode = 1;
    },
  );
}
