import { searchAgents } from '../agents/agent-lookups.ts';
import { kindsOfCallsOfAgents } from '../call-totals/count-calls.ts';
import type { AnySql } from '../db/connect.ts';
import type { SearchHit, SearchTerms } from '../workspaces/search.ts';

/** Fewer digits would match a large share of all calls. */
const MIN_DIGITS = 4;
/** The maximum number of agents in a workspace. */
const MAX_AGENTS = 200;

/**
 * Finds calls by id, by the last digits of a number, or by the agent's name; newest first. Each of the three uses an index of
 * its own, so the time does not grow with the number of calls.
 */
export async function searchCalls(
  sql: AnySql,
  workspaceId: string,
  words: SearchTerms,
  limit: number,
): Promise<SearchHit[]> {
  const { text, digits } = words;
  const agents = await searchAgents(sql, workspaceId, words, MAX_AGENTS);
  const agentIds = agents.map(({ id }) => id);
  const columns = sql`id, agent_name, direction, from_number, to_number, status, created_at`;
  return sql<SearchHit[]>`
    select id, case direction when 'inbound' then from_number else to_number end as title,
      agent_name || ' · ' || status as subtitle, created_at as at
    from (
      (select ${columns} from calls where workspace_id = ${workspaceId} and id = ${text.toLowerCase()})
      ${digits.length < MIN_DIGITS ? sql`` : sql`union ${callsEndingIn(sql, workspaceId, digits, limit)}`}
      union ${callsOfAgents(sql, workspaceId, agentIds, limit)}
    ) as hits
    order by created_at desc, id desc limit ${limit}`;
}

/** The newest of each agent's calls; finished ones of each kind that there is are a range of one index. */
function callsOfAgents(sql: AnySql, workspaceId: string, agentIds: readonly string[], limit: number) {
  const columns = sql`id, agent_name, direction, from_number, to_number, status, created_at`;
  // A limit that PostgreSQL does not know: it takes the calls of a kind for fewer than they are, and would sort them all for ten.
  const newest = sql`order by created_at desc, id desc limit (select ${limit}::integer)`;
  return sql`
    (select call.* from (${kindsOfCallsOfAgents(sql, workspaceId, agentIds)}) as kind
    cross join lateral (
      select ${columns} from finished_calls as each
      where each.workspace_id = ${workspaceId} and each.agent_id = kind.agent_id and each.status = kind.status
        and each.direction = kind.direction and each.channel = kind.channel and coalesce(each.answered_by, '') = kind.answered_by
      ${newest}
    ) as call ${newest})
    union
    (select ${columns} from live_calls where workspace_id = ${workspaceId} and agent_id = any(${[...agentIds]}) ${newest})`;
}

/**
 * The index is on the reversed number. The workspace's own number is in most calls, a customer's in few: each side is a query of
 * its own, so that the planner can choose between the index of numbers and the index of time.
 */
export function callsEndingIn(sql: AnySql, workspaceId: string, digits: string, limit: number) {
  const pattern = `${[...digits].reverse().join('')}%`;
  const side = (number: 'to_number' | 'from_number') => sql`
    (select id, agent_name, direction, from_number, to_number, status, created_at from calls
      where workspace_id = ${workspaceId} and reverse(${sql(number)}) like ${pattern}
      order by created_at desc, id desc limit ${limit})`;
  return sql`${side('to_number')} union ${side('from_number')}`;
}

/** Returns the workspace of a call, for operators who have its id only; null when there is no such call. */
export async function workspaceOfCall(sql: AnySql, callId: string): Promise<string | null> {
  const [row] = await sql<{ workspace_id: string }[]>`select workspace_id from calls where id = ${callId}`;
  return row?.workspace_id ?? null;
}
