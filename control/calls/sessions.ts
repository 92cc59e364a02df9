import type { Bus } from '../../shared/bus/bus.ts';
import type { OpenSessionReply, OpenSessionRequest } from '../../shared/bus/messages.ts';
import type { Clock } from '../../shared/clock.ts';
import { ID_PATTERN } from '../../shared/ids.ts';
import type { Logger } from '../../shared/log.ts';
import { agentForCall } from '../agents/agent-for-call.ts';
import type { Sql } from '../db/connect.ts';
import { knowledgeForCall } from '../knowledge/for-agents.ts';
import { modelFallbacksOf } from '../workspaces/model-fallbacks.ts';
import { isSameCall } from './answered-call.ts';
import { changeCall } from './move.ts';
import { lockCallById } from './store.ts';

export interface SessionsDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
}

/** Answers the engines' question "who is this call?" from now on. */
export function serveSessions(bus: Pick<Bus, 'serveSessions'>, deps: SessionsDeps): void {
  bus.serveSessions((request) => openSession(deps, request));
}

/** One stream per call: the first pass that is shown is the only one that works, and only while the call rings. */
export async function openSession(
  { sql, clock, log }: SessionsDeps,
  request: OpenSessionRequest,
): Promise<OpenSessionReply> {
  const { call_id, nonce, engine_id, carrier, provider_call_id } = request;
  const reply = await sql.begin(async (tx): Promise<OpenSessionReply> => {
    const call = ID_PATTERN.test(call_id) ? await lockCallById(tx, call_id) : null;
    if (!call) return { refused: 'the call is not known' };
    // An engine that did not hear our answer asks again with the same pass; it is the same use.
    const askedBefore = call.media_nonce === nonce && call.engine_id === engine_id;
    if (call.media_nonce !== null && !askedBefore) return { refused: 'the token was used before' };
    if (call.status !== 'ringing') return { refused: `the call is ${call.status}` };
    if (call.hangup_ordered_reason !== '') return { refused: 'the call is being hung up' };
    if (call.provider !== carrier || !isSameCall(call.provider_call_id, provider_call_id)) {
      return { refused: 'the call is another carrier call' };
    }
    const { workspace_id, agent_id, direction, channel, from_number, to_number, user_data } = call;
    const agent = agent_id === null ? null : await agentForCall(tx, workspace_id, agent_id);
    if (!agent || agent_id === null) return { refused: 'the agent is gone' };
    await changeCall(tx, call, { media_nonce: nonce, engine_id, heartbeat_at: new Date(clock.wall()) });
    return {
      refused: '',
      session: {
        call_id,
        workspace_id,
        agent_id,
        direction,
        channel,
        from_number,
        to_number,
        agent_json: JSON.stringify(agent.config),
        user_data_json: JSON.stringify(user_data),
        max_duration_seconds: agent.config.call.max_duration_seconds,
        llm_fallbacks: await modelFallbacksOf(tx, workspace_id),
        knowledge: await knowledgeForCall(tx, workspace_id, agent.config),
      },
    };
  });
  if (reply.refused !== '') log.warn({ call_id, engine_id, refused: reply.refused }, 'a media stream was refused');
  return reply;
}
