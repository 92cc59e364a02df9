import type { AgentConfig } from '../../shared/agent.ts';
import { isOver } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import { ID_PATTERN } from '../../shared/ids.ts';
import type { Logger } from '../../shared/log.ts';
import { type AgentForCall, agentForCall } from '../agents/agent-for-call.ts';
import { type Analytics, analyseCall, asksSomething, type CallAnalysis } from '../analysis/analyse-call.ts';
import type { Analyst, TokensUsed } from '../analysis/analyst.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Currency } from '../billing/rates.ts';
import { hasCredits } from '../billing/wallet.ts';
import type { Sql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { type ConcurrencyLimiter, createConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import { conflict, modelUnavailable, notFound, outOfCredits } from '../http/errors.ts';
import { choicesOf } from './after-call.ts';
import { callToRead } from './after-call-plan.ts';
import { chargeRun } from './after-call-settle.ts';
import type { CallRow } from './call-row.ts';
import { type CallChange, changeCall } from './move.ts';
import { findCall, lockCall } from './store.ts';

export interface AnalyseDeps {
  sql: Sql;
  clock: Clock;
  analyst: Analyst;
}

interface Asked {
  workspace_id: string;
  /** Of the request. */
  log: Pick<Logger, 'warn'>;
}

/** As after a call. */
const DEADLINE_MS = 120_000;
/** Of one workspace, in this process. */
const AT_ONCE = 3;

const doors = new WeakMap<Sql, ConcurrencyLimiter>();

/**
 * Runs the analytics of the agent's present configuration on a call that is complete, and saves what came of it; what the
 * configuration does not ask for stays as it was. Charged; `call.completed` is not sent again.
 *
 * @throws HttpError 404, 409 live, never connected or still analysed, 402, 502.
 */
export async function analyseAgain(
  deps: AnalyseDeps,
  asked: Asked & { call_id: string; actor: Actor },
): Promise<CallRow> {
  const { sql, clock } = deps;
  const { workspace_id, call_id, actor } = asked;
  const call = await finishedCall(sql, workspace_id, call_id);
  const agent = await existingAgent(sql, workspace_id, call.agent_id ?? '');
  const { analytics } = agent.config;
  if (!asksSomething(analytics)) return call;
  const { analysis, used } = await analyse(deps, asked, { call, agent: agent.config, analytics });
  return sql.begin(async (tx) => {
    const now = await lockCall(tx, workspace_id, call_id);
    if (!now) throw notFound('call');
    const at_ms = clock.wall();
    const cost = await chargeRun(tx, now, used, at_ms);
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

export interface TriedAnalytics {
  summary: string;
  extracted: Record<string, unknown>;
  cost_paise: number;
  currency: Currency;
}

/** The same with a configuration that need not be saved; nothing is saved on the call, the run is charged. */
export async function tryAnalytics(
  deps: AnalyseDeps,
  asked: Asked & { agent_id: string; call_id: string; analytics?: Analytics | undefined },
): Promise<TriedAnalytics> {
  const { sql, clock } = deps;
  const { workspace_id, agent_id, call_id } = asked;
  const agent = await existingAgent(sql, workspace_id, agent_id);
  const call = await finishedCall(sql, workspace_id, call_id);
  const analytics = asked.analytics ?? agent.config.analytics;
  const [workspace] = await sql<{ currency: Currency }[]>`select currency from workspaces where id = ${workspace_id}`;
  const { currency } = workspace!;
  if (!asksSomething(analytics)) return { summary: '', extracted: {}, cost_paise: 0, currency };
  const { analysis, used } = await analyse(deps, asked, { call, agent: agent.config, analytics });
  const cost_paise = await sql.begin((tx) => chargeRun(tx, call, used, clock.wall()));
  return { summary: analysis.summary ?? '', extracted: analysis.extracted ?? {}, cost_paise, currency };
}

/** @throws HttpError 404, or 409 for a call of which there is nothing to read yet, or ever. */
async function finishedCall(sql: Sql, workspaceId: string, callId: string): Promise<CallRow> {
  const call = ID_PATTERN.test(callId) ? await findCall(sql, workspaceId, callId) : null;
  if (!call) throw notFound('call');
  if (!isOver(call.status)) throw conflict('the call is still live');
  if (call.started_at === null) throw conflict('the call never connected');
  if (call.status === 'ended') throw conflict('the call is still being analysed');
  return call;
}

async function existingAgent(sql: Sql, workspaceId: string, agentId: string): Promise<AgentForCall> {
  const agent = agentId === '' ? null : await sql.begin((tx) => agentForCall(tx, workspaceId, agentId));
  if (!agent) throw notFound('agent');
  return agent;
}

async function analyse(
  { sql, clock, analyst }: AnalyseDeps,
  { workspace_id, log }: Asked,
  { call, agent, analytics }: { call: CallRow; agent: AgentConfig; analytics: Analytics },
): Promise<{ analysis: CallAnalysis; used: TokensUsed[] }> {
  if (!(await hasCredits(sql, workspace_id))) throw outOfCredits();
  const leave = doorOf(sql)(workspace_id);
  const abort = new AbortController();
  const deadline = clock.after(DEADLINE_MS, () => abort.abort());
  try {
    const run = analyst.open(await choicesOf({ sql }, workspace_id, agent.llm));
    const analysis = await analyseCall(run, analytics, callToRead(call, agent.call.timezone), abort.signal);
    if (analysis.failed === null) return { analysis, used: run.used() };
    // Half an answer is none: nothing is saved, and nothing charged.
    log.warn({ call_id: call.id, reason: analysis.failed }, 'a call could not be analysed');
    throw modelUnavailable();
  } finally {
    deadline.cancel();
    leave();
  }
}

function doorOf(sql: Sql): ConcurrencyLimiter {
  const door = doors.get(sql) ?? createConcurrencyLimiter(AT_ONCE, 'analyses run');
  doors.set(sql, door);
  return door;
}
