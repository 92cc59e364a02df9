import { parseArgs } from 'node:util';
import { createClient } from '../client.ts';
import { AntiphonApiError, AntiphonConnectionError, AntiphonTimeoutError } from '../errors.ts';
import { COMMANDS, type Command, type Run, UsageError } from './commands.ts';

export interface CliProcess {
  env: Readonly<Record<string, string | undefined>>;
  print(text: string): void;
  printError(text: string): void;
  /** Ends what runs until it is ended. */
  signal: AbortSignal;
}

const FLAGS = { json: 'print JSON', help: 'print this' };
const SETTINGS =
  'ANTIPHON_API_KEY is the key of your workspace, ANTIPHON_URL the address of the service (http://127.0.0.1:7080).';

/** Runs one command. @returns the exit code: 0, 1 for an error of the service or the network, 2 for a command that is none. */
export async function runCli(
  words: readonly string[],
  { env, print, printError, signal }: CliProcess,
): Promise<number> {
  const found = commandOf(words);
  if (!found) {
    const asked = words.length === 0 || words.includes('--help');
    (asked ? print : printError)(asked ? overview() : `no such command: ${words.join(' ')}\n\n${overview()}`);
    return asked ? 0 : 2;
  }
  const { name, command } = found;
  try {
    const { values: flags, positionals: args } = argumentsOf(name, command, words);
    if (flags.help) {
      print(helpOf(name, command));
      return 0;
    }
    if (!isComplete(command, args)) throw new UsageError(`antiphon ${name} takes ${command.takes || 'nothing more'}`);
    const { ANTIPHON_API_KEY: key = '', ANTIPHON_URL: url = 'http://127.0.0.1:7080' } = env;
    if (key === '') throw new UsageError(SETTINGS);
    const result = await command.run({ client: createClient({ url, key }), url, args, flags, print, signal });
    if (result) print(flags.json ? JSON.stringify(result.json, null, 2) : result.text);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      printError(error.message);
      return 2;
    }
    if (signal.aborted) return 0;
    const isExpected = [AntiphonApiError, AntiphonConnectionError, AntiphonTimeoutError].some(
      (kind) => error instanceof kind,
    );
    if (!isExpected) throw error;
    const request = error instanceof AntiphonApiError && error.requestId !== '' ? ` (request ${error.requestId})` : '';
    printError(`${(error as Error).message}${request}`);
    return 1;
  }
}

/** The longest name that the words begin with. */
function commandOf(words: readonly string[]): { name: string; command: Command } | null {
  const named = words.slice(0, 2).join(' ');
  const name = [named, words[0] ?? ''].find((each) => Object.hasOwn(COMMANDS, each));
  return name === undefined ? null : { name, command: COMMANDS[name]! };
}

function argumentsOf(
  name: string,
  { flags = {} }: Command,
  words: readonly string[],
): { values: Run['flags']; positionals: string[] } {
  const own = Object.entries(flags).map(([flag, { takes }]) => [
    flag,
    takes === 'switch' ? { type: 'boolean' as const } : { type: 'string' as const, multiple: takes === 'list' },
  ]);
  const options = { ...Object.fromEntries(own), json: { type: 'boolean' }, help: { type: 'boolean' } };
  try {
    return parseArgs({ args: words.slice(name.split(' ').length), options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function isComplete({ takes }: Command, args: readonly string[]): boolean {
  const all = takes === '' ? [] : takes.split(' ');
  const needed = all.filter((each) => each.startsWith('<'));
  return args.length >= needed.length && args.length <= all.length;
}

function helpOf(name: string, { takes, help, flags = {}, example }: Command): string {
  const own = Object.entries(flags).map(([flag, { help }]) => [flag, help] as const);
  const lines = [...own, ...Object.entries(FLAGS)].map(([flag, text]) => `  --${flag.padEnd(10)} ${text}`);
  return [`antiphon ${name} ${takes}`.trimEnd(), '', help, '', ...lines, '', `Example: ${example}`, '', SETTINGS].join(
    '\n',
  );
}

function overview(): string {
  const commands = Object.entries(COMMANDS).map(
    ([name, { takes, help }]) => [`${name} ${takes}`.trimEnd(), help] as const,
  );
  const width = Math.max(...commands.map(([usage]) => usage.length));
  return [
    'antiphon <command>',
    '',
    ...commands.map(([usage, help]) => `  ${usage.padEnd(width)}  ${help}`),
    '',
    'antiphon <command> --help has the flags and an example.',
    SETTINGS,
  ].join('\n');
}
