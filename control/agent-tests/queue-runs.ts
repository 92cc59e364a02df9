import { type AgentConfig, type AgentTool, agentToolSchema } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { type AgentForCall, agentForCall } from '../agents/agent-for-call.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { hasCredits } from '../billing/wallet.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound, outOfCredits } from '../http/errors.ts';
import { type McpListDeps, ownToolsOf } from '../tools/list-mcp-tools.ts';
import { type RunRecord, type RunRow, runRecordOf } from './run-record.ts';
import { countUnfinishedLocked, findRun, insertRun, listRuns } from './run-store.ts';
import { type ScenarioRow, scenarioBody } from './scenario-record.ts';
import { findScenario, listScenarios } from './store.ts';
import type { RunRequest } from './voice-run.ts';

/** Of a workspace: queued and running ones. */
const MAX_UNFINISHED_RUNS = 200;

interface Request {
  workspace_id: string;
  agent_id: string;
  actor: Actor;
}

export interface RunsDeps extends Pick<McpListDeps, 'safeFetch' | 'toolHeaders'> {
  sql: Sql;
  clock: Clock;
}

/** The rules for queueing and reading the runs of scenarios. */
export function createRuns({ sql, clock, ...mcp }: RunsDeps) {
  /** What the agent has from its MCP servers; asked for outside of a transaction. @throws HttpError 409 */
  async function remoteTools({ workspace_id, agent_id }: Request): Promise<AgentTool[]> {
    const agent = await sql.begin((tx) => agentForCall(tx, workspace_id, agent_id));
    return agent && agent.config.mcp_servers.length > 0 ? ownToolsOf(mcp, workspace_id, agent.config) : [];
  }

  /** Queues a run of each scenario, with it and the agent as they are now. */
  async function queue(
    { workspace_id, actor }: Request,
    tx: Transaction,
    agent: AgentForCall,
    scenarios: readonly ScenarioRow[],
    how: RunRequest,
    remote: readonly AgentTool[],
  ): Promise<RunRecord[]> {
    if (!(await hasCredits(tx, workspace_id))) throw outOfCredits();
    if ((await countUnfinishedLocked(tx, workspace_id)) + scenarios.length > MAX_UNFINISHED_RUNS) {
      throw conflict(`at most ${MAX_UNFINISHED_RUNS} test runs wait at once`);
    }
    const records: RunRecord[] = [];
    const at_ms = clock.wall();
    for (const [index, scenario] of scenarios.entries()) {
      // Ids sort by their millisecond: runs queued together keep their order.
      const id = newId(at_ms + index);
      const row = await insertRun(tx, {
        ...{ workspace_id, id, scenario_id: scenario.id, agent_id: agent.id, agent_version: agent.version },
        scenario: scenarioBody.parse(scenario),
        agent: withoutAddresses(agent.config, remote),
        request: how,
        ...{ started_by: actor.name, queued_at: new Date(at_ms) },
      });
      const target = { kind: 'test_run', id, name: scenario.name };
      const data = { agent_id: agent.id, scenario_id: scenario.id, agent_version: agent.version, mode: how.mode };
      await writeAudit(tx, { workspace_id, actor, action: 'test_run.queued', target, data, at_ms });
      records.push(runRecordOf(row));
    }
    return records;
  }

  return {
    async start(request: Request, scenarioId: string, how: RunRequest): Promise<RunRecord> {
      const { workspace_id, agent_id } = request;
      const remote = await remoteTools(request);
      return sql.begin(async (tx) => {
        const scenario = await findScenario(tx, workspace_id, agent_id, scenarioId);
        const agent = scenario && (await agentForCall(tx, workspace_id, agent_id));
        if (!agent) throw notFound('scenario');
        return (await queue(request, tx, agent, [scenario], how, remote))[0]!;
      });
    },

    async startAll(request: Request, how: RunRequest): Promise<RunRecord[]> {
      const { workspace_id, agent_id } = request;
      const remote = await remoteTools(request);
      return sql.begin(async (tx) => {
        const agent = await agentForCall(tx, workspace_id, agent_id);
        if (!agent) throw notFound('agent');
        const scenarios = await listScenarios(tx, workspace_id, agent_id);
        if (scenarios.length === 0) throw conflict('the agent has no test scenario');
        // The oldest scenario runs first.
        return (await queue(request, tx, agent, scenarios.toReversed(), how, remote)).toReversed();
      });
    },

    async find(workspaceId: string, id: string): Promise<RunRecord> {
      const row = await findRun(sql, workspaceId, id);
      if (!row) throw notFound('test run');
      return runRecordOf(row);
    },

    async findRecorded(workspaceId: string, id: string): Promise<RunRow & { recording_unknown: false }> {
      const row = await findRun(sql, workspaceId, id);
      if (!row) throw notFound('test run');
      return { ...row, recorded: row.recorded && row.finished_at !== null, recording_unknown: false };
    },

    async list(workspaceId: string, agentId: string, scenarioId: string): Promise<RunRecord[]> {
      if (!(await findScenario(sql, workspaceId, agentId, scenarioId))) throw notFound('scenario');
      return (await listRuns(sql, workspaceId, scenarioId)).map(runRecordOf);
    },
  };
}

/** No request is sent in a test, so what could hold a secret is not copied. `remote`: what its MCP servers have. */
function withoutAddresses(agent: AgentConfig, remote: readonly AgentTool[]): AgentConfig {
  const all = [...agent.tools, ...remote];
  // A tool that was saved by an earlier version gets the defaults of newer fields.
  const tools = all.map((tool) => agentToolSchema.parse({ ...tool, url: 'https://example.com/', headers: {} }));
  return { ...agent, webhook_url: '', tools, mcp_servers: [] };
}
