import { createHash } from 'node:crypto';
import type { AuditAction } from '../../../shared/audit-actions.ts';
import type { Bus } from '../../../shared/bus/bus.ts';
import { isCarrierName } from '../../../shared/carriers/registry.ts';
import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import type { LiveOrder } from '../../../shared/live-control.ts';
import { writeAudit } from '../../audit/write-audit.ts';
import type { Carriers } from '../../carriers/carrier.ts';
import type { AnySql, Sql } from '../../db/connect.ts';
import type { Actor } from '../../http/authenticate.ts';
import { conflict, notFound } from '../../http/errors.ts';
import type { CallRow } from '../call-row.ts';
import { findCall } from '../store.ts';

export interface LiveControlDeps {
  sql: Sql;
  clock: Clock;
  bus: Pick<Bus, 'sendLiveOrder'>;
  carriers: Carriers;
}

/** Who orders what in which call. */
export interface GivenOrder {
  workspace_id: string;
  call_id: string;
  actor: Actor;
  order: LiveOrder;
  /** The request's Idempotency-Key: with the same one the engine does not carry the order out again. */
  key?: string | undefined;
  /** Joins the transaction that writes the audit event. */
  markCarriedOut?(tx: AnySql): Promise<void>;
}

const ENGINE_REPLY_TIMEOUT_MS = 2_000;

/**
 * Has the engine that holds a live call carry out an order. Once this resolves, the engine has taken it. The audit event says who
 * did what, never what was said.
 *
 * @returns how it was done, in a line for people; mostly empty.
 * @throws HttpError 404 call; 409 when it is not live, its engine does not answer, or the order cannot be carried out now.
 */
export async function sendLiveOrder(
  { sql, clock, bus, carriers }: LiveControlDeps,
  given: GivenOrder,
): Promise<string> {
  const { workspace_id, call_id, actor, order } = given;
  const call = await findLiveCall(sql, workspace_id, call_id);
  if (order.action === 'transfer') requireTransferable(call, carriers, order.number);
  const request = {
    call_id,
    order_id: orderId(given, clock.wall()),
    by: actor.kind,
    by_id: actor.id,
    order_json: JSON.stringify(order),
  };
  const reply = await bus.sendLiveOrder(request, ENGINE_REPLY_TIMEOUT_MS, call.engine_id).catch(() => null);
  if (!reply) throw conflict('the engine of the call does not answer; look at the call, and try again');
  if (!reply.done) throw conflict(reply.detail);
  await sql.begin(async (tx) => {
    await given.markCarriedOut?.(tx);
    const target = { kind: 'call', id: call_id, name: '' };
    const data = auditData(order);
    await writeAudit(tx, { workspace_id, actor, action: ACTIONS[order.action], target, data, at_ms: clock.wall() });
  });
  return reply.detail;
}

/** @throws HttpError 404 call, 409 when no engine holds it. */
export async function findLiveCall(sql: Sql, workspaceId: string, callId: string): Promise<CallRow> {
  const call = await findCall(sql, workspaceId, callId);
  if (!call) throw notFound('call');
  if (call.status === 'queued') throw conflict('the call is not live yet');
  if (call.status !== 'in-progress' && call.status !== 'ringing') throw conflict('the call is over');
  if (call.media_nonce === null) throw conflict('the call is not live yet');
  return call;
}

/** @throws HttpError 409 where the carrier does not transfer, or the number is one of the call's own. */
function requireTransferable(call: CallRow, carriers: Carriers, number: string | undefined): void {
  const { provider, from_number, to_number } = call;
  if (!isCarrierName(provider) || !carriers.get(provider)?.transfers)
    throw conflict('transfers are not possible on this line');
  if (number === from_number || number === to_number) throw conflict('this number is in the call already');
}

/** Of the audit trail. */
const ACTIONS: Record<LiveOrder['action'], AuditAction> = {
  say: 'call.said',
  instruct: 'call.instructed',
  set_variables: 'call.variables_set',
  mute: 'call.muted',
  press_keys: 'call.keys_pressed',
  transfer: 'call.transferred',
  hand_back: 'call.handed_back',
  expect_participant: 'call.joined',
};

function auditData(order: LiveOrder): Record<string, string | number | boolean | string[]> {
  switch (order.action) {
    case 'say':
      return { characters: order.text.length, interrupt: order.interrupt };
    case 'instruct':
      return { characters: order.text.length };
    case 'set_variables':
      return { names: Object.keys(order.values) };
    case 'mute':
      return { side: order.side, muted: order.muted, ...(order.muted && { max_seconds: order.max_seconds }) };
    case 'press_keys':
      return { digits: order.digits.length };
    case 'hand_back':
      return { characters: order.note.length };
    case 'expect_participant':
      return { mode: order.mode };
    case 'transfer':
      return { target: order.target ?? '', number_ends_in: order.number?.slice(-4) ?? '' };
  }
}

function orderId({ workspace_id, call_id, key, order }: GivenOrder, wallMs: number): string {
  if (!key) return newId(wallMs);
  return createHash('sha256')
    .update(JSON.stringify([workspace_id, call_id, order.action, key]))
    .digest('hex');
}
