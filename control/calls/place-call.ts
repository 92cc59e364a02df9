import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { variablesOf } from '../../shared/variables.ts';
import { agentForCall } from '../agents/agent-for-call.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound, ruleBroken } from '../http/errors.ts';
import { chooseCallerNumber } from '../numbers/caller-number.ts';
import type { CallRow, UserData } from './call-row.ts';
import { wakeDispatcher } from './move.ts';
import { insertCall } from './store.ts';
import { writeEvents } from './timeline.ts';

export interface PlaceCallOrder {
  workspace_id: string;
  agent_id: string;
  /** E.164 */
  to_number: string;
  from_number?: string | undefined;
  user_data: UserData;
  not_before?: Date | undefined;
  /** Written in the transaction of the call. */
  carriedOut?: (tx: AnySql) => Promise<void>;
  /** Its name is shown as `started_by`: a person, a key's label, or `batch <name>`. */
  actor: Actor;
}

const BOOK_AHEAD_MS = 7 * 24 * 3_600_000;

/**
 * Puts an outbound call into the queue and wakes the dispatcher.
 * @throws HttpError in this order: 404 agent, 409 paused or frozen, 400 no caller number.
 */
export async function placeCall(sql: Sql, clock: Clock, order: PlaceCallOrder): Promise<CallRow> {
  const { workspace_id, agent_id, to_number, user_data, not_before, actor } = order;
  const by = actor.name;
  const nowMs = clock.wall();
  if (not_before && not_before.getTime() > nowMs + BOOK_AHEAD_MS) {
    throw ruleBroken('not_before may lie at most 7 days ahead', ['not_before'], not_before.toISOString());
  }
  return sql.begin(async (tx) => {
    // Whoever deletes the agent fails its queued calls: this one is written before that, or not at all.
    await tx`select id from agents where workspace_id = ${workspace_id} and id = ${agent_id} for key share`;
    const agent = await agentForCall(tx, workspace_id, agent_id);
    if (!agent) throw notFound('agent');
    if (agent.status !== 'active') throw conflict(`the agent is ${agent.status}`);
    const from = await chooseCallerNumber(tx, workspace_id, agent_id, order.from_number);
    const [workspace] = await tx<{ currency: string }[]>`select currency from workspaces where id = ${workspace_id}`;

    const created_at = new Date(nowMs);
    const call = await insertCall(tx, {
      workspace_id,
      id: newId(nowMs),
      agent_id,
      agent_name: agent.name,
      agent_version: agent.version,
      direction: 'outbound',
      channel: 'phone',
      status: 'queued',
      from_number: from.number,
      to_number,
      user_data,
      started_by: by,
      provider: from.provider,
      created_at,
      not_before_at: not_before ?? null,
      queued_at: not_before && not_before > created_at ? not_before : created_at,
      currency: workspace!.currency,
    });

    const [before] = await tx<{ count: number }[]>`
      select count(*)::integer as count from calls
      where workspace_id = ${workspace_id} and status = 'queued' and (queued_at, id) < (${call.queued_at}, ${call.id})`;
    const position = before!.count + 1;
    const { welcome_message, system_prompt } = agent.config;
    const missing = variablesOf(welcome_message, system_prompt).filter((name) => !Object.hasOwn(user_data, name));
    await writeEvents(tx, call, [
      {
        type: 'call.queued',
        level: 'info',
        message: `queued at position ${position}`,
        latency_ms: null,
        data: { position, by, ...(missing.length > 0 ? { missing } : {}) },
        at_ms: nowMs,
      },
    ]);
    const target = { kind: 'call', id: call.id, name: '' };
    await writeAudit(tx, { workspace_id, actor, action: 'call.placed', target, data: { agent_id }, at_ms: nowMs });
    await order.carriedOut?.(tx);
    await wakeDispatcher(tx, workspace_id);
    return call;
  });
}
