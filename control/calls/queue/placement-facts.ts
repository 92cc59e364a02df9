import { LRUCache } from 'lru-cache';
import { variablesOf } from '../../../shared/variables.ts';
import type { AgentForCall } from '../../agents/agent-for-call.ts';
import { canPayForCalls } from '../../billing/wallet.ts';
import type { AnySql } from '../../db/connect.ts';
import { type CandidateNumber, candidateNumbers } from '../../numbers/number-lookups.ts';
import { hasReceivers } from '../../webhooks/create-deliveries.ts';
import { callsBefore, type QueuePlace } from './queue-position.ts';

/** What the placement of calls of one agent depends on, as of one moment. */
export interface PlacementFacts extends Pick<AgentForCall, 'name' | 'version' | 'status'> {
  /** What the agent's texts expect in `user_data`. */
  variables: readonly string[];
  currency: string;
  can_pay: boolean;
  /** For `chooseAmong`. */
  numbers: CandidateNumber[];
  /** Somebody may get a webhook of it. */
  has_receivers: boolean;
  /** Calls that are served before the first of these calls. */
  calls_before: number;
}

interface FactsRow extends Omit<PlacementFacts, 'variables'> {
  /** Null when the variables of this version are known. */
  texts: string[] | null;
}

/** By the agent's id: a version never changes, and its prompt may be long. */
const variablesOfAgents = new LRUCache<string, { version: number; variables: readonly string[] }>({ max: 5_000 });

/** Reads all of it with one statement; null when there is no such agent. `from`: the numbers that were requested, null for none. */
export async function readPlacementFacts(
  sql: AnySql,
  { workspace_id, agent_id, from }: { workspace_id: string; agent_id: string; from: readonly string[] | null },
  first: QueuePlace,
  nowMs: number,
): Promise<PlacementFacts | null> {
  const known = variablesOfAgents.get(agent_id);
  const { batch_id } = first;
  const [row] = await sql<FactsRow[]>`
    select agents.name, agents.version, agents.status, workspaces.currency,
      case when agents.version <> ${known?.version ?? 0} then array[welcome_message, system_prompt] end as texts,
      ${canPayForCalls(sql, workspace_id)} as can_pay,
      (
        select coalesce(jsonb_agg(candidate), '[]') from (${candidateNumbers(sql, workspace_id, agent_id, from)}) as candidate
      ) as numbers,
      ${hasReceivers(sql, { workspace_id, agent_id, batch_id })} as has_receivers,
      (${callsBefore(sql, first, nowMs)}) as calls_before
    from agents join workspaces on workspaces.id = agents.workspace_id
    where agents.workspace_id = ${workspace_id} and agents.id = ${agent_id}`;
  if (!row) return null;
  const { texts, ...facts } = row;
  const variables = texts ? variablesOf(...texts) : known!.variables;
  if (texts) variablesOfAgents.set(agent_id, { version: row.version, variables });
  return { ...facts, variables };
}
