import type { AnySql, Transaction } from '../db/connect.ts';
import type { ScenarioInput, ScenarioRow } from './scenario-record.ts';

/** The SQL of scenarios. */

const columns = (sql: AnySql) => sql`
  s.id, s.agent_id, s.name, s.persona, s.first_message, s.user_data, s.criteria, s.max_turns, s.language, s.tool_results,
  s.created_by, s.created_at, s.updated_at,
  r.id as last_run_id, r.status as last_run_status, r.finished_at as last_run_finished_at`;

const withLastRun = (sql: AnySql) => sql`
  agent_test_scenarios s left join lateral (
    select id, status, finished_at from agent_test_runs
    where workspace_id = s.workspace_id and scenario_id = s.id order by id desc limit 1
  ) r on true`;

/** Newest first: ids sort by creation. */
export async function listScenarios(sql: AnySql, workspaceId: string, agentId: string): Promise<ScenarioRow[]> {
  return sql<ScenarioRow[]>`
    select ${columns(sql)} from ${withLastRun(sql)}
    where s.workspace_id = ${workspaceId} and s.agent_id = ${agentId} order by s.id desc`;
}

export async function findScenario(
  sql: AnySql,
  workspaceId: string,
  agentId: string,
  id: string,
): Promise<ScenarioRow | null> {
  const [row] = await sql<ScenarioRow[]>`
    select ${columns(sql)} from ${withLastRun(sql)}
    where s.workspace_id = ${workspaceId} and s.agent_id = ${agentId} and s.id = ${id}`;
  return row ?? null;
}

/** Locks the scenario for a change; null when there is none. */
export async function lockScenario(
  tx: Transaction,
  workspaceId: string,
  agentId: string,
  id: string,
): Promise<ScenarioRow | null> {
  const rows = await tx`
    select id from agent_test_scenarios
    where workspace_id = ${workspaceId} and agent_id = ${agentId} and id = ${id} for update`;
  return rows.length === 0 ? null : findScenario(tx, workspaceId, agentId, id);
}

/** Locks the workspace, so that two scenarios made at once cannot both be the last allowed one. */
export async function countScenariosLocked(tx: Transaction, workspaceId: string, agentId: string): Promise<number> {
  await tx`select id from workspaces where id = ${workspaceId} for no key update`;
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from agent_test_scenarios
    where workspace_id = ${workspaceId} and agent_id = ${agentId}`;
  return row!.count;
}

export async function insertScenario(
  tx: Transaction,
  scenario: ScenarioInput & { workspace_id: string; agent_id: string; id: string; created_by: string; at: Date },
): Promise<void> {
  const { workspace_id, agent_id, id, name, persona, first_message, criteria, max_turns, language, at } = scenario;
  await tx`
    insert into agent_test_scenarios (
      workspace_id, id, agent_id, name, persona, first_message, user_data, criteria, max_turns, language, tool_results,
      created_by, created_at, updated_at
    ) values (
      ${workspace_id}, ${id}, ${agent_id}, ${name}, ${persona}, ${first_message}, ${tx.json(scenario.user_data)},
      ${criteria}, ${max_turns}, ${language}, ${tx.json(scenario.tool_results)}, ${scenario.created_by}, ${at}, ${at}
    )`;
}

export async function updateScenario(
  tx: Transaction,
  workspaceId: string,
  id: string,
  scenario: ScenarioInput,
  at: Date,
): Promise<void> {
  await tx`
    update agent_test_scenarios set
      name = ${scenario.name}, persona = ${scenario.persona}, first_message = ${scenario.first_message},
      user_data = ${tx.json(scenario.user_data)}, criteria = ${scenario.criteria}, max_turns = ${scenario.max_turns},
      language = ${scenario.language}, tool_results = ${tx.json(scenario.tool_results)}, updated_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id}`;
}

export async function deleteScenario(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await tx`delete from agent_test_scenarios where workspace_id = ${workspaceId} and id = ${id}`;
}
