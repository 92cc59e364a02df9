import type { ToBrowser } from '../../shared/web-signalling.ts';

/**
 * A message of the engine, or null for what is none: a newer engine may say more than this page understands. What
 * mediasoup-client reads itself is handed on as it came.
 */
export function readMessage(data: unknown): ToBrowser | null {
  if (typeof data !== 'string') return null;
  let message: unknown;
  try {
    message = JSON.parse(data);
  } catch {
    return null;
  }
  if (!isRecord(message)) return null;
  const { type, id, role, text, final, at_ms, reason } = message;
  switch (type) {
    case 'ready':
      return isRecord(message.rtp_capabilities) && isTransport(message.send) && isTransport(message.receive)
        ? ({ ...message, resumed: message.resumed === true } as unknown as ToBrowser)
        : null;
    case 'answer':
      return typeof id === 'number' ? { type, id, data: isRecord(message.data) ? message.data : {} } : null;
    case 'refused':
      return { type, id: typeof id === 'number' ? id : null, message: String(message.message ?? '') };
    case 'words':
      if ((role !== 'user' && role !== 'agent') || typeof text !== 'string') return null;
      return { type, role, text, final: final === true, at_ms: typeof at_ms === 'number' ? at_ms : 0 };
    case 'ended':
      return { type, reason: typeof reason === 'string' ? reason : '' };
    default:
      return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTransport(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value.id === 'string' &&
    isRecord(value.ice_parameters) &&
    Array.isArray(value.ice_candidates) &&
    isRecord(value.dtls_parameters)
  );
}
