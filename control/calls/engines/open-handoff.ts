import type { AgentConfig } from '../../../shared/agent.ts';
import type { OpenHandoffReply, OpenHandoffRequest } from '../../../shared/bus/messages.ts';
import type { Clock } from '../../../shared/clock.ts';
import { MAX_HANDOFFS } from '../../../shared/handoff.ts';
import { ID_PATTERN } from '../../../shared/ids.ts';
import { realtimeManifest } from '../../../shared/providers/realtime.ts';
import { type AgentForCall, agentForCall, agentOfCall } from '../../agents/agent-for-call.ts';
import { lengthCapSeconds, type MeansColumns, meansColumns, meansFromColumns } from '../../billing/length-cap.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { knowledgeForCall } from '../../knowledge/knowledge-lookups.ts';
import type { CallRow } from '../call-row.ts';
import { type AgentForEngineDeps, agentForEngine } from './agent-for-engine.ts';

export interface OpenHandoffDeps extends AgentForEngineDeps {
  sql: Sql;
  clock: Clock;
}

/**
 * Answers an engine whose agent hands a live call to another one, which its settings name: the other agent's settings as they are now,
 * or for the model why it cannot take over. From then on the call may search that agent's knowledge bases.
 */
export async function openHandoff(deps: OpenHandoffDeps, request: OpenHandoffRequest): Promise<OpenHandoffReply> {
  const { call_id, agent_id } = request;
  const known = [call_id, request.from_agent_id, agent_id].every((id) => ID_PATTERN.test(id));
  const reply = known ? await deps.sql.begin((tx) => open(deps, tx, request)) : { refused: UNKNOWN };
  if (reply.refused !== '') deps.log.warn({ call_id, agent_id, refused: reply.refused }, 'handoff refused');
  return reply;
}

const UNKNOWN = 'the call is not known';

async function open(
  { clock, log, toolHeaders }: OpenHandoffDeps,
  tx: Transaction,
  { call_id, from_agent_id, agent_id, public_key }: OpenHandoffRequest,
): Promise<OpenHandoffReply> {
  const [call] = await tx<(CallRow & MeansColumns)[]>`
    select live.*, ${meansColumns(tx, tx`live.workspace_id`)} from live_calls as live where live.id = ${call_id} for no key update`;
  if (!call) return { refused: UNKNOWN };
  if (call.status !== 'in-progress' && call.status !== 'ringing') return { refused: `the call is ${call.status}` };
  const { workspace_id, provider, channel, handoff_agent_ids } = call;
  const first = await agentOfCall(tx, call);
  const from = from_agent_id === call.agent_id ? first : await agentForCall(tx, workspace_id, from_agent_id);
  const agent = agent_id === call.agent_id ? first : await agentForCall(tx, workspace_id, agent_id);
  const wasAsked = from_agent_id === call.agent_id || handoff_agent_ids.includes(from_agent_id);
  const isNamed = from?.config.call.handoffs.some((each) => each.agent_id === agent_id) ?? false;
  if (!wasAsked || !isNamed) return { refused: 'this agent does not hand calls to that one' };
  const refused = refusalOf(first, agent);
  if (refused !== null || !agent) return { refused: refused ?? DELETED };
  const isKnown = agent_id === call.agent_id || handoff_agent_ids.includes(agent_id);
  if (!isKnown && handoff_agent_ids.length >= MAX_HANDOFFS) return { refused: 'too many agents have had this call' };
  const knowledge = await knowledgeForCall(tx, workspace_id, agent.config);
  const knowledge_characters = knowledge?.text.length ?? 0;
  const cap = { agent: agent.config, knowledge_characters, channel, carrier: provider };
  const paid_seconds = lengthCapSeconds(meansFromColumns(call), cap);
  const passedSeconds = (clock.wall() - (call.started_at ?? call.created_at).getTime()) / 1_000;
  if (paid_seconds - passedSeconds < 1) return { refused: 'there are not enough credits for it' };
  if (!isKnown) {
    await tx`
      update live_calls set handoff_agent_ids = handoff_agent_ids || ${agent_id}::text
      where workspace_id = ${workspace_id} and id = ${call_id}`;
  }
  const forEngine = agentForEngine(agent, { call_id, workspace_id, provider }, { public_key }, { log, toolHeaders });
  return { refused: '', agent: { agent_id, ...forEngine, knowledge, paid_seconds } };
}

const DELETED = 'it was deleted';

/** Why the agent cannot go on with the call that began with `first`; null when it can. */
function refusalOf(first: AgentForCall | null, agent: AgentForCall | null): string | null {
  if (!agent) return DELETED;
  if (agent.status !== 'active') return `it is ${agent.status}`;
  if (realtimeManifest(agent.config.llm)) return 'its model hears and speaks itself';
  // The call's words leave the engine as its first agent wants.
  return redacts(agent.config, first?.config) ? null : 'it redacts numbers that this call does not';
}

const redacts = ({ call }: AgentConfig, first: AgentConfig | undefined): boolean =>
  (!call.redact_cards || first?.call.redact_cards === true) &&
  (!call.redact_identity_numbers || first?.call.redact_identity_numbers === true);
