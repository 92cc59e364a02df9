import { systemClock } from '../../shared/clock.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { openWelcomeWallet } from '../billing/welcome-credits.ts';
import { credentialCachesExpired } from '../http/credential-cache.ts';
import { createActiveWorkspace, newestWorkspaces } from '../workspaces/create-workspace.ts';
import { createKey } from '../workspaces/keys.ts';
import { modelFallbacksOf, setModelFallbacks } from '../workspaces/model-fallbacks.ts';
import { suspendWorkspace, unsuspendWorkspace } from '../workspaces/workspace-state.ts';
import {
  type Command,
  checkedText,
  checkWorkspace,
  day,
  OPERATOR,
  type OperatorDeps,
  OperatorError,
  throwIfRefused,
} from './command.ts';
import { tableOf } from './table.ts';

const MAX_LISTED = 200;

const targetOf = (id: string, name = '') => ({ kind: 'workspace', id, name });

export async function createWorkspace({ sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps, name: string) {
  const checked = checkedText('a name', name, 120);
  const made = await createActiveWorkspace(sql, at_ms, checked, by.name, async (tx, workspace_id) => {
    await openWelcomeWallet(tx, workspace_id, at_ms);
    const target = targetOf(workspace_id, checked);
    await writeAudit(tx, { workspace_id, actor: by, action: 'workspace.created', target, at_ms });
  });
  return { workspace_id: made.workspace_id, api_key: made.key.key };
}

export async function createApiKey(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  name: string,
) {
  await checkWorkspace(sql, workspace_id);
  const wanted = { workspace_id, name: checkedText('a name', name, 80), created_by: by.name };
  return sql.begin(async (tx) => {
    const made = await createKey(tx, at_ms, wanted);
    if (!made) throw new OperatorError('the workspace has 50 keys already');
    const target = { kind: 'api_key', id: made.record.id, name: wanted.name };
    await writeAudit(tx, { workspace_id, actor: by, action: 'key.created', target, at_ms });
    return { workspace_id, key_id: made.record.id, api_key: made.key };
  });
}

export async function setFallbackModels(
  { sql, wallMs, by = OPERATOR }: OperatorDeps,
  workspaceId: string,
  names: readonly string[],
) {
  await checkWorkspace(sql, workspaceId);
  await sql.begin(async (tx) => {
    const before = await modelFallbacksOf(tx, workspaceId);
    const refusal = await setModelFallbacks(tx, workspaceId, names);
    if (refusal !== null) throw new OperatorError(refusal);
    await writeAudit(tx, {
      workspace_id: workspaceId,
      actor: by,
      action: 'workspace.updated',
      target: targetOf(workspaceId),
      changes: { llm_fallbacks: [before, names] },
      at_ms: wallMs,
    });
  });
  return { workspace_id: workspaceId, llm_fallbacks: names };
}

export async function suspend(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  reason: string,
) {
  await checkWorkspace(sql, workspace_id);
  checkedText('a reason', reason, 500);
  const refusal = await sql.begin((tx) => suspendWorkspace(tx, { workspace_id, actor: by, at_ms, reason }));
  if (refusal !== null) throw new OperatorError(refusal);
  await credentialCachesExpired(systemClock);
  return { workspace_id, state: 'suspended' };
}

export async function unsuspend({ sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps, workspace_id: string) {
  await checkWorkspace(sql, workspace_id);
  const result = await sql.begin((tx) => unsuspendWorkspace(tx, { workspace_id, actor: by, at_ms }));
  throwIfRefused(result);
  return { workspace_id, state: result.state };
}

export const WORKSPACE_COMMANDS: Command[] = [
  {
    name: 'workspace list',
    reads: true,
    usage: '',
    description: `list the newest workspaces, ${MAX_LISTED} at most`,
    example: 'workspace list',
    positionals: 0,
    async run({ sql }) {
      const rows = await newestWorkspaces(sql, MAX_LISTED);
      const lines = tableOf(rows, 'no workspaces', {
        workspace: ({ id }) => id,
        state: ({ state }) => state,
        plan: ({ plan_id }) => plan_id,
        made: ({ created_at }) => day(created_at),
        name: ({ name }) => name,
      });
      return { result: rows, lines };
    },
  },
  {
    name: 'workspace create',
    usage: 'NAME',
    description: 'create an active workspace; shows its first API key, once',
    example: "workspace create 'Acme Stores'",
    positionals: 1,
    async run(deps, [name]) {
      const result = await createWorkspace(deps, name!);
      const lines = [
        `workspace  ${result.workspace_id}`,
        `API key    ${result.api_key}`,
        'The key is not shown again.',
      ];
      return { result, lines };
    },
  },
  {
    name: 'workspace models',
    usage: 'WORKSPACE [PROVIDER/MODEL …]',
    description: "set the fallbacks of the agents' language models, in order; none: no fallback",
    example: 'workspace models WORKSPACE groq/llama-3.3-70b-versatile openai/gpt-4.1-mini',
    positionals: [1, 100],
    async run(deps, [workspace, ...names]) {
      const result = await setFallbackModels(deps, workspace!, names);
      return { result, lines: [names.length === 0 ? 'no fallback models' : `fallback models: ${names.join(', ')}`] };
    },
  },
  {
    name: 'workspace suspend',
    usage: 'WORKSPACE REASON',
    description: 'suspend a workspace: its requests are refused as in onboarding, and its queued calls wait',
    example: "workspace suspend WORKSPACE 'calls outside of the permitted hours'",
    positionals: 2,
    async run(deps, [workspace, reason]) {
      return { result: await suspend(deps, workspace!, reason!), lines: ['the workspace is suspended'] };
    },
  },
  {
    name: 'workspace unsuspend',
    usage: 'WORKSPACE',
    description: 'restore the state from before the suspension',
    example: 'workspace unsuspend WORKSPACE',
    positionals: 1,
    async run(deps, [workspace]) {
      const result = await unsuspend(deps, workspace!);
      return { result, lines: [`the workspace is ${result.state}`] };
    },
  },
  {
    name: 'key create',
    usage: 'WORKSPACE NAME',
    description: 'create an API key; shown once',
    example: "key create WORKSPACE 'CI pipeline'",
    positionals: 2,
    async run(deps, [workspace, name]) {
      const result = await createApiKey(deps, workspace!, name!);
      return { result, lines: [`API key    ${result.api_key}`, 'The key is not shown again.'] };
    },
  },
];
