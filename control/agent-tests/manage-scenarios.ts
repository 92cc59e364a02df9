import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { agentForCall } from '../agents/agent-for-call.ts';
import { type Changes, changesBetween } from '../audit/changes.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound } from '../http/errors.ts';
import { recordOf, type ScenarioInput, type ScenarioRecord } from './scenario-record.ts';
import {
  countScenariosLocked,
  deleteScenario,
  findScenario,
  insertScenario,
  listScenarios,
  lockScenario,
  updateScenario,
} from './store.ts';

export const MAX_SCENARIOS = 50;
const KIND = 'test_scenario';

interface Change {
  workspace_id: string;
  agent_id: string;
  actor: Actor;
}

/** The rules for making, changing and removing the scenarios of an agent. */
export function createScenarios({ sql, clock }: { sql: Sql; clock: Clock }) {
  async function find(workspaceId: string, agentId: string, id: string): Promise<ScenarioRecord> {
    const row = await findScenario(sql, workspaceId, agentId, id);
    if (!row) throw notFound('scenario');
    return recordOf(row);
  }

  return {
    find,

    async list(workspaceId: string, agentId: string): Promise<ScenarioRecord[]> {
      const rows = await listScenarios(sql, workspaceId, agentId);
      if (rows.length === 0 && !(await sql.begin((tx) => agentForCall(tx, workspaceId, agentId)))) {
        throw notFound('agent');
      }
      return rows.map(recordOf);
    },

    async create({ workspace_id, agent_id, actor }: Change, scenario: ScenarioInput): Promise<ScenarioRecord> {
      const at_ms = clock.wall();
      const id = newId(at_ms);
      await sql.begin(async (tx) => {
        const count = await countScenariosLocked(tx, workspace_id, agent_id);
        if (!(await agentForCall(tx, workspace_id, agent_id))) throw notFound('agent');
        if (count >= MAX_SCENARIOS) throw conflict(`scenario limit reached (${MAX_SCENARIOS})`);
        const made = { workspace_id, agent_id, id, created_by: actor.name, at: new Date(at_ms) };
        await insertScenario(tx, { ...scenario, ...made });
        const target = { kind: KIND, id, name: scenario.name };
        const data = { agent_id };
        await writeAudit(tx, { workspace_id, actor, action: 'test_scenario.created', target, data, at_ms });
      });
      return find(workspace_id, agent_id, id);
    },

    /** Replaces the whole scenario; runs keep it as it was. */
    async update(
      { workspace_id, agent_id, actor }: Change,
      id: string,
      scenario: ScenarioInput,
    ): Promise<ScenarioRecord> {
      await sql.begin(async (tx) => {
        const before = await lockScenario(tx, workspace_id, agent_id, id);
        if (!before) throw notFound('scenario');
        const at_ms = clock.wall();
        await updateScenario(tx, workspace_id, id, scenario, new Date(at_ms));
        const target = { kind: KIND, id, name: scenario.name };
        const changes = changesOf(before, scenario);
        const data = { agent_id };
        await writeAudit(tx, { workspace_id, actor, action: 'test_scenario.updated', target, changes, data, at_ms });
      });
      return find(workspace_id, agent_id, id);
    },

    async remove({ workspace_id, agent_id, actor }: Change, id: string): Promise<void> {
      await sql.begin(async (tx) => {
        const before = await lockScenario(tx, workspace_id, agent_id, id);
        if (!before) throw notFound('scenario');
        await deleteScenario(tx, workspace_id, id);
        const target = { kind: KIND, id, name: before.name };
        const data = { agent_id };
        await writeAudit(tx, {
          ...{ workspace_id, actor, action: 'test_scenario.deleted', target, data },
          at_ms: clock.wall(),
        });
      });
    },
  };
}

/** What was written for the caller and the judge is a prompt: that it changed is stored, not its text. */
function changesOf(before: ScenarioInput, after: ScenarioInput): Changes {
  const shown = ({ name, max_turns, language }: ScenarioInput) => ({ name, max_turns, language });
  const hidden = ['persona', 'first_message', 'user_data', 'criteria', 'tool_results'] as const;
  const changed = hidden.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return {
    ...changesBetween(shown(before), shown(after)),
    ...Object.fromEntries(changed.map((field): [string, [unknown, unknown]] => [field, ['changed', 'changed']])),
  };
}
