import { createAnalyst } from '../analysis/analyst.ts';
import { chargeTest } from '../billing/charge-test.ts';
import { startLeaseWorker } from '../db/lease-worker.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { createTokenMeter, type TokenMeter } from './metered-model.ts';
import { errorOutcome, type PlayDeps, playRun } from './play-run.ts';
import {
  finishRun,
  type LeasedRun,
  leaseRuns,
  lockLease,
  type RunResult,
  releaseRun,
  renewRunLease,
} from './run-store.ts';

/** Writes an entry to the server logs of the workspace. */
export type WriteTestLog = (line: {
  workspace_id: string;
  agent_id: string;
  level: 'info' | 'warning';
  message: string;
  data: Record<string, string>;
}) => void;

export interface RunWorkerDeps extends Omit<PlayDeps, 'analyst'> {
  writeLog: WriteTestLog;
  times?: Partial<RunTimes>;
}

export interface RunTimes {
  interval_ms: number;
  /** A process that does not renew its lease for this long is taken for dead. */
  lease_ms: number;
  timeout_ms: number;
}

const TIMES: RunTimes = { interval_ms: 2_000, lease_ms: 30_000, timeout_ms: 300_000 };
/** Per process. */
const MAX_CONCURRENT_RUNS = 8;
/** Per workspace, over all processes. */
const SLOTS = 2;
/** A run whose process died is begun once more. */
const MAX_TRIES = 2;

/** Starts the worker that carries out test runs. Every process may run one. */
export function startRunWorker(deps: RunWorkerDeps): PollingJob {
  const { sql, clock, log, settings, writeLog } = deps;
  const times = { ...TIMES, ...deps.times };
  const analyst = createAnalyst({ settings, clock, log });

  return startLeaseWorker<LeasedRun>({
    ...{ name: 'agent tests', intervalMs: times.interval_ms, clock, log },
    wakeOn: { sql, topic: 'agent tests' },
    openWork: { sql, query: "select from agent_test_runs where status in ('queued', 'running')" },
    maxConcurrent: MAX_CONCURRENT_RUNS,
    async lease(limit) {
      const limits = { limit, leaseMs: times.lease_ms, slots: SLOTS, maxTries: MAX_TRIES };
      const { jobs, lost } = await leaseRuns(sql, limits, clock.wall());
      for (const run of lost) reportEnd(run, { status: 'error', error: run.error });
      return { jobs, more: false };
    },
    work,
    release: (run) => releaseRun(sql, run),
    // The lease outlasts two failed renewals.
    renewal: {
      everyMs: times.lease_ms / 3,
      renew: (run) => renewRunLease(sql, run, clock.wall() + times.lease_ms),
    },
    graceMs: 0,
    fieldsOf: ({ id }) => ({ run_id: id }),
  });

  async function work(run: LeasedRun, signal: AbortSignal): Promise<boolean> {
    const { workspace_id, id, started_by } = run;
    const meter = createTokenMeter();
    const late = new AbortController();
    const deadline = clock.after(times.timeout_ms, () => late.abort());
    const stop = AbortSignal.any([signal, late.signal]);
    const result = await playRun({ ...deps, analyst }, run, meter, stop).finally(() => deadline.cancel());
    if (signal.aborted) return false;
    if (late.signal.aborted) Object.assign(result, errorOutcome(`${times.timeout_ms / 60_000} minutes passed`));
    const at_ms = clock.wall();
    const written = await sql.begin(async (tx) => {
      if (!(await lockLease(tx, run))) return false;
      const { tokensUsed, speechUsed } = result.status === 'error' ? { tokensUsed: [], speechUsed: [] } : meter;
      const used = { tokensUsed, speechUsed };
      const charged = await chargeTest(tx, { workspace_id, run_id: id, ...used, by_name: started_by, at_ms });
      await finishRun(tx, run, { ...result, usage: usageOf(meter) }, charged, new Date(at_ms));
      return true;
    });
    if (written) reportEnd(run, result);
    return true;
  }

  function reportEnd(
    { workspace_id, agent_id, scenario_id, id }: Pick<LeasedRun, 'workspace_id' | 'agent_id' | 'scenario_id' | 'id'>,
    { status, error }: Pick<RunResult, 'status' | 'error'>,
  ): void {
    const level = status === 'error' ? 'warning' : 'info';
    const message = status === 'error' ? 'agent test could not be run' : 'agent test finished';
    const data = { run_id: id, scenario_id, status, ...(error === '' ? {} : { error }) };
    log[status === 'error' ? 'warn' : 'info']({ workspace_id, agent_id, ...data }, message);
    writeLog({ workspace_id, agent_id, level, message, data });
  }
}

function usageOf({ tokensUsed, calls }: TokenMeter) {
  const sum = (field: 'input_tokens' | 'output_tokens') =>
    Math.ceil(tokensUsed.reduce((total, used) => total + used[field], 0));
  return { llm_input_tokens: sum('input_tokens'), llm_output_tokens: sum('output_tokens'), llm_calls: calls };
}
