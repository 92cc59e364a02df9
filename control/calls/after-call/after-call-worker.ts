import type { Clock, Timer } from '../../../shared/clock.ts';
import type { LanguageModelSettings } from '../../../shared/llm/model-settings.ts';
import { missingSetting } from '../../../shared/llm/models.ts';
import { errorText, type Logger } from '../../../shared/log.ts';
import type { LlmProvider } from '../../../shared/providers.ts';
import { analyseCall } from '../../analysis/analyse-call.ts';
import type { Analyst, ModelChoice } from '../../analysis/analyst.ts';
import { findCallbackRequest } from '../../analysis/callback-request.ts';
import { checkRules } from '../../analysis/check-rules.ts';
import type { Sql } from '../../db/connect.ts';
import { listenForNotifications } from '../../db/notifications.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { modelFallbacksOf, parseModelName } from '../../workspaces/model-fallbacks.ts';
import type { CallRow } from '../call-row.ts';
import { findCall } from '../store.ts';
import {
  AFTER_CALL_CHANNEL,
  type AfterCallJob,
  leaseAfterCallJobs,
  MAX_COMPLETION_MS,
  releaseJob,
  renewLease,
} from './after-call-jobs.ts';
import { type AfterCallPlan, analysedCallOf, planAfterCall } from './after-call-plan.ts';
import { type Findings, settleAfterCall } from './settle-after-call.ts';

/** A line for the workspace's people; the room that keeps them is above this one. */
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
  /** Checks the guardrails; null: the agent's own. */
  guardrailModel: ModelChoice | null;
  writeJobLog?: WriteJobLog | undefined;
  times?: Partial<AfterCallTimes>;
}

export interface AfterCallTimes {
  interval_ms: number;
  /** Whoever is silent for so long has died. */
  lease_ms: number;
  /** Kept of the time until the call completes for writing what was found. */
  write_reserve_ms: number;
}

const TIMES: AfterCallTimes = { interval_ms: 1_000, lease_ms: 30_000, write_reserve_ms: 10_000 };
/** Calls of this process at once: each asks up to four questions. */
const MAX_CONCURRENT_CALLS = 8;

/**
 * Does what is to be done between a call's `ended` and its `completed`. Several processes may: a row is leased to one at a time and
 * what came of it is written by whoever holds the lease then, once. A notification only wakes it, the look every second is the
 * truth.
 */
export function startAfterCallWorker(deps: AfterCallDeps): { stop(): Promise<void> } {
  const { sql, clock, log } = deps;
  const times = { ...TIMES, ...deps.times };
  const running = new Map<Promise<void>, AbortController>();
  let stopped = false;

  const job: PollingJob = startPollingJob({ name: 'after calls', intervalMs: times.interval_ms, clock, log, run });
  const listener = listenForNotifications(
    sql,
    AFTER_CALL_CHANNEL,
    () => job.wake(),
    (error) => log.warn({ error }, 'notifications of ended calls are not heard; the table is polled'),
  );

  return {
    async stop() {
      stopped = true;
      await job.stop();
      await listener.stop();
      // Nobody waits for a model: the rows are given back, and another process asks again.
      for (const leaving of running.values()) leaving.abort();
      await Promise.all(running.keys());
    },
  };

  async function run(): Promise<void> {
    const room = MAX_CONCURRENT_CALLS - running.size;
    if (stopped || room <= 0) return;
    for (const row of await leaseAfterCallJobs(sql, room, times.lease_ms, clock.wall())) begin(row);
  }

  function begin(row: AfterCallJob): void {
    const leaving = new AbortController();
    const done = work(row, leaving.signal)
      .catch((error: unknown) => {
        // The lease runs out, and it is tried again until the call is due.
        log.error({ call_id: row.call_id, tries: row.tries, error: errorText(error) }, 'a call could not be completed');
      })
      .then(() => {
        running.delete(done);
        if (!stopped && running.size === MAX_CONCURRENT_CALLS - 1) job.wake();
      });
    running.set(done, leaving);
  }

  async function work(row: AfterCallJob, leaving: AbortSignal): Promise<void> {
    const lost = new AbortController();
    const renewing = keepLease(row, lost);
    try {
      const call = await findCall(sql, row.workspace_id, row.call_id);
      const plan = call ? await sql.begin((tx) => planAfterCall(tx, call)) : null;
      const findings =
        call && plan ? await findOut(row, call, plan, AbortSignal.any([leaving, lost.signal])) : noFindings();
      if (leaving.aborted) return await releaseJob(sql, row);
      if (lost.signal.aborted || !(await settleAfterCall(deps, row, findings))) return;
      for (const { what, reason } of findings.failures) tell(row, call, `${what} failed`, reason);
    } finally {
      renewing.stop();
    }
  }

  /** Holds on to the row while the models think; aborts `lost` when somebody else has it. */
  function keepLease(row: AfterCallJob, lost: AbortController): { stop(): void } {
    let timer: Timer | null = null;
    let over = false;
    const again = () => {
      if (over) return;
      timer = clock.after(times.lease_ms / 3, () => {
        // The database may be away; the lease holds for two more tries.
        void renewLease(sql, row, clock.wall() + times.lease_ms)
          .catch(() => true)
          .then((held) => (held ? again() : lost.abort()));
      });
    };
    again();
    return {
      stop() {
        over = true;
        timer?.cancel();
      },
    };
  }

  /** Never rejects for what a model does or does not do. */
  async function findOut(
    row: AfterCallJob,
    call: CallRow,
    plan: AfterCallPlan,
    signal: AbortSignal,
  ): Promise<Findings> {
    const { agent, analytics, checkCallback: callBack, rules } = plan;
    const leftMs = Math.min(MAX_COMPLETION_MS, row.due_at.getTime() - clock.wall()) - times.write_reserve_ms;
    const abort = new AbortController();
    const late = clock.after(Math.max(0, leftMs), () => abort.abort());
    if (leftMs <= 0) abort.abort();
    const until = AbortSignal.any([signal, abort.signal]);
    const own = await modelChoicesOf(deps, call.workspace_id, agent.llm);
    const read = analysedCallOf(call, agent.call.timezone);
    // Of the workspace, and of the service itself.
    const charged = deps.analyst.open(own);
    const free = deps.analyst.open(deps.guardrailModel ? [deps.guardrailModel] : own);
    try {
      const [analysis, wish, broken] = await Promise.all([
        analytics ? analyseCall(charged, analytics, read, until) : null,
        callBack && call.rescheduled_to === null ? findCallbackRequest(charged, read, until) : { value: null },
        checkRules(free, rules, read, until),
      ]);
      const failures: Findings['failures'] = [];
      if (analysis?.failed) failures.push({ what: 'post-call analytics', reason: analysis.failed });
      if ('failed' in wish) failures.push({ what: 'call back check', reason: wish.failed });
      if ('failed' in broken && !signal.aborted) tell(row, call, 'the guardrail check failed', broken.failed);
      return {
        analysis,
        callback: 'value' in wish ? wish.value : null,
        violations: ('value' in broken ? broken.value : []).flatMap(({ rule_id, quote, confidence }) => {
          const rule = rules.find(({ id }) => id === rule_id);
          return rule ? [{ rule, quote, confidence }] : [];
        }),
        tokensUsed: charged.tokensUsed(),
        failures,
      };
    } finally {
      late.cancel();
    }
  }

  function tell(row: AfterCallJob, call: CallRow | null, message: string, reason: string): void {
    const { workspace_id, call_id } = row;
    log.warn({ workspace_id, call_id, reason }, message);
    const agent = call?.agent_id ? { agent_id: call.agent_id } : {};
    deps.writeJobLog?.({ workspace_id, call_id, ...agent, level: 'warning', message, data: { reason } });
  }
}

const noFindings = (): Findings => ({ analysis: null, callback: null, violations: [], tokensUsed: [], failures: [] });

/** The agent's own model, then those that the operator lets stand in for it. */
export async function modelChoicesOf(
  { sql }: Pick<AfterCallDeps, 'sql'>,
  workspaceId: string,
  { provider, model }: { provider: LlmProvider; model: string },
): Promise<ModelChoice[]> {
  const fallbacks = (await modelFallbacksOf(sql, workspaceId)).map(parseModelName);
  return [{ provider, model }, ...fallbacks.filter((each) => typeof each !== 'string')] as ModelChoice[];
}

/**
 * Who checks the guardrails; null: the agent's own model.
 *
 * @throws when the setting names no model, or one that cannot be asked for want of another setting.
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
