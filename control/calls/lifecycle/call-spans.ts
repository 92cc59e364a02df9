import type { FastifyRequest } from 'fastify';
import { endedByFailure } from '../../../shared/call.ts';
import type { Clock } from '../../../shared/clock.ts';
import { type CallSpan, callSpanId, type EmitSpan, newSpanId, spanExport } from '../../../shared/telemetry/spans.ts';
import { readTraceparent } from '../../../shared/telemetry/traceparent.ts';
import { type AnySql, afterCommit } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';

/** Makes the spans of a call out of its row, once its end is committed: its own, the wait in the queue, the dial, the ringing. */
export function traceEndedCall(sql: AnySql, call: CallRow): void {
  const emit = spanExport();
  if (emit) afterCommit(sql, () => emitSpans(emit, call));
}

/**
 * Places a call by a request. Where its `traceparent` names a span of the client, the call's trace gets a span of the request with a link
 * to it: the call's trace id is its own.
 */
export async function placeTraced<Call extends { id: string }>(
  { method, headers, routeOptions }: Pick<FastifyRequest, 'method' | 'headers' | 'routeOptions'>,
  clock: Pick<Clock, 'wall'>,
  place: () => Promise<Call>,
): Promise<Call> {
  const start_ms = clock.wall();
  const call = await place();
  const client = readTraceparent(headers.traceparent);
  if (client) {
    spanExport()?.({
      ...{ call_id: call.id, span_id: newSpanId(), parent_id: callSpanId(call.id), kind: 'server', links: [client] },
      ...{ name: `${method} ${routeOptions.url}`, start_ms, end_ms: clock.wall() },
      attributes: { 'http.request.method': method, 'http.route': routeOptions.url ?? '' },
    });
  }
  return call;
}

function emitSpans(emit: EmitSpan, call: CallRow): void {
  const { id: call_id, direction, channel, provider, hangup_reason, batch_id } = call;
  const end_ms = call.ended_at?.getTime() ?? Date.now();
  const part = (name: string, kind: CallSpan['kind'], from: Date | null, to: Date | null) => {
    if (!from || (!to && from.getTime() > end_ms)) return;
    emit({
      ...{ call_id, span_id: newSpanId(), parent_id: callSpanId(call_id), name, kind },
      ...{ start_ms: from.getTime(), end_ms: to?.getTime() ?? end_ms },
      attributes: kind === 'client' ? { 'antiphon.carrier': provider } : {},
    });
  };
  if (direction === 'outbound' && channel === 'phone') {
    part('queue', 'internal', call.queued_at, call.ringing_at);
    part('dial', 'client', call.ringing_at, call.placed_at);
    if (call.placed_at) part('ringing', 'internal', call.placed_at, call.started_at);
  }
  emit({
    ...{ call_id, span_id: callSpanId(call_id), parent_id: null, name: 'call', kind: 'server' },
    ...{ start_ms: call.created_at.getTime(), end_ms },
    attributes: {
      'gen_ai.conversation.id': call_id,
      'antiphon.workspace.id': call.workspace_id,
      ...(call.agent_id !== null && { 'gen_ai.agent.id': call.agent_id }),
      ...(batch_id !== null && { 'antiphon.batch.id': batch_id }),
      'antiphon.carrier': provider,
      'antiphon.channel': channel,
      'antiphon.direction': direction,
      'antiphon.call.status': call.status,
      'antiphon.hangup_by': call.hangup_by ?? '',
    },
    ...(hangup_reason !== '' && endedByFailure(hangup_reason) && { error_type: hangup_reason.replace(/^error: /, '') }),
  });
}
