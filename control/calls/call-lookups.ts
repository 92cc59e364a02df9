import { searchAgents } from '../agents/agent-lookups.ts';
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
      union
      (select found.* from unnest(${agentIds}::text[]) as agent (id) cross join lateral (
        select ${columns} from calls
        where calls.workspace_id = ${workspaceId} and calls.agent_id = agent.id
        order by created_at desc, id desc limit ${limit}
      ) as found)
    ) as hits
    order by created_at desc, id desc limit ${limit}`;
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
