import type { AuditAction } from '../../shared/audit-actions.ts';
import type { Clock } from '../../shared/clock.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound } from '../http/errors.ts';
import { type ToolHeaders, withHeaderLists } from '../tools/seal-tool-headers.ts';
import type { AgentRow, Saved } from './agent-record.ts';
import {
  type CanaryRow,
  changeShare,
  deleteCanary,
  findCanary,
  findCanaryWithSettings,
  insertCanary,
} from './canary-store.ts';
import type { CheckProviders } from './check-providers.ts';
import { withoutMissingReferences } from './references.ts';
import { type AgentSaver, parseStoredConfig } from './save-agent.ts';
import { findAgent, findVersion, lockAgent } from './store.ts';

export interface CanariesDeps {
  sql: Sql;
  clock: Clock;
  saver: AgentSaver;
  checkProviders: CheckProviders;
  toolHeaders: ToolHeaders;
}

interface ByMember {
  workspace_id: string;
  agent_id: string;
  actor: Actor;
}

export type Canaries = ReturnType<typeof createCanaries>;

/** The rules of canaries: a version of an agent that a share of its new calls uses, until it is promoted or dropped. */
export function createCanaries({ sql, clock, saver, checkProviders, toolHeaders }: CanariesDeps) {
  return {
    /** @throws HttpError 404 without one. */
    async read(workspaceId: string, agentId: string): Promise<CanaryRow> {
      const canary = await findCanary(sql, workspaceId, agentId);
      if (!canary) throw notFound((await findAgent(sql, workspaceId, agentId)) ? 'canary' : 'agent');
      return canary;
    },

    /**
     * Gives a version a share of the agent's new calls, or another share where it has one.
     * @throws HttpError 404, 409 for the version in use and beside another canary, 422 for what cannot work any more.
     */
    async put(
      { workspace_id, agent_id, actor }: ByMember,
      asked: Pick<CanaryRow, 'version' | 'percent'>,
    ): Promise<void> {
      const { version, percent } = asked;
      const running = await findCanary(sql, workspace_id, agent_id);
      if (running?.version === version) {
        const changed = await sql.begin((tx) => change(tx, { workspace_id, agent_id, actor }, asked));
        if (changed) return;
      }
      const stored = await findVersion(sql, workspace_id, agent_id, version);
      if (!stored) throw notFound((await findAgent(sql, workspace_id, agent_id)) ? 'version' : 'agent');
      const opened = withHeaderLists(stored.config, (items) => toolHeaders.open(workspace_id, items));
      const checked = await checkProviders(workspace_id, parseStoredConfig(opened, version), agent_id);
      await sql.begin(async (tx) => {
        const agent = await requireAgent(tx, workspace_id, agent_id);
        if (agent.version === version) throw conflict(`version ${version} is in use`);
        if (await change(tx, { workspace_id, agent_id, actor }, asked)) return;
        const whole = await withoutMissingReferences(tx, workspace_id, checked.config);
        const config = withHeaderLists(whole, (items) => toolHeaders.seal(workspace_id, items));
        const started = { version, percent, config, started_at: new Date(clock.wall()), started_by: actor.name };
        await insertCanary(tx, workspace_id, agent_id, started);
        await audit(tx, { workspace_id, actor, agent }, 'agent.canary_started', { version, percent });
      });
    },

    /** Saves the canary's configuration as the agent's new version, for all its calls, and ends the canary. */
    async promote({ workspace_id, agent_id, actor }: ByMember, expectedVersion: number | null): Promise<Saved> {
      const canary = await findCanaryWithSettings(sql, workspace_id, agent_id);
      if (!canary) throw notFound((await findAgent(sql, workspace_id, agent_id)) ? 'canary' : 'agent');
      const { version } = canary;
      const opened = withHeaderLists(canary.config, (items) => toolHeaders.open(workspace_id, items));
      const checked = await checkProviders(workspace_id, parseStoredConfig(opened, version), agent_id);
      const row = await sql.begin(async (tx) => {
        await requireAgent(tx, workspace_id, agent_id);
        const now = await findCanary(tx, workspace_id, agent_id);
        if (now?.version !== version) throw conflict('the canary was changed meanwhile');
        await deleteCanary(tx, workspace_id, agent_id);
        const promoted = {
          workspace_id,
          actor,
          version,
          config: checked.config,
          action: 'agent.canary_promoted',
        } as const;
        return saver.restoreIn(tx, agent_id, promoted, expectedVersion);
      });
      return { row, warnings: checked.warnings };
    },

    /** Ends the canary; all new calls use the version in use. */
    async drop({ workspace_id, agent_id, actor }: ByMember): Promise<void> {
      await sql.begin(async (tx) => {
        const agent = await requireAgent(tx, workspace_id, agent_id);
        const canary = await findCanary(tx, workspace_id, agent_id);
        if (!canary) throw notFound('canary');
        await deleteCanary(tx, workspace_id, agent_id);
        await audit(tx, { workspace_id, actor, agent }, 'agent.canary_dropped', { version: canary.version });
      });
    },
  };

  /** Changes the share of the canary that runs; false when none does. @throws HttpError 409 for a canary of another version. */
  async function change(
    tx: Transaction,
    { workspace_id, agent_id, actor }: ByMember,
    { version, percent }: Pick<CanaryRow, 'version' | 'percent'>,
  ): Promise<boolean> {
    const agent = await requireAgent(tx, workspace_id, agent_id);
    const running = await findCanary(tx, workspace_id, agent_id);
    if (!running) return false;
    if (running.version !== version) throw conflict(`version ${running.version} is the agent's canary`);
    if (running.percent === percent) return true;
    await changeShare(tx, workspace_id, agent_id, percent);
    const changes = { percent: [running.percent, percent] as [number, number] };
    await audit(tx, { workspace_id, actor, agent }, 'agent.canary_changed', { version }, changes);
    return true;
  }

  async function audit(
    tx: Transaction,
    { workspace_id, actor, agent }: { workspace_id: string; actor: Actor; agent: AgentRow },
    action: AuditAction,
    data: Record<string, number>,
    changes: Record<string, [number, number]> = {},
  ): Promise<void> {
    const target = { kind: 'agent', id: agent.id, name: agent.name };
    await writeAudit(tx, { workspace_id, actor, action, target, changes, data, at_ms: clock.wall() });
  }
}

/** Locks the agent, so that its canary is changed by one at a time. */
async function requireAgent(tx: Transaction, workspaceId: string, agentId: string): Promise<AgentRow> {
  const agent = await lockAgent(tx, workspaceId, agentId);
  if (!agent) throw notFound('agent');
  return agent;
}
