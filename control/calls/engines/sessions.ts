import type { Bus } from '../../../shared/bus/bus.ts';
import type { OpenSessionReply, OpenSessionRequest } from '../../../shared/bus/messages.ts';
import type { Clock } from '../../../shared/clock.ts';
import { ID_PATTERN } from '../../../shared/ids.ts';
import { agentFromColumns } from '../../agents/agent-for-call.ts';
import { lengthCapSeconds, meansFromColumns } from '../../billing/length-cap.ts';
import type { Sql } from '../../db/connect.ts';
import { knowledgeForCall } from '../../knowledge/knowledge-lookups.ts';
import type { CallRow } from '../call-row.ts';
import { isSameCall } from '../lifecycle/answered-call.ts';
import { endUnconnected } from '../lifecycle/call-state-machine.ts';
import { MAX_RINGING_MS } from '../lifecycle/end-silent-web-calls.ts';
import { lockCallById } from '../store.ts';
import { type AgentForEngineDeps, agentForEngine } from './agent-for-engine.ts';
import { readSession, type SessionRow, takeCall } from './read-session.ts';

export interface SessionsDeps extends AgentForEngineDeps {
  sql: Sql;
  clock: Clock;
  /** Called when a call was ended here; some carriers need a request to hang up. */
  onCallEnded?(call: CallRow): void;
}

const OUT_OF_CREDITS = 'out of credits';
const AGENT_DELETED = 'the agent was deleted';
const UNKNOWN = 'the call is not known';
/** Of reading a call that changes before it is taken. */
const MAX_TRIES = 3;

/** Serves the engines' requests to open a session for a stream. */
export function serveSessions(bus: Pick<Bus, 'serveSessions'>, deps: SessionsDeps): void {
  bus.serveSessions((request) => openSession(deps, request));
}

/** Opens the session of a call for the first stream token presented, while the call rings; every other token is refused. */
export async function openSession(deps: SessionsDeps, request: OpenSessionRequest): Promise<OpenSessionReply> {
  const { log } = deps;
  const { call_id, engine_id } = request;
  const reply = ID_PATTERN.test(call_id) ? await sessionOrRefusal(deps, request) : { refused: UNKNOWN };
  if (reply.refused !== '') log.warn({ call_id, engine_id, refused: reply.refused }, 'media stream refused');
  return reply;
}

async function sessionOrRefusal(deps: SessionsDeps, request: OpenSessionRequest): Promise<OpenSessionReply> {
  const { sql } = deps;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const call = await readSession(sql, request.call_id);
    const refused = refusalOf(call, request);
    if (refused !== null) return { refused };
    const opened = await sessionOf(deps, call as SessionRow, request);
    // Null: the call has changed meanwhile, and the next reading says how.
    if (opened) return opened;
  }
  throw new Error('the call changes while its session is opened');
}

/** Null when it could not be taken. */
async function sessionOf(
  { sql, clock, log, toolHeaders, onCallEnded: ended }: SessionsDeps,
  call: SessionRow,
  request: OpenSessionRequest,
): Promise<OpenSessionReply | null> {
  const { id: call_id, workspace_id, agent_id, direction, channel, from_number, to_number, user_data } = call;
  const agent = agentFromColumns(call);
  if (agent_id === null || !agent) return { refused: AGENT_DELETED };
  const knowledge = await knowledgeForCall(sql, workspace_id, agent.config);
  const knowledge_characters = knowledge?.text.length ?? 0;
  const cap = { agent: agent.config, knowledge_characters, channel, carrier: call.provider };
  const paidSeconds = lengthCapSeconds(meansFromColumns(call), cap);
  if (paidSeconds < 1) {
    const unpaid = await endUnpaid(sql, request, clock.wall());
    if (unpaid) ended?.(unpaid);
    return unpaid && { refused: OUT_OF_CREDITS };
  }
  if (!(await takeCall(sql, { ...call, agent_id }, request))) return null;
  const { max_duration_seconds } = agent.config.call;
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
      ...agentForEngine(agent, { call_id, workspace_id, provider: call.provider }, request, { toolHeaders, log }),
      user_data_json: JSON.stringify(user_data),
      max_duration_seconds: Math.min(max_duration_seconds, paidSeconds),
      ...(paidSeconds < max_duration_seconds ? { capped_by_credits: true } : {}),
      llm_fallbacks: call.llm_fallbacks,
      knowledge,
      capture: call.captured ?? false,
      started_by: channel === 'web' ? call.started_by : '',
    },
  };
}

/** Ends a call whose credits were used up while it rang; null when it has changed meanwhile. */
async function endUnpaid(sql: Sql, request: OpenSessionRequest, nowMs: number): Promise<CallRow | null> {
  return sql.begin(async (tx) => {
    const call = await lockCallById(tx, request.call_id);
    if (!call || refusalOf(call, request) !== null) return null;
    const end = { status: 'failed', hangup_by: 'service', hangup_reason: OUT_OF_CREDITS } as const;
    await endUnconnected(tx, call, { ...end, level: 'error', message: OUT_OF_CREDITS }, nowMs);
    return call;
  });
}

/** Why the call has no session for this token; null: it may have one. */
function refusalOf(call: CallRow | null, request: OpenSessionRequest): string | null {
  const { nonce, engine_id, carrier, provider_call_id } = request;
  if (!call) return UNKNOWN;
  // An engine that missed the reply repeats the request with the same token.
  const isRepeated = call.media_nonce === nonce && call.engine_id === engine_id;
  if (call.media_nonce !== null && !isRepeated) return 'the token was used before';
  if (call.status !== 'ringing') return refusalByStatus(call);
  if (call.hangup_requested_reason !== '') return 'the call is being hung up';
  // A browser opens browser calls only, and a client's stream its own; neither has an id of a carrier.
  const isSameChannel =
    call.channel === 'web'
      ? carrier === (call.provider || 'browser')
      : call.provider === carrier && isSameCall(call.provider_call_id, provider_call_id);
  if (!isSameChannel) return 'the call is another carrier call';
  return call.agent_id === null ? AGENT_DELETED : null;
}

/** A browser's token is valid for 60 seconds, but its call rings for 30: the reason says why a later one is refused. */
function refusalByStatus({ channel, status, hangup_reason }: CallRow): string {
  if (channel === 'web' && hangup_reason === 'canceled') {
    return `the call was canceled: no audio within ${MAX_RINGING_MS / 1_000} seconds`;
  }
  return `the call is ${status}`;
}
