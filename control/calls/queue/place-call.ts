import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { variablesOf } from '../../../shared/variables.ts';
import { agentForCall, requireActive } from '../../agents/agent-for-call.ts';
import { writeAudit } from '../../audit/write-audit.ts';
import { canPlaceCalls } from '../../billing/wallet.ts';
import type { AnySql, Sql, Transaction } from '../../db/connect.ts';
import type { Actor } from '../../http/authenticate.ts';
import { notFound, outOfCredits, validationError } from '../../http/errors.ts';
import { chooseCallerNumber } from '../../numbers/number-lookups.ts';
import type { CallRow, UserData } from '../call-row.ts';
import { writeEvents } from '../events/timeline.ts';
import { wakeDispatcher } from '../lifecycle/call-state-machine.ts';
import { insertCall } from '../store.ts';

export interface PlaceCallRequest {
  workspace_id: string;
  agent_id: string;
  /** E.164 */
  to_number: string;
  from_number?: string | undefined;
  user_data: UserData;
  not_before?: Date | undefined;
  /** Marks the idempotent request as carried out, in the transaction of the call. */
  markCarriedOut?: (tx: AnySql) => Promise<void>;
  /** Its name becomes `started_by`: a person, a key's label, or `batch <name>`. */
  actor: Actor;
  /** The batch it is placed for. */
  batch_id?: string | undefined;
}

const MAX_BOOK_AHEAD_MS = 7 * 24 * 3_600_000;
/** The position in the queue is counted up to here, so that its cost does not grow with the queue. */
const MAX_COUNTED_POSITION = 1_000;

/**
 * Queues an outbound call and wakes the dispatcher.
 * @throws HttpError in this order: 404 agent, 409 paused or frozen, 400 no caller number, 402 out of credits.
 */
export async function placeCall(sql: Sql, clock: Clock, request: PlaceCallRequest): Promise<CallRow> {
  const nowMs = clock.wall();
  return sql.begin(async (tx) => {
    const call = await placeCallIn(tx, nowMs, request);
    // Last in the order of refusals; the transaction is rolled back.
    if (!(await canPlaceCalls(tx, request.workspace_id))) throw outOfCredits();
    return call;
  });
}

/**
 * The same in the caller's transaction, without the check of credits, which follows when the call is dequeued.
 */
export async function placeCallIn(tx: Transaction, nowMs: number, request: PlaceCallRequest): Promise<CallRow> {
  const { workspace_id, agent_id, to_number, user_data, not_before, actor } = request;
  const by = actor.name;
  if (not_before && not_before.getTime() > nowMs + MAX_BOOK_AHEAD_MS) {
    throw validationError('not_before may lie at most 7 days ahead', ['not_before'], not_before.toISOString());
  }
  // The deletion of an agent fails its queued calls: with this lock the call is written before it, or not at all.
  await tx`select id from agents where workspace_id = ${workspace_id} and id = ${agent_id} for key share`;
  const agent = await agentForCall(tx, workspace_id, agent_id);
  if (!agent) throw notFound('agent');
  requireActive(agent);
  const from = await chooseCallerNumber(tx, workspace_id, agent_id, request.from_number);
  const [workspace] = await tx<{ currency: string }[]>`select currency from workspaces where id = ${workspace_id}`;

  const created_at = new Date(nowMs);
  const call = await insertCall(tx, {
    workspace_id,
    id: newId(nowMs),
    agent_id,
    agent_name: agent.name,
    agent_version: agent.version,
    ...(request.batch_id === undefined ? {} : { batch_id: request.batch_id }),
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
    select count(*)::integer as count from (
      select 1 from calls
      where workspace_id = ${workspace_id} and status = 'queued' and (queued_at, id) < (${call.queued_at}, ${call.id})
      order by queued_at, id limit ${MAX_COUNTED_POSITION}
    ) as before`;
  const position = before!.count + 1;
  const { welcome_message, system_prompt } = agent.config;
  const missing = variablesOf(welcome_message, system_prompt).filter((name) => !Object.hasOwn(user_data, name));
  await writeEvents(tx, call, [
    {
      type: 'call.queued',
      level: 'info',
      message: before!.count === MAX_COUNTED_POSITION ? 'queued far behind' : `queued at position ${position}`,
      latency_ms: null,
      data: { position, by, ...(missing.length > 0 ? { missing } : {}) },
      at_ms: nowMs,
    },
  ]);
  // For a batch the audit trail has one event for all its calls.
  if (request.batch_id === undefined) {
    const target = { kind: 'call', id: call.id, name: '' };
    await writeAudit(tx, { workspace_id, actor, action: 'call.placed', target, data: { agent_id }, at_ms: nowMs });
  }
  await request.markCarriedOut?.(tx);
  await wakeDispatcher(tx, workspace_id);
  return call;
}
