import { textModelOf } from '../../../shared/agent.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { LlmProvider } from '../../../shared/providers/registry.ts';
import { type LanguageModelSettings, missingSetting } from '../../../shared/providers/settings.ts';
import { analyseCall } from '../../analysis/analyse-call.ts';
import type { Analyst, ModelChoice } from '../../analysis/analyst.ts';
import { findCallbackRequest } from '../../analysis/callback-request.ts';
import { checkRules } from '../../analysis/check-rules.ts';
import type { Sql } from '../../db/connect.ts';
import { beginItem } from '../../db/item-runner.ts';
import { startLeaseWorker } from '../../db/lease-worker.ts';
import { modelFallbacksOf, parseModelName } from '../../workspaces/model-fallbacks.ts';
import type { CallRow } from '../call-row.ts';
import { findCall } from '../store.ts';
import {
  type AfterCallJob,
  leaseAfterCallJobs,
  MAX_COMPLETION_MS,
  postponeJob,
  releaseJob,
  renewLease,
} from './after-call-jobs.ts';
import { type AfterCallPlan, analysedCallOf, planAfterCall } from './after-call-plan.ts';
import { completeWithoutProcessing, startLateCalls } from './late-calls.ts';
import { type Findings, settleAfterCall } from './settle-after-call.ts';

/** Writes an entry to the server logs of the workspace. */
export type WriteJobLog = (line: {
  workspace_id: string;
  call_id: string;
  agent_id?: string;
  level: 'warning' | 'error';
  message: string;
  data: Record<string, string>;
}) => void;

export interface AfterCallDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  analyst: Analyst;
  /** Checks the guardrails; null for the agent's own model. */
  guardrailModel: ModelChoice | null;
  writeJobLog?: WriteJobLog | undefined;
  times?: Partial<AfterCallTimes>;
}

export interface AfterCallTimes {
  interval_ms: number;
  /** A worker that does not renew its lease for this long is taken for dead. */
  lease_ms: number;
  /** Reserved for writing the results, from the time until the call must complete. */
  write_reserve_ms: number;
}

const TIMES: AfterCallTimes = { interval_ms: 1_000, lease_ms: 30_000, write_reserve_ms: 10_000 };
/** Per process; each call takes up to four model requests. */
const MAX_CONCURRENT_CALLS = 8;
/** A job that fails or meets a model without capacity is tried this often; then its call keeps what there is. */
const MAX_TRIES = 8;

/**
 * Starts the worker for the processing between a call's `ended` and its `completed`. Several processes may run it: a job is leased
 * to one of them, and only the holder of the lease writes the results. The end of a call only wakes it; it polls every second. A job
 * that has to wait for others, or for a model without capacity, is not dropped: once it is due its call is completed without it.
 */
export function startAfterCallWorker(deps: AfterCallDeps): { stop(): Promise<void> } {
  const { sql, clock, log } = deps;
  const times = { ...TIMES, ...deps.times };
  const late = startLateCalls({ sql, clock, log, intervalMs: times.interval_ms });
  const worker = startLeaseWorker<AfterCallJob>({
    ...{ name: 'after calls', intervalMs: times.interval_ms, clock, log },
    wakeOn: { sql, topic: 'after calls' },
    openWork: { sql, query: 'select from after_calls' },
    maxConcurrent: MAX_CONCURRENT_CALLS,
    lease: async (limit) => ({
      jobs: await leaseAfterCallJobs(sql, limit, times.lease_ms, clock.wall()),
      more: false,
    }),
    work,
    release: (job) => releaseJob(sql, job),
    // The lease outlasts two failed renewals.
    renewal: {
      everyMs: times.lease_ms / 3,
      renew: (job) => renewLease(sql, job, clock.wall() + times.lease_ms),
    },
    retry: {
      triesOf: ({ tries }) => tries,
      postpone: (job, delayMs) => postponeJob(sql, job, clock.wall() + delayMs),
    },
    graceMs: 0,
    fieldsOf: ({ call_id, tries }) => ({ call_id, tries }),
  });
  return {
    async stop() {
      await Promise.all([late.stop(), worker.stop()]);
    },
  };

  async function work(job: AfterCallJob, signal: AbortSignal): Promise<boolean | 'later'> {
    // A late job takes as long as one that has just been added.
    const leftMs = (job.late ? MAX_COMPLETION_MS : job.due_at.getTime() - clock.wall()) - times.write_reserve_ms;
    if (leftMs <= 0) {
      await beginItem(sql, (tx) => completeWithoutProcessing(tx, job.workspace_id, job.call_id, clock.wall()));
      return 'later';
    }
    const call = await findCall(sql, job.workspace_id, job.call_id);
    const givenUp = job.tries > MAX_TRIES;
    const plan = call && !givenUp ? await sql.begin((tx) => planAfterCall(tx, call)) : null;
    const nothing = noFindings(givenUp ? [INTERNAL_ERROR] : []);
    const findings = call && plan ? await analyse(job, call, plan, leftMs, signal) : nothing;
    if (signal.aborted) return false;
    if (findings.failures.some(({ reason }) => reason === 'capacity') && job.tries < MAX_TRIES) return 'later';
    if (await settleAfterCall(deps, job, findings)) {
      for (const { what, reason } of findings.failures) reportFailure(job, call, `${what} failed`, reason);
    }
    return true;
  }

  /** Asks the models; their failures are part of the findings. */
  async function analyse(
    row: AfterCallJob,
    call: CallRow,
    plan: AfterCallPlan,
    leftMs: number,
    signal: AbortSignal,
  ): Promise<Findings> {
    const { agent, analytics, checkCallback, rules } = plan;
    const abort = new AbortController();
    const timeout = clock.after(leftMs, () => abort.abort());
    const until = AbortSignal.any([signal, abort.signal]);
    const own = await modelChoicesOf(deps, call.workspace_id, agent.llm);
    const read = await analysedCallOf(sql, call, agent.call.timezone);
    // Charged to the workspace, and free.
    const charged = deps.analyst.open(own);
    const free = deps.analyst.open(deps.guardrailModel ? [deps.guardrailModel] : own);
    try {
      const [analysis, callback, broken] = await Promise.all([
        analytics ? analyseCall(charged, analytics, read, until) : null,
        checkCallback && call.rescheduled_to === null ? findCallbackRequest(charged, read, until) : { value: null },
        checkRules(free, rules, read, until),
      ]);
      const failures: Findings['failures'] = [];
      if (analysis?.failed) failures.push({ what: 'post-call analytics', reason: analysis.failed });
      if ('failed' in callback) failures.push({ what: 'call back check', reason: callback.failed });
      if ('failed' in broken && !signal.aborted) reportFailure(row, call, 'guardrail check failed', broken.failed);
      return {
        analysis,
        callback: 'value' in callback ? callback.value : null,
        violations: ('value' in broken ? broken.value : []).flatMap(({ rule_id, quote, confidence }) => {
          const rule = rules.find(({ id }) => id === rule_id);
          return rule ? [{ rule, quote, confidence }] : [];
        }),
        tokensUsed: charged.tokensUsed(),
        failures,
      };
    } finally {
      timeout.cancel();
    }
  }

  function reportFailure(row: AfterCallJob, call: CallRow | null, message: string, reason: string): void {
    const { workspace_id, call_id } = row;
    log.warn({ workspace_id, call_id, reason }, message);
    const agent = call?.agent_id ? { agent_id: call.agent_id } : {};
    deps.writeJobLog?.({ workspace_id, call_id, ...agent, level: 'warning', message, data: { reason } });
  }
}

const INTERNAL_ERROR = { what: 'post-call analytics', reason: 'internal error' } as const;

const noFindings = (failures: Findings['failures']): Findings => ({
  ...{ analysis: null, callback: null, violations: [], tokensUsed: [], failures },
});

/** The agent's own model, or the one that writes beside it, then the workspace's fallback models. */
export async function modelChoicesOf(
  { sql }: Pick<AfterCallDeps, 'sql'>,
  workspaceId: string,
  llm: Parameters<typeof textModelOf>[0],
): Promise<ModelChoice[]> {
  const { provider, model } = textModelOf(llm);
  const fallbacks = (await modelFallbacksOf(sql, workspaceId)).map(parseModelName);
  return [{ provider, model }, ...fallbacks.filter((each) => typeof each !== 'string')] as ModelChoice[];
}

/**
 * Reads the setting for the guardrail model; null for the agent's own model.
 *
 * @throws Error when the setting does not name a model, or another setting of that model is missing.
 */
export function readGuardrailModel(settings: GuardrailSettings): ModelChoice | null {
  const { GUARDRAIL_MODEL } = settings;
  if (GUARDRAIL_MODEL === '') return null;
  const named = parseModelName(GUARDRAIL_MODEL);
  if (typeof named === 'string') throw new Error(`GUARDRAIL_MODEL: ${named}`);
  const missing = missingSetting(named.provider as LlmProvider, settings);
  if (missing) throw new Error(`${missing} is missing: GUARDRAIL_MODEL is ${GUARDRAIL_MODEL}`);
  return named as ModelChoice;
}

interface GuardrailSettings extends LanguageModelSettings {
  /** `provider/model`, or empty. */
  GUARDRAIL_MODEL: string;
}
