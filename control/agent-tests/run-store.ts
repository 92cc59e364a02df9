import type { AgentConfig } from '../../shared/agent.ts';
import { newId } from '../../shared/ids.ts';
import { type AnySql, type Sql, type Transaction, wakeAfterCommit } from '../db/connect.ts';
import type { RunRow, RunUsage } from './run-record.ts';
import type { RunStatus, ScenarioInput } from './scenario-record.ts';
import type { RunRequest, VoiceFigures } from './voice-run.ts';

/** The SQL of test runs. A waiting run is a row; the process that carries it out holds its lease. */

/** Any number that no other lock has: leasing takes turns, so that a workspace's slots hold over all processes. */
const LEASING_LOCK = 7_080_032;
const RUNS_SHOWN = 50;

const columns = (sql: AnySql) => sql`
  workspace_id, id, scenario_id, agent_id, agent_version, scenario, agent, mode, voice_request, voice, recorded, status,
  transcript, criteria, error, usage, cost_paise, currency, started_by, queued_at, started_at, finished_at`;

export async function insertRun(
  tx: Transaction,
  run: Pick<
    RunRow,
    'workspace_id' | 'id' | 'scenario_id' | 'agent_id' | 'agent_version' | 'started_by' | 'queued_at'
  > & {
    scenario: ScenarioInput;
    agent: AgentConfig;
    request: RunRequest;
  },
): Promise<RunRow> {
  const { workspace_id, id, scenario_id, agent_id, agent_version, scenario, agent, started_by, queued_at } = run;
  const { mode, ...how } = run.request;
  const usage: RunUsage = { llm_input_tokens: 0, llm_output_tokens: 0, llm_calls: 0 };
  const [row] = await tx<RunRow[]>`
    insert into agent_test_runs (
      workspace_id, id, scenario_id, agent_id, agent_version, scenario, agent, status, transcript, criteria, error, usage,
      cost_paise, currency, started_by, queued_at, lease_id, tries, mode, voice_request
    )
    select ${workspace_id}, ${id}, ${scenario_id}, ${agent_id}, ${agent_version}, ${json(tx, scenario)}, ${json(tx, agent)},
      'queued', '[]', '[]', '', ${json(tx, usage)}, 0, currency, ${started_by}, ${queued_at}, '', 0,
      ${mode}, ${mode === 'voice' ? json(tx, how) : null}
    from workspaces where id = ${workspace_id}
    returning ${columns(tx)}`;
  wakeAfterCommit(tx, 'agent tests', workspace_id);
  return row!;
}

/** Locks the workspace, so that runs queued at once cannot pass the limit together. */
export async function countUnfinishedLocked(tx: Transaction, workspaceId: string): Promise<number> {
  await tx`select id from workspaces where id = ${workspaceId} for no key update`;
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from agent_test_runs
    where workspace_id = ${workspaceId} and status in ('queued', 'running')`;
  return row!.count;
}

export async function findRun(sql: AnySql, workspaceId: string, id: string): Promise<RunRow | null> {
  const [row] = await sql<RunRow[]>`
    select ${columns(sql)} from agent_test_runs where workspace_id = ${workspaceId} and id = ${id}`;
  return row ?? null;
}

/** The last 50, newest first. */
export async function listRuns(sql: AnySql, workspaceId: string, scenarioId: string): Promise<RunRow[]> {
  return sql<RunRow[]>`
    select ${columns(sql)} from agent_test_runs
    where workspace_id = ${workspaceId} and scenario_id = ${scenarioId} order by id desc limit ${RUNS_SHOWN}`;
}

/** A run that this process carries out. */
export type LeasedRun = RunRow & { agent: AgentConfig; lease_id: string; tries: number; started_at: Date };

export interface LeaseLimits {
  limit: number;
  leaseMs: number;
  /** At once for a workspace. */
  slots: number;
  /** A run whose process died so often is given up. */
  maxTries: number;
}

/**
 * Leases free runs, each workspace's oldest first: queued ones, and those whose process died, which begin anew. `lost` are those
 * that were given up.
 */
export async function leaseRuns(
  sql: Sql,
  { limit, leaseMs, slots, maxTries }: LeaseLimits,
  nowMs: number,
): Promise<{ jobs: LeasedRun[]; lost: RunRow[] }> {
  const now = new Date(nowMs);
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LEASING_LOCK})`;
    const lost = await tx<RunRow[]>`
      update agent_test_runs set
        status = 'error', error = 'service restarted', finished_at = ${now}, agent = null, recorded = mode = 'voice'
      where status = 'running' and leased_until <= ${now} and tries >= ${maxTries}
      returning ${columns(tx)}`;
    const jobs = await tx<LeasedRun[]>`
      with busy as (
        select workspace_id, count(*) as runs from agent_test_runs
        where status = 'running' and leased_until > ${now} group by workspace_id
      ), free as (
        select workspace_id, id, coalesce(busy.runs, 0) + row_number() over (partition by workspace_id order by id) as slot
        from agent_test_runs left join busy using (workspace_id)
        where status = 'queued' or (status = 'running' and leased_until <= ${now})
      ), taken as (
        select workspace_id, id from free where slot <= ${slots} order by slot, id limit ${limit}
      )
      update agent_test_runs set
        status = 'running', started_at = ${now}, leased_until = ${new Date(nowMs + leaseMs)},
        lease_id = ${newId(nowMs)} || agent_test_runs.id, tries = tries + 1
      where (workspace_id, id) in (select workspace_id, id from taken)
      returning ${columns(tx)}, lease_id, tries`;
    return { jobs, lost };
  });
}

type Lease = Pick<LeasedRun, 'workspace_id' | 'id' | 'lease_id'>;

/** False when the lease is lost. */
export async function renewRunLease(
  sql: AnySql,
  { workspace_id, id, lease_id }: Lease,
  untilMs: number,
): Promise<boolean> {
  const rows = await sql`
    update agent_test_runs set leased_until = ${new Date(untilMs)}
    where workspace_id = ${workspace_id} and id = ${id} and lease_id = ${lease_id} and status = 'running' returning 1`;
  return rows.length > 0;
}

/** Queues an unfinished run again for another process; it does not count as begun. */
export async function releaseRun(sql: AnySql, { workspace_id, id, lease_id }: Lease): Promise<void> {
  await sql`
    update agent_test_runs set
      status = 'queued', started_at = null, leased_until = null, lease_id = '', tries = tries - 1
    where workspace_id = ${workspace_id} and id = ${id} and lease_id = ${lease_id} and status = 'running'`;
  wakeAfterCommit(sql, 'agent tests', '');
}

/** Locks the run for its result; false when the lease is lost: nothing may be written. */
export async function lockLease(tx: Transaction, { workspace_id, id, lease_id }: Lease): Promise<boolean> {
  const rows = await tx`
    select 1 from agent_test_runs
    where workspace_id = ${workspace_id} and id = ${id} and lease_id = ${lease_id} and status = 'running' for update`;
  return rows.length > 0;
}

export interface RunResult {
  status: Extract<RunStatus, 'passed' | 'failed' | 'error'>;
  transcript: unknown;
  criteria: unknown;
  error: string;
  usage: RunUsage;
  voice: VoiceFigures | null;
  recorded: boolean;
}

export async function finishRun(
  tx: Transaction,
  { workspace_id, id }: Lease,
  { status, transcript, criteria, error, usage, voice, recorded }: RunResult,
  charged: { cost_paise: number; currency: string },
  at: Date,
): Promise<void> {
  await tx`
    update agent_test_runs set
      status = ${status}, transcript = ${json(tx, transcript)}, criteria = ${json(tx, criteria)}, error = ${error},
      usage = ${json(tx, usage)}, voice = ${voice && json(tx, voice)}, recorded = ${recorded}, cost_paise = ${charged.cost_paise}::bigint, currency = ${charged.currency},
      finished_at = ${at}, leased_until = null, agent = null
    where workspace_id = ${workspace_id} and id = ${id}`;
  wakeAfterCommit(tx, 'agent tests', workspace_id);
}

/** The run of this call, which has its id; null unless it is being carried out. */
export async function findRunningTest(
  sql: AnySql,
  callId: string,
): Promise<{ workspace_id: string; agent: AgentConfig } | null> {
  const [row] = await sql<{ workspace_id: string; agent: AgentConfig }[]>`
    select workspace_id, agent from agent_test_runs where id = ${callId} and status = 'running'`;
  return row ?? null;
}

export async function expiredRecordings(
  sql: AnySql,
  before: Date,
  limit: number,
): Promise<Pick<RunRow, 'workspace_id' | 'id'>[]> {
  return sql<Pick<RunRow, 'workspace_id' | 'id'>[]>`
    select workspace_id, id from agent_test_runs where recorded and finished_at < ${before}
    order by finished_at limit ${limit}`;
}

export async function forgetRecording(sql: AnySql, workspaceId: string, id: string): Promise<void> {
  await sql`update agent_test_runs set recorded = false where workspace_id = ${workspaceId} and id = ${id}`;
}

// The driver's type of JSON knows no optional fields.
const json = (tx: Transaction, value: unknown) => tx.json(value as never);
