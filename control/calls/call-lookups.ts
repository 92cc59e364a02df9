import { searchAgents } from '../agents/agent-lookups.ts';
import type { AnySql } from '../db/connect.ts';
import type { SearchHit, SearchTerms } from '../workspaces/search.ts';

/** Fewer digits would match a good part of all calls. */
const MIN_DIGITS = 4;
/** As many as a workspace may have. */
const MAX_AGENTS = 200;

/**
 * Calls with that id, with a number that ends in these digits, or by an agent of that name; newest first. Each of the
 * three has its index, so a workspace with a million calls is searched as fast as one with ten.
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
 * Numbers are indexed from their end. One's own number stands in most calls, a customer's in few: each side is asked for by
 * itself, so that the planner, who knows how often each ending occurs, takes the numbers or walks back in time.
 */
export function callsEndingIn(sql: AnySql, workspaceId: string, digits: string, limit: number) {
  const pattern = `${[...digits].reverse().join('')}%`;
  const side = (number: 'to_number' | 'from_number') => sql`
    (select id, agent_name, direction, from_number, to_number, status, created_at from calls
      where workspace_id = ${workspaceId} and reverse(${sql(number)}) like ${pattern}
      order by created_at desc, id desc limit ${limit})`;
  return sql`${side('to_number')} union ${side('from_number')}`;
}
