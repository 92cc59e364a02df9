import type { Bus } from '../../../shared/bus/bus.ts';
import type { Clock } from '../../../shared/clock.ts';
import { writeAudit } from '../../audit/write-audit.ts';
import type { Sql } from '../../db/connect.ts';
import type { Actor } from '../../http/authenticate.ts';
import { conflict, notFound } from '../../http/errors.ts';
import { findCall } from '../store.ts';

export interface PauseRecordingDeps {
  sql: Sql;
  clock: Clock;
  bus: Pick<Bus, 'sendRecordingOrder'>;
}

const ENGINE_REPLY_TIMEOUT_MS = 2_000;

/**
 * Has the engine pause or resume the recording of a live call. Once this resolves, the engine has done it.
 * @throws HttpError 404 call, 409 when it is not live, is not recorded, or its engine does not answer.
 */
export async function pauseRecording(
  { sql, clock, bus }: PauseRecordingDeps,
  workspaceId: string,
  callId: string,
  paused: boolean,
  actor: Actor,
): Promise<void> {
  const call = await findCall(sql, workspaceId, callId);
  if (!call) throw notFound('call');
  if (call.media_nonce === null || (call.status !== 'in-progress' && call.status !== 'ringing')) {
    throw conflict('the call is not live');
  }
  const order = { call_id: call.id, paused };
  const reply = await bus.sendRecordingOrder(order, ENGINE_REPLY_TIMEOUT_MS, call.engine_id).catch(() => null);
  if (!reply) throw conflict('the call is not recorded, or its engine does not answer; try again');
  if (!reply.done) throw conflict(reply.detail);
  const action = paused ? 'recording.paused' : 'recording.resumed';
  const target = { kind: 'call', id: call.id, name: '' };
  await writeAudit(sql, { workspace_id: workspaceId, actor, action, target, at_ms: clock.wall() });
}
