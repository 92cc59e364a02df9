import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import { conflict, notFound } from '../http/errors.ts';
import { configOf } from './agent-for-call.ts';
import { changedFields } from './changes.ts';
import { keepHeaderValues } from './header-values.ts';
import type { AgentRow } from './record.ts';
import { keepAmbientSound, keepKnowledge } from './references.ts';
import {
  type AgentSave,
  countAgentsLocked,
  deleteAgent,
  findAgent,
  insertAgent,
  keepVersion,
  lockAgent,
  lockForDeletion,
  updateAgent,
} from './store.ts';

const MAX_AGENTS = 200;

/** Ends what still waits for the agent: its queued calls fail with `agent deleted`. Runs before the agent is gone. */
export type OnAgentDeleted = (tx: Transaction, workspaceId: string, agentId: string) => Promise<void>;

export interface SaveAgentDeps {
  sql: Sql;
  clock: Clock;
  onAgentDeleted: OnAgentDeleted;
}

export interface Change {
  workspace_id: string;
  /** Shown as `updated_by`. */
  by: string;
  config: AgentConfig;
}

/** The rules for making, changing and removing an agent. */
export function createAgentSaver({ sql, clock, onAgentDeleted }: SaveAgentDeps) {
  return {
    async create({ workspace_id, by, config: sent }: Change): Promise<AgentRow> {
      const config = { ...sent, tools: keepHeaderValues(sent.tools, []) };
      return sql.begin(async (tx) => {
        await keepKnowledge(tx, workspace_id, config);
        await keepAmbientSound(tx, workspace_id, config);
        if ((await countAgentsLocked(tx, workspace_id)) >= MAX_AGENTS) {
          throw conflict(`agent limit reached (${MAX_AGENTS})`);
        }
        const save = newSave(workspace_id, newId(clock.wall()), 1, by);
        await insertAgent(tx, config, save);
        await keepVersion(tx, config, save, []);
        return (await findAgent(tx, workspace_id, save.id))!;
      });
    },

    /** Saves the whole configuration as a new version; nothing happens when nothing changed. */
    async update(agentId: string, { workspace_id, by, config: sent }: Change, expectedVersion: number | null) {
      return sql.begin(async (tx): Promise<AgentRow> => {
        await keepKnowledge(tx, workspace_id, sent);
        await keepAmbientSound(tx, workspace_id, sent);
        const row = await lockAgent(tx, workspace_id, agentId);
        if (!row) throw notFound('agent');
        const config = { ...sent, tools: keepHeaderValues(sent.tools, row.tools) };
        if (expectedVersion !== null && expectedVersion !== row.version) {
          throw conflict(`the agent was changed to version ${row.version}`);
        }
        const before = configOf(row);
        // The status of a frozen agent cannot be set.
        if (row.status === 'frozen') config.status = before.status;
        const changes = changedFields(before, config);
        if (changes.length === 0) return row;
        const save = newSave(workspace_id, agentId, row.version + 1, by);
        await updateAgent(tx, config, save);
        await keepVersion(tx, config, save, changes);
        return (await findAgent(tx, workspace_id, agentId))!;
      });
    },

    async remove(workspaceId: string, agentId: string): Promise<void> {
      await sql.begin(async (tx) => {
        if (!(await lockForDeletion(tx, workspaceId, agentId))) throw notFound('agent');
        await onAgentDeleted(tx, workspaceId, agentId);
        await deleteAgent(tx, workspaceId, agentId);
      });
    },
  };

  function newSave(workspace_id: string, id: string, version: number, updated_by: string): AgentSave {
    return { workspace_id, id, version, updated_by, updated_at: new Date(clock.wall()) };
  }
}
