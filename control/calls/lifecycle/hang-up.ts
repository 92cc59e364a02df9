import type { Bus } from '../../../shared/bus/bus.ts';
import type { HangUpCommand } from '../../../shared/bus/messages.ts';
import { isCarrierName } from '../../../shared/carriers/registry.ts';
import type { Clock } from '../../../shared/clock.ts';
import { errorText, type Logger } from '../../../shared/log.ts';
import { writeAudit } from '../../audit/write-audit.ts';
import type { Carriers } from '../../carriers/carrier.ts';
import type { Sql } from '../../db/connect.ts';
import type { Actor } from '../../http/authenticate.ts';
import { conflict, notFound } from '../../http/errors.ts';
import type { CallRow } from '../call-row.ts';
import { findCall, lockCall } from '../store.ts';
import { changeCall, endUnconnected } from './call-state-machine.ts';

export interface HangUpDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  bus: Pick<Bus, 'sendHangUp'>;
  carriers: Carriers;
}

const ENGINE_REPLY_TIMEOUT_MS = 2_000;

/**
 * Ends a call for a member: a queued call is canceled at once; for a live one the command is sent, and the call is returned as it
 * is at that moment.
 * @throws HttpError 404 call, 409 when it is over.
 */
export async function hangUpCall(
  deps: HangUpDeps,
  workspaceId: string,
  callId: string,
  actor: Actor,
): Promise<CallRow> {
  const { sql, clock } = deps;
  const by = actor.name;
  const call = await sql.begin(async (tx) => {
    const call = await lockCall(tx, workspaceId, callId);
    if (!call) throw notFound('call');
    if (call.status === 'queued') {
      const reason = 'canceled while queued';
      const end = { hangup_by: 'member', hangup_reason: reason, level: 'info', message: reason } as const;
      await endUnconnected(tx, call, { status: 'canceled', ...end }, clock.wall());
    } else if (call.status === 'ringing' || call.status === 'in-progress') {
      // Stored, because the end may be reported first by the engine, the carrier or the reaper.
      await changeCall(tx, call, { hangup_requested_reason: `hung up by ${by}` });
    } else throw conflict('the call is already over');
    const target = { kind: 'call', id: call.id, name: '' };
    await writeAudit(tx, { workspace_id: workspaceId, actor, action: 'call.hung_up', target, at_ms: clock.wall() });
    return call;
  });
  if (call.status !== 'ringing' && call.status !== 'in-progress') return call;
  await endLiveCall(deps, call, {
    call_id: call.id,
    hangup_by: 'member',
    hangup_reason: `hung up by ${by}`,
  });
  return (await findCall(sql, workspaceId, callId)) ?? call;
}

/**
 * Ends a live call: through the engine that holds it, otherwise at its carrier. Never throws; `false` when neither was reached, and
 * the reaper ends the call later.
 */
export async function endLiveCall(
  { log, bus, carriers }: Pick<HangUpDeps, 'log' | 'bus' | 'carriers'>,
  call: CallRow,
  command: HangUpCommand,
): Promise<boolean> {
  if (call.media_nonce !== null) {
    const reply = await bus.sendHangUp(command, ENGINE_REPLY_TIMEOUT_MS, call.engine_id).catch(() => null);
    if (reply?.done) return true;
  }
  return hangUpAtCarrier({ log, carriers }, call);
}

/** False also for a call without an id of the carrier yet: `dialCall` checks for a requested hang-up after the dial. */
export async function hangUpAtCarrier(
  { log, carriers }: Pick<HangUpDeps, 'log' | 'carriers'>,
  { id, provider, provider_call_id, provider_request_id }: CallRow,
): Promise<boolean> {
  const carrier = isCarrierName(provider) ? carriers.get(provider) : undefined;
  if (!carrier || (provider_call_id === '' && provider_request_id === '')) return false;
  try {
    await carrier.hangUp({ provider_call_id, provider_request_id });
    return true;
  } catch (error) {
    log.warn({ call_id: id, provider, error: errorText(error) }, 'hanging up at the carrier failed');
    return false;
  }
}
