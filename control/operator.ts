import { parseArgs } from 'node:util';
import { z } from 'zod';
import { CARRIERS, type Carrier } from '../shared/call.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnv } from '../shared/env.ts';
import { ID_PATTERN } from '../shared/ids.ts';
import { errorText } from '../shared/log.ts';
import { connectDatabase, type Sql } from './db/connect.ts';
import { migrate } from './db/migrate.ts';
import { addNumber, connectNumber } from './numbers/connect-number.ts';
import { createActiveWorkspace, workspaceExists } from './workspaces/create-workspace.ts';
import { createKey } from './workspaces/keys.ts';
import { setModelFallbacks } from './workspaces/model-fallbacks.ts';

/** The command line of the service's team. The functions behind it can be called in-process too. */

const HELP = `The operator's command line of the control plane.

  node control/operator.ts <command>

  workspace create NAME                        an active workspace; shows its first API key, once
  key create WORKSPACE NAME                    another API key; shown once
  workspace models WORKSPACE [PROVIDER/MODEL …]
                                               who answers when an agent's own model fails, in order; none: nobody
  number add NUMBER --workspace ID --provider CARRIER [--agent ID]
                                               enter a number of the account with twilio, plivo, telnyx,
                                               exotel, vonage or asterisk; --agent answers it
  number connect NUMBER --agent ID             let this agent answer the number, and no other

  --json   print one line of JSON, for scripts
  --help   this page

It works on the database of the setting DATABASE_URL.
`;

/** A command that was asked for wrongly, or that cannot be carried out. */
export class OperatorError extends Error {}

export interface OperatorDeps {
  sql: Sql;
  wallMs: number;
}

const OPERATOR = 'operator';

export async function createWorkspace({ sql, wallMs }: OperatorDeps, name: string) {
  const { workspace_id, key } = await createActiveWorkspace(sql, wallMs, checkedName(name, 120), OPERATOR);
  return { workspace_id, api_key: key.key };
}

export async function createApiKey({ sql, wallMs }: OperatorDeps, workspaceId: string, name: string) {
  await checkWorkspace(sql, workspaceId);
  const made = await createKey(sql, wallMs, {
    workspace_id: workspaceId,
    name: checkedName(name, 80),
    created_by: OPERATOR,
  });
  if (!made) throw new OperatorError('the workspace has 50 keys already');
  return { workspace_id: workspaceId, key_id: made.record.id, api_key: made.key };
}

export interface AddedNumber {
  workspace_id: string;
  number: string;
  provider: Carrier;
  agent_id?: string | undefined;
}

export async function addPhoneNumber({ sql, wallMs }: OperatorDeps, added: AddedNumber): Promise<AddedNumber> {
  await checkWorkspace(sql, added.workspace_id);
  const refusal = await addNumber(sql, wallMs, added);
  if (refusal !== null) throw new OperatorError(refusal);
  return added;
}

export async function connectPhoneNumber({ sql, wallMs }: OperatorDeps, number: string, agentId: string) {
  const refusal = await connectNumber(sql, wallMs, number, agentId);
  if (refusal !== null) throw new OperatorError(refusal);
  return { number, agent_id: agentId };
}

export async function setFallbackModels({ sql }: OperatorDeps, workspaceId: string, names: readonly string[]) {
  await checkWorkspace(sql, workspaceId);
  const refusal = await setModelFallbacks(sql, workspaceId, names);
  if (refusal !== null) throw new OperatorError(refusal);
  return { workspace_id: workspaceId, llm_fallbacks: names };
}

async function checkWorkspace(sql: Sql, workspaceId: string): Promise<void> {
  if (!ID_PATTERN.test(workspaceId) || !(await workspaceExists(sql, workspaceId))) {
    throw new OperatorError(`workspace ${workspaceId} not found`);
  }
}

function checkedName(name: string, max: number): string {
  if (name.trim() === '' || name.length > max) throw new OperatorError(`a name has 1 to ${max} characters`);
  return name;
}

interface Command {
  words: string[];
  options: { workspace?: string; provider?: string; agent?: string };
}

/** Carries one command out; the lines are for a person, the result for a script. */
async function run(deps: OperatorDeps, { words, options }: Command): Promise<{ lines: string[]; result: object }> {
  const command = words.slice(0, 2).join(' ');
  const [first, second, ...rest] = words.slice(2);
  const wanted = {
    'workspace create': 1,
    'workspace models': 1,
    'key create': 2,
    'number add': 1,
    'number connect': 1,
  }[command];
  if (wanted === undefined) throw new OperatorError(`there is no command "${command}"; --help lists them`);
  if (command === 'workspace models') {
    const names = words.slice(3);
    const result = await setFallbackModels(deps, needed('WORKSPACE', first), names);
    return { result, lines: [names.length === 0 ? 'no model stands in' : `standing in: ${names.join(', ')}`] };
  }
  if (words.length - 2 !== wanted || rest.length > 0) {
    throw new OperatorError(`"${command}" takes ${wanted} word${wanted === 1 ? '' : 's'}; --help shows which`);
  }
  if (command === 'workspace create') {
    const result = await createWorkspace(deps, first!);
    const lines = [`workspace  ${result.workspace_id}`, `API key    ${result.api_key}`, 'The key is not shown again.'];
    return { result, lines };
  }
  if (command === 'key create') {
    const result = await createApiKey(deps, first!, second!);
    return { result, lines: [`API key    ${result.api_key}`, 'The key is not shown again.'] };
  }
  if (command === 'number add') {
    const provider = needed('provider', options.provider) as Carrier;
    if (!CARRIERS.includes(provider)) throw new OperatorError(`--provider is one of ${CARRIERS.join(', ')}`);
    const workspace_id = needed('workspace', options.workspace);
    const result = await addPhoneNumber(deps, { workspace_id, number: first!, provider, agent_id: options.agent });
    return { result, lines: [`${first} is entered${options.agent ? ' and connected' : ''}`] };
  }
  const result = await connectPhoneNumber(deps, first!, needed('agent', options.agent));
  return { result, lines: [`${first} is answered by agent ${result.agent_id}`] };
}

function needed(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new OperatorError(`--${name} is missing`);
  return value;
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      workspace: { type: 'string' },
      provider: { type: 'string' },
      agent: { type: 'string' },
    },
  });
  if (values.help || positionals.length === 0) {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  const { DATABASE_URL } = readEnv(z.object({ DATABASE_URL: z.string() }));
  const sql = connectDatabase({ url: DATABASE_URL, name: 'antiphon-operator', max: 1 });
  try {
    await migrate(sql);
    const { lines, result } = await run({ sql, wallMs: systemClock.wall() }, { words: positionals, options: values });
    process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : `${lines.join('\n')}\n`);
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
