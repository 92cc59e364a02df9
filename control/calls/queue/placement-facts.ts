import { LRUCache } from 'lru-cache';
import { variablesOf } from '../../../shared/variables.ts';
import type { AgentForCall } from '../../agents/agent-for-call.ts';
import type { CanaryRow } from '../../agents/canary-store.ts';
import { canPayForCalls } from '../../billing/wallet.ts';
import type { AnySql } from '../../db/connect.ts';
import { type CandidateNumber, candidateNumbers } from '../../numbers/number-lookups.ts';
import { hasReceivers } from '../../webhooks/create-deliveries.ts';
import { callsBefore } from './queue-position.ts';

/** What the placement of calls of one agent depends on, as of one moment. */
export interface PlacementFacts extends Pick<AgentForCall, 'name' | 'version' | 'status'> {
  /** What the agent's texts expect in `user_data`. */
  variables: readonly string[];
  /** The version that a share of its calls uses. */
  canary: (Pick<CanaryRow, 'version' | 'percent'> & { variables: readonly string[] }) | null;
  currency: string;
  can_pay: boolean;
  /** For `chooseAmong`. */
  numbers: CandidateNumber[];
  /** Somebody may get a webhook of it. */
  has_receivers: boolean;
  /** Calls that are served before the first of these calls. */
  calls_before: number;
}

/** An agent whose calls are to be placed. */
export interface AskedAgent {
  workspace_id: string;
  agent_id: string;
  /** The numbers that were requested; of all agents that are asked together, or of none. */
  from: readonly string[] | null;
  /** The call whose position is wanted. */
  first: { queued_at: Date; id: string };
}

export interface AskedCalls {
  /** The batch that all of them are placed for. */
  batch_id: string | null;
  /** They wait for a time to come. */
  is_later: boolean;
}

interface FactsRow extends Omit<PlacementFacts, 'variables' | 'canary'> {
  nth: number;
  /** Null when the variables of this version are known. */
  texts: string[] | null;
  canary_version: number | null;
  canary_percent: number | null;
  /** The same of the canary's version. */
  canary_texts: string[] | null;
}

interface Known {
  version: number;
  variables: readonly string[];
}

/** By the agent's id: a version never changes, and its prompt may be long. */
const variablesOfAgents = new LRUCache<string, Known>({ max: 5_000 });
const variablesOfCanaries = new LRUCache<string, Known>({ max: 5_000 });

/** Reads all of it with one statement for all of these agents; null for one that there is not. */
export async function readPlacementFacts(
  sql: AnySql,
  agents: readonly AskedAgent[],
  { batch_id, is_later }: AskedCalls,
  nowMs: number,
): Promise<(PlacementFacts | null)[]> {
  const known = agents.map(({ agent_id }) => variablesOfAgents.get(agent_id));
  const knownCanaries = agents.map(({ agent_id }) => variablesOfCanaries.get(agent_id));
  const asked = agents.map(({ workspace_id, agent_id, from, first }, nth) => ({
    ...{ nth, workspace_id, agent_id, known_version: known[nth]?.version ?? 0, requested: from },
    known_canary: knownCanaries[nth]?.version ?? 0,
    ...{ queued_at: first.queued_at.toISOString(), first_id: first.id },
  }));
  const [workspace_id, agent_id] = [sql`asked.workspace_id`, sql`asked.agent_id`];
  const first = {
    workspace_id,
    of_batch: batch_id !== null,
    queued_at: sql`asked.queued_at`,
    is_later,
    id: sql`asked.first_id`,
  };
  const from = agents.some((agent) => agent.from !== null) ? sql`asked.requested` : null;
  // As JSON: PostgreSQL would make a plan for each length of an array.
  const rows = await sql<FactsRow[]>`
    select asked.nth, agents.name, agents.version, agents.status, workspaces.currency,
      case when agents.version <> asked.known_version then array[agents.welcome_message, agents.system_prompt] end as texts,
      canary.version as canary_version, canary.percent as canary_percent,
      case when canary.version <> asked.known_canary
        then array[canary.config ->> 'welcome_message', canary.config ->> 'system_prompt'] end as canary_texts,
      ${canPayForCalls(sql, workspace_id)} as can_pay,
      (
        select coalesce(jsonb_agg(candidate), '[]') from (${candidateNumbers(sql, workspace_id, agent_id, from)}) as candidate
      ) as numbers,
      ${hasReceivers(sql, { workspace_id, agent_id, batch_id })} as has_receivers,
      (${callsBefore(sql, first, nowMs)}) as calls_before
    from jsonb_to_recordset(${sql.json(asked as never)}) as asked (
      nth integer, workspace_id text, agent_id text, known_version integer, known_canary integer, requested text[], queued_at timestamptz,
      first_id text
    )
    join agents on agents.workspace_id = asked.workspace_id and agents.id = asked.agent_id
    join workspaces on workspaces.id = asked.workspace_id
    left join agent_canaries canary on canary.workspace_id = agents.workspace_id and canary.agent_id = agents.id`;
  const byNth = new Map(rows.map(({ nth, ...row }) => [nth, row]));
  return agents.map(({ agent_id }, nth) => {
    const row = byNth.get(nth);
    if (!row) return null;
    const { texts, canary_version: version, canary_percent: percent, canary_texts, ...facts } = row;
    const variables = texts ? variablesOf(...texts) : known[nth]!.variables;
    if (texts) variablesOfAgents.set(agent_id, { version: row.version, variables });
    if (version === null || percent === null) return { ...facts, variables, canary: null };
    const ofCanary = canary_texts ? variablesOf(...canary_texts) : knownCanaries[nth]!.variables;
    if (canary_texts) variablesOfCanaries.set(agent_id, { version, variables: ofCanary });
    return { ...facts, variables, canary: { version, percent, variables: ofCanary } };
  });
}
