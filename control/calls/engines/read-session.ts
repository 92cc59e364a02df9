import { type AgentColumns, agentColumns, agentLockedShared } from '../../agents/agent-for-call.ts';
import { type MeansColumns, meansColumns } from '../../billing/length-cap.ts';
import type { Sql } from '../../db/connect.ts';
import { modelFallbacks } from '../../workspaces/model-fallbacks.ts';
import type { CallRow } from '../call-row.ts';

/**
 * The two statements of a session: one reads all that it is made of, one takes the call for an engine. Each is a transaction of its
 * own, because the line is silent until both are answered, and others wait for a row no longer than one statement takes.
 */

/** A call with what its session is made of, as of one moment. */
export interface SessionRow extends CallRow, AgentColumns, MeansColumns {
  llm_fallbacks: string[];
}

/** The call that a session is for, while it is live; one that is over has no session, and only the columns of the call. */
export async function readSession(sql: Sql, callId: string): Promise<SessionRow | CallRow | null> {
  const workspaceId = sql`live.workspace_id`;
  const ofCall = {
    ...{ workspace_id: workspaceId, agent_id: sql`live.agent_id` },
    ...{ agent_version: sql`live.agent_version`, created_at: sql`live.created_at` },
  };
  const [live] = await sql<SessionRow[]>`
    select live.*, ${agentColumns(sql, ofCall)}, ${meansColumns(sql, workspaceId)},
      ${modelFallbacks(sql, workspaceId)} as llm_fallbacks
    from live_calls as live where live.id = ${callId}`;
  if (live) return live;
  const [finished] = await sql<CallRow[]>`select * from finished_calls where id = ${callId}`;
  return finished ?? null;
}

/**
 * Takes a ringing call for an engine, unless something has changed that its session depends on: the first token takes it, and its engine
 * may take it again with the same one. The call's row is locked while it is looked at, and the agent is there until it is taken.
 *
 * It does not wait for the disk (`synchronous_commit`), which would be silence on the line. A crash of the database, not one of
 * control, may let the call forget the token and the engine; the first event of the conversation brings the engine back, and a call in
 * progress takes no token. Until then a second stream would have to come with the same token to another engine: each refuses its own.
 */
export async function takeCall(
  sql: Sql,
  { workspace_id, id, agent_id }: CallRow & { agent_id: string },
  { nonce, engine_id }: { nonce: string; engine_id: string },
): Promise<boolean> {
  const taken = await sql`
    with agent as materialized (${agentLockedShared(sql, workspace_id, agent_id)}),
    in_transaction as materialized (select set_config('synchronous_commit', 'off', true))
    update live_calls set media_nonce = ${nonce}, engine_id = ${engine_id} from agent, in_transaction
    where live_calls.workspace_id = ${workspace_id} and live_calls.id = ${id} and live_calls.agent_id = agent.id
      and status = 'ringing' and hangup_requested_reason = ''
      and (media_nonce is null or (media_nonce = ${nonce} and engine_id = ${engine_id}))`;
  return taken.count > 0;
}
