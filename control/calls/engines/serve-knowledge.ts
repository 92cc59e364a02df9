import type { AgentConfig } from '../../../shared/agent.ts';
import type { Bus } from '../../../shared/bus/bus.ts';
import type { SearchKnowledgeReply, SearchKnowledgeRequest } from '../../../shared/bus/messages.ts';
import { ID_PATTERN } from '../../../shared/ids.ts';
import { basesOf, basesOfCall } from '../../agents/agent-lookups.ts';
import type { Sql } from '../../db/connect.ts';
import type { SearchKnowledge } from '../../knowledge/search.ts';
import { findCallById } from '../store.ts';

export interface CallKnowledgeDeps {
  sql: Sql;
  search: SearchKnowledge;
  /** Without it there are no calls of tests. */
  agentOfTestCall?: AgentOfTestCall;
}

/** Null for a call that is no test's. */
export type AgentOfTestCall = (callId: string) => Promise<{ workspace_id: string; agent: AgentConfig } | null>;

/** Share of the request's time for the embedding; when it is late, the search goes by keywords alone. */
const SEMANTIC_TIME_SHARE = 0.7;
const MAX_PASSAGES = 20;
const MAX_QUERY_CHARACTERS = 1_000;

/** Serves the engines' knowledge search requests. */
export function serveKnowledge(bus: Pick<Bus, 'serveKnowledge'>, deps: CallKnowledgeDeps): void {
  bus.serveKnowledge((request) => searchForCall(deps, request));
}

/** Searches the knowledge bases of the call's agent, only while the call is live. */
export async function searchForCall(
  { sql, search, agentOfTestCall }: CallKnowledgeDeps,
  { call_id, query, limit, within_ms, agent_id: asking }: SearchKnowledgeRequest,
): Promise<SearchKnowledgeReply> {
  const found = await basesToSearch();
  if (typeof found === 'string') return refused(found);
  const { workspace_id, knowledge_base_ids } = found;
  if (knowledge_base_ids.length === 0) return refused('the agent has no knowledge bases');
  const { items, hits, embed_ms, search_ms } = await search({
    workspace_id,
    knowledge_base_ids,
    query: query.slice(0, MAX_QUERY_CHARACTERS),
    limit: Math.min(Math.max(1, limit), MAX_PASSAGES),
    semantic_timeout_ms: within_ms * SEMANTIC_TIME_SHARE,
  });
  const passages = items.map(({ source_name, text, score, keyword_match }) => {
    return { source: source_name, text, score, keyword_match };
  });
  return { error: '', passages, hits, embed_ms, search_ms };

  /** The knowledge bases to search, or why there are none. */
  async function basesToSearch(): Promise<{ workspace_id: string; knowledge_base_ids: string[] } | string> {
    const call = ID_PATTERN.test(call_id) ? await findCallById(sql, call_id) : null;
    if (!call) {
      const test = await agentOfTestCall?.(call_id);
      if (!test) return 'the call is not known';
      return { workspace_id: test.workspace_id, knowledge_base_ids: test.agent.knowledge_base_ids };
    }
    const { workspace_id, status, handoff_agent_ids } = call;
    const agent_id = asking ?? call.agent_id;
    const isIn = agent_id === call.agent_id || handoff_agent_ids.includes(asking ?? '');
    if (status !== 'in-progress' && status !== 'ringing') return `the call is ${status}`;
    if (!isIn) return 'the call was not handed to this agent';
    if (agent_id === null) return { workspace_id, knowledge_base_ids: [] };
    const isOwn = agent_id === call.agent_id;
    const found = isOwn ? basesOfCall(sql, call) : basesOf(sql, workspace_id, agent_id);
    return { workspace_id, knowledge_base_ids: await found };
  }
}

function refused(error: string): SearchKnowledgeReply {
  return { error, passages: [], hits: 0, embed_ms: 0, search_ms: 0 };
}
