import { figuresOfCalls } from '../call-totals/call-figures.ts';
import { type CallStatistics, statisticsOf } from '../call-totals/call-statistics.ts';
import type { AnySql } from '../db/connect.ts';
import type { CanaryRow } from './canary-store.ts';

/** How the calls of a canary went, beside the agent's others since it began. */
export interface CanaryFigures {
  canary: CallStatistics;
  others: CallStatistics;
}

/** The newest finished calls of the agent that are looked at. */
export const MAX_CALLS_READ = 20_000;
/** The newest of them of each version that are counted, because the timeline of each is read. */
export const MAX_CALLS_COUNTED = 2_000;

/** Counts calls from their time of ringing on: what waits says nothing yet. */
export async function canaryFigures(
  sql: AnySql,
  workspaceId: string,
  agentId: string,
  canary: Pick<CanaryRow, 'version' | 'started_at'>,
): Promise<CanaryFigures> {
  const since = sql`workspace_id = ${workspaceId} and agent_id = ${agentId} and created_at >= ${canary.started_at}`;
  const figuresWhere = async (version: ReturnType<typeof sql>) =>
    statisticsOf(
      await figuresOfCalls(sql, {
        finished: sql`id in (
          select id from (
            select id, agent_version from finished_calls where ${since} order by created_at desc, id desc limit ${MAX_CALLS_READ}
          ) as newest where ${version} order by id desc limit ${MAX_CALLS_COUNTED}
        )`,
        live: sql`${since} and ${version} and status <> 'queued'`,
      }),
    );
  const [ofCanary, others] = await Promise.all([
    figuresWhere(sql`agent_version = ${canary.version}`),
    figuresWhere(sql`agent_version <> ${canary.version}`),
  ]);
  return { canary: ofCanary, others };
}
