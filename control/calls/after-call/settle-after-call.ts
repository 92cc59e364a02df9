import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import type { CallAnalysis } from '../../analysis/analyse-call.ts';
import type { TokensUsed } from '../../analysis/analyst.ts';
import type { CallbackRequest } from '../../analysis/callback-request.ts';
import { chargeAnalysis } from '../../billing/charge-analysis.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { type RuleViolation, recordViolations } from '../../guardrails/enforce.ts';
import type { CallRow } from '../call-row.ts';
import { type NewEvent, writeEvents } from '../events/timeline.ts';
import { type CallChange, changeCall } from '../lifecycle/call-state-machine.ts';
import { completeCall } from '../lifecycle/complete-call.ts';
import { bookCallback, reportUnbookable } from '../queue/book-callback.ts';
import { lockCall } from '../store.ts';
import { type AfterCallJob, deleteJob } from './after-call-jobs.ts';

/** The models' results for a call; null where nothing was asked. */
export interface Findings {
  analysis: CallAnalysis | null;
  callback: CallbackRequest | null;
  violations: RuleViolation[];
  tokensUsed: TokensUsed[];
  /** Failed checks, for the timeline. */
  failures: { what: 'post-call analytics' | 'call back check'; reason: string }[];
}

/**
 * Writes the findings, their events and their charge, and completes the call, in one transaction; a late job's call is complete
 * already. False, and nothing is written, when the lease is lost.
 */
export async function settleAfterCall(
  { sql, clock }: { sql: Sql; clock: Clock },
  row: AfterCallJob,
  findings: Findings,
): Promise<boolean> {
  const nowMs = clock.wall();
  return sql.begin(async (tx) => {
    const call = await lockCall(tx, row.workspace_id, row.call_id);
    const job = await deleteJob(tx, row);
    if (!job || !call || call.status !== (job.late && call.completed_at !== null ? 'completed' : 'ended')) return false;
    const { analysis, callback, violations, tokensUsed, failures } = findings;
    const change: CallChange = {
      ...(analysis?.summary ? { summary: analysis.summary } : {}),
      ...(analysis?.extracted ? { extracted: analysis.extracted } : {}),
    };
    if (Object.keys(change).length > 0) await changeCall(tx, call, change);
    await writeEvents(
      tx,
      call,
      failures.map(({ what, reason }) => failureEvent(what, reason, nowMs)),
    );
    // The agent's tool may have booked one already.
    if (callback && callback.when !== '' && call.rescheduled_to === null) {
      const outcome = await bookCallback(tx, call, { ...callback, source: 'post_call' }, nowMs);
      if ('refused' in outcome) await reportUnbookable(tx, call, { ...outcome, note: callback.note }, nowMs);
    }
    await recordIncidents(tx, call, violations, nowMs);
    const cost = await chargeAnalysisRun(tx, call, tokensUsed, nowMs);
    if (cost > 0) await changeCall(tx, call, { analysis_cost_paise: call.analysis_cost_paise + cost });
    if (call.status === 'ended') await completeCall(tx, call, nowMs);
    return true;
  });
}

/**
 * Charges one run: one ledger entry for each model that answered in it, nearly always one.
 *
 * @returns the sum, in the workspace's smallest unit.
 */
export async function chargeAnalysisRun(
  tx: Transaction,
  { workspace_id, id: call_id }: Pick<CallRow, 'workspace_id' | 'id'>,
  tokensUsed: readonly TokensUsed[],
  at_ms: number,
): Promise<number> {
  const run = newId(at_ms);
  let sum = 0;
  for (const [index, tokens] of tokensUsed.entries()) {
    const run_id = index === 0 ? run : `${run}.${index + 1}`;
    sum += await chargeAnalysis(tx, { workspace_id, call_id, run_id, ...tokens, at_ms });
  }
  return sum;
}

async function recordIncidents(
  tx: Transaction,
  call: CallRow,
  violations: Findings['violations'],
  nowMs: number,
): Promise<void> {
  const { workspace_id, id: call_id, agent_id, agent_name } = call;
  if (agent_id === null) return;
  const incidents = await recordViolations(
    tx,
    { workspace_id, call_id, agent_id, agent_name, at_ms: nowMs },
    violations,
  );
  await writeEvents(
    tx,
    call,
    incidents.map(
      ({ id, rule_id, rule_name, severity, quote, confidence, action, strike }): NewEvent => ({
        type: 'guardrail.violation',
        level: severity === 'violation' ? 'error' : 'warning',
        message: `the agent broke the rule "${rule_name}"`,
        latency_ms: null,
        data: { incident_id: id, rule_id, rule_name, severity, quote, confidence, action, strike },
        at_ms: nowMs,
      }),
    ),
  );
}

/** A check that failed, or post-call analytics that are late, on the timeline. */
export function failureEvent(what: Findings['failures'][number]['what'], reason: string, at_ms: number): NewEvent {
  return {
    type: 'error',
    level: what === 'post-call analytics' ? 'error' : 'warning',
    message: reason === 'late' ? `${what} are late` : `${what} failed: ${reason}`,
    latency_ms: null,
    data: { component: 'analytics', reason },
    at_ms,
  };
}
