import type { Clock } from '../../shared/clock.ts';
import { createFallbackModel } from '../../shared/llm/fallback-model.ts';
import { type LanguageModel, LanguageModelError } from '../../shared/llm/language-model.ts';
import { createLanguageModel } from '../../shared/llm/models.ts';
import type { Logger } from '../../shared/log.ts';
import { type LanguageModelSettings, missingSetting } from '../../shared/providers/settings.ts';
import { createKnowledge, type Knowledge } from '../../shared/reply/knowledge.ts';
import { type Analyst, createAnalyst, type ModelChoice } from '../analysis/analyst.ts';
import { storableValue } from '../analysis/model-json.ts';
import { chargeTest } from '../billing/charge-test.ts';
import { hasCredits } from '../billing/wallet.ts';
import { modelChoicesOf } from '../calls/after-call/after-call-worker.ts';
import type { Sql } from '../db/connect.ts';
import { startLeaseWorker } from '../db/lease-worker.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { knowledgeForCall } from '../knowledge/knowledge-lookups.ts';
import type { SearchKnowledge } from '../knowledge/search.ts';
import { converse } from './conversation.ts';
import { judge, type Verdict } from './judge.ts';
import { createTokenMeter, type TokenMeter } from './metered-model.ts';
import {
  finishRun,
  type LeasedRun,
  leaseRuns,
  lockLease,
  type RunResult,
  releaseRun,
  renewRunLease,
  TEST_RUN_CHANNEL,
} from './run-store.ts';
import type { TestItem } from './test-transcript.ts';

/** Writes an entry to the server logs of the workspace. */
export type WriteTestLog = (line: {
  workspace_id: string;
  agent_id: string;
  level: 'info' | 'warning';
  message: string;
  data: Record<string, string>;
}) => void;

export interface RunWorkerDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  settings: LanguageModelSettings;
  /** Plays the caller and judges; null for the agent's own model. */
  testModel: ModelChoice | null;
  searchKnowledge: SearchKnowledge;
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
/** Nobody waits on the line: longer than in a call, so that a slow search changes no result. */
const KNOWLEDGE_DEADLINE_MS = 2_000;

/** Starts the worker that carries out test runs. Every process may run one. */
export function startRunWorker(deps: RunWorkerDeps): PollingJob {
  const { sql, clock, log, settings, writeLog } = deps;
  const times = { ...TIMES, ...deps.times };
  const analyst = createAnalyst({ settings, clock, log });

  return startLeaseWorker<LeasedRun>({
    ...{ name: 'agent tests', intervalMs: times.interval_ms, clock, log },
    wakeOn: { sql, channel: TEST_RUN_CHANNEL },
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
    const result = await carryOut(deps, analyst, run, meter, AbortSignal.any([signal, late.signal])).finally(() =>
      deadline.cancel(),
    );
    if (signal.aborted) return false;
    if (late.signal.aborted) Object.assign(result, errorResult(`${times.timeout_ms / 60_000} minutes passed`));
    const at_ms = clock.wall();
    const written = await sql.begin(async (tx) => {
      if (!(await lockLease(tx, run))) return false;
      const tokensUsed = result.status === 'error' ? [] : meter.tokensUsed;
      const charged = await chargeTest(tx, { workspace_id, run_id: id, tokensUsed, by_name: started_by, at_ms });
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

type Outcome = Omit<RunResult, 'usage'>;

const errorResult = (error: string) => ({ status: 'error' as const, criteria: [], error });

/** Plays the conversation and judges it. Rejects only when the database fails. */
async function carryOut(
  deps: RunWorkerDeps,
  analyst: Analyst,
  run: LeasedRun,
  meter: TokenMeter,
  signal: AbortSignal,
): Promise<Outcome> {
  const { sql, clock, log, settings, testModel } = deps;
  const { workspace_id, agent, scenario } = run;
  const transcript: TestItem[] = [];
  const failed = (error: string): Outcome => ({ ...errorResult(error), transcript: storableValue(transcript) });

  if (!(await hasCredits(sql, workspace_id))) return failed('out of credits');
  const own = await modelChoicesOf({ sql }, workspace_id, agent.llm);
  const test = testModel ? [testModel] : own;
  const model = modelOf(own);
  const callerModel = modelOf(test);
  if (!model || !callerModel) return failed('provider failed: no language model is set up');
  const knowledge = await knowledgeOf(deps, run);
  try {
    const started_at_ms = clock.wall();
    const ending = await converse({
      ...{ agent, scenario, knowledge, model, callerModel, clock, log, signal },
      onItem: (item) => transcript.push(item),
    });
    const judging = analyst.open(test);
    const conversation = { transcript, ending, started_at_ms, timezone: agent.call.timezone };
    const judgement = await judge(judging, scenario.criteria, conversation, signal);
    meter.add(judging.tokensUsed(), judgement.calls);
    if ('failed' in judgement) return failed(`provider failed: the judge did not answer (${judgement.failed})`);
    const status = judgement.verdicts.every(({ passed }: Verdict) => passed) ? 'passed' : 'failed';
    return { status, transcript: storableValue(transcript), criteria: storableValue(judgement.verdicts), error: '' };
  } catch (error) {
    if (signal.aborted) return failed('aborted');
    if (error instanceof LanguageModelError) return failed(`provider failed: ${error.kind}`);
    throw error;
  }

  /** Null when none of them is set up. */
  function modelOf(choices: readonly ModelChoice[]): LanguageModel | null {
    const models = choices
      .filter(({ provider }) => missingSetting(provider, settings) === null)
      .map(({ provider, model: name }) => meter.metered(createLanguageModel(provider, name, settings, log, clock)));
    return models.length === 0 ? null : createFallbackModel({ choices: models, clock, onFallback() {} });
  }
}

/** The agent's knowledge, as a call has it. */
async function knowledgeOf(
  { sql, clock, searchKnowledge }: RunWorkerDeps,
  { workspace_id, agent }: LeasedRun,
): Promise<Knowledge> {
  const known = await knowledgeForCall(sql, workspace_id, agent);
  const { knowledge_base_ids } = agent;
  return createKnowledge({
    inline: known?.text ?? '',
    search: known?.search
      ? async ({ query, limit, within_ms }) => {
          const request = { workspace_id, knowledge_base_ids, query, limit, semantic_timeout_ms: within_ms };
          const { items, ...found } = await searchKnowledge(request);
          const passages = items.map(({ source_name, text, score, keyword_match }) => {
            return { source: source_name, text, score, keyword_match };
          });
          return { error: '', passages, ...found };
        }
      : null,
    deadlineMs: KNOWLEDGE_DEADLINE_MS,
    clock,
  });
}

function usageOf({ tokensUsed, calls }: TokenMeter) {
  const sum = (field: 'input_tokens' | 'output_tokens') =>
    Math.ceil(tokensUsed.reduce((total, used) => total + used[field], 0));
  return { llm_input_tokens: sum('input_tokens'), llm_output_tokens: sum('output_tokens'), llm_calls: calls };
}
