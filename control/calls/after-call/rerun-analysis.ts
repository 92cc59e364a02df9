import type { AgentConfig } from '../../../shared/agent.ts';
import { isOver } from '../../../shared/call.ts';
import type { Clock } from '../../../shared/clock.ts';
import { ID_PATTERN } from '../../../shared/ids.ts';
import type { Logger } from '../../../shared/log.ts';
import { type AgentForCall, agentForCall } from '../../agents/agent-for-call.ts';
import { type Analytics, analyseCall, type CallAnalysis, hasAnalytics } from '../../analysis/analyse-call.ts';
import type { Analyst, TokensUsed } from '../../analysis/analyst.ts';
import { writeAudit } from '../../audit/write-audit.ts';
import type { Currency } from '../../billing/rates.ts';
import { hasCredits } from '../../billing/wallet.ts';
import type { Sql } from '../../db/connect.ts';
import type { Actor } from '../../http/authenticate.ts';
import { type ConcurrencyLimiter, createConcurrencyLimiter } from '../../http/concurrency-limiter.ts';
import { conflict, modelUnavailable, notFound, outOfCredits } from '../../http/errors.ts';
import type { CallRow } from '../call-row.ts';
import { type CallChange, changeCall } from '../lifecycle/call-state-machine.ts';
import { findCall, lockCall } from '../store.ts';
import { isProcessingOutstanding } from './after-call-jobs.ts';
import { analysedCallOf } from './after-call-plan.ts';
import { modelChoicesOf } from './after-call-worker.ts';
import { chargeAnalysisRun } from './settle-after-call.ts';

export interface AnalysisDeps {
  sql: Sql;
  clock: Clock;
  analyst: Analyst;
}

interface AnalysisRequest {
  workspace_id: string;
  /** The logger of the HTTP request. */
  log: Pick<Logger, 'warn'>;
}

const TIMEOUT_MS = 120_000;
/** Per workspace and process. */
const MAX_CONCURRENT_RUNS = 3;

const limiters = new WeakMap<Sql, ConcurrencyLimiter>();

/**
 * Runs the analytics of the agent's present configuration on a completed call, and saves and charges the result; fields that the
 * configuration does not ask for stay as they are. `call.completed` is not sent again.
 *
 * @throws HttpError 404, 409 live, never connected or still analysed, 402, 502.
 */
export async function rerunAnalysis(
  deps: AnalysisDeps,
  request: AnalysisRequest & { call_id: string; actor: Actor },
): Promise<CallRow> {
  const { sql, clock } = deps;
  const { workspace_id, call_id, actor } = request;
  const call = await requireAnalysableCall(sql, workspace_id, call_id);
  const agent = await requireAgent(sql, workspace_id, call.agent_id ?? '');
  const { analytics } = agent.config;
  if (!hasAnalytics(analytics)) return call;
  const { analysis, used } = await analyse(deps, request, { call, agent: agent.config, analytics });
  return sql.begin(async (tx) => {
    const now = await lockCall(tx, workspace_id, call_id);
    if (!now) throw notFound('call');
    const at_ms = clock.wall();
    const cost = await chargeAnalysisRun(tx, now, used, at_ms);
    const change: CallChange = {
      ...(analysis.summary === null ? {} : { summary: analysis.summary }),
      ...(analysis.extracted === null ? {} : { extracted: analysis.extracted }),
      analysis_cost_paise: now.analysis_cost_paise + cost,
    };
    await changeCall(tx, now, change);
    const target = { kind: 'call', id: call_id, name: '' };
    await writeAudit(tx, { workspace_id, actor, action: 'call.analyzed', target, data: { cost_paise: cost }, at_ms });
    return now;
  });
}

export interface AnalyticsTestResult {
  summary: string;
  extracted: Record<string, unknown>;
  cost_paise: number;
  currency: Currency;
}

/** Runs an analytics configuration, saved or not, on a completed call. Nothing is saved; the run is charged. */
export async function testAnalytics(
  deps: AnalysisDeps,
  request: AnalysisRequest & { agent_id: string; call_id: string; analytics?: Analytics | undefined },
): Promise<AnalyticsTestResult> {
  const { sql, clock } = deps;
  const { workspace_id, agent_id, call_id } = request;
  const agent = await requireAgent(sql, workspace_id, agent_id);
  const call = await requireAnalysableCall(sql, workspace_id, call_id);
  const analytics = request.analytics ?? agent.config.analytics;
  const [workspace] = await sql<{ currency: Currency }[]>`select currency from workspaces where id = ${workspace_id}`;
  const { currency } = workspace!;
  if (!hasAnalytics(analytics)) return { summary: '', extracted: {}, cost_paise: 0, currency };
  const { analysis, used } = await analyse(deps, request, { call, agent: agent.config, analytics });
  const cost_paise = await sql.begin((tx) => chargeAnalysisRun(tx, call, used, clock.wall()));
  return { summary: analysis.summary ?? '', extracted: analysis.extracted ?? {}, cost_paise, currency };
}

/** @throws HttpError 404, or 409 for a call that is live, never connected or still being analysed. */
async function requireAnalysableCall(sql: Sql, workspaceId: string, callId: string): Promise<CallRow> {
  const call = ID_PATTERN.test(callId) ? await findCall(sql, workspaceId, callId) : null;
  if (!call) throw notFound('call');
  if (!isOver(call.status)) throw conflict('the call is still live');
  if (call.started_at === null) throw conflict('the call never connected');
  if (call.status === 'ended' || (await isProcessingOutstanding(sql, callId))) {
    throw conflict('the call is still being analysed');
  }
  return call;
}

async function requireAgent(sql: Sql, workspaceId: string, agentId: string): Promise<AgentForCall> {
  const agent = agentId === '' ? null : await sql.begin((tx) => agentForCall(tx, workspaceId, agentId));
  if (!agent) throw notFound('agent');
  return agent;
}

async function analyse(
  { sql, clock, analyst }: AnalysisDeps,
  { workspace_id, log }: AnalysisRequest,
  { call, agent, analytics }: { call: CallRow; agent: AgentConfig; analytics: Analytics },
): Promise<{ analysis: CallAnalysis; used: TokensUsed[] }> {
  if (!(await hasCredits(sql, workspace_id))) throw outOfCredits();
  const leave = limiterOf(sql)(workspace_id);
  const abort = new AbortController();
  const deadline = clock.after(TIMEOUT_MS, () => abort.abort());
  try {
    const run = analyst.open(await modelChoicesOf({ sql }, workspace_id, agent.llm));
    const read = await analysedCallOf(sql, call, agent.call.timezone);
    const analysis = await analyseCall(run, analytics, read, abort.signal);
    if (analysis.failed === null) return { analysis, used: run.tokensUsed() };
    // A partial analysis is neither saved nor charged.
    log.warn({ call_id: call.id, reason: analysis.failed }, 'analysing a call failed');
    throw modelUnavailable();
  } finally {
    deadline.cancel();
    leave();
  }
}

function limiterOf(sql: Sql): ConcurrencyLimiter {
  const door = limiters.get(sql) ?? createConcurrencyLimiter(MAX_CONCURRENT_RUNS, 'analyses run');
  limiters.set(sql, door);
  return door;
}
