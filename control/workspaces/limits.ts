import type { Clock } from '../../shared/clock.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import { notFound } from '../http/errors.ts';
import { findOpenRequest } from './limit-requests.ts';
import { countSeats } from './plan.ts';
import { findDetails } from './store.ts';

/** Counts of modules above this one. */
export interface UsageCounts {
  liveCalls(sql: AnySql, workspaceId: string): Promise<number>;
  queuedCalls(sql: AnySql, workspaceId: string): Promise<number>;
  agents(sql: AnySql, workspaceId: string): Promise<number>;
  /** Maximum number of agents of a workspace. */
  maxAgents: number;
}

export interface LimitsDeps {
  sql: Sql;
  clock: Clock;
  counts: UsageCounts;
}

/** Returns the limits of the workspace and how much of them is in use. */
export async function limitsOf({ sql, clock, counts }: LimitsDeps, workspaceId: string) {
  const [details, live, queued, agents, seats, pending_request] = await Promise.all([
    findDetails(sql, workspaceId),
    counts.liveCalls(sql, workspaceId),
    counts.queuedCalls(sql, workspaceId),
    counts.agents(sql, workspaceId),
    countSeats(sql, workspaceId, new Date(clock.wall())),
    findOpenRequest(sql, workspaceId),
  ]);
  if (!details) throw notFound('workspace');
  return {
    concurrency_limit: details.concurrency_limit,
    active_calls: live,
    queued_calls: queued,
    pending_request,
    plan_limit: details.plan_limit,
    extra_lines: details.extra_lines,
    api_requests_per_minute: details.api_requests_per_minute,
    agents: { used: agents, limit: counts.maxAgents },
    members: { used: seats.members + seats.invited, limit: details.member_limit },
  };
}
