import type { ToBrowser } from '../../shared/web-signalling.ts';

/**
 * Parses a message of the engine; returns null for a type this page does not know, which a newer engine may send. The parts
 * for mediasoup-client are passed on unchecked.
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
    case 'response':
      return typeof id === 'number' ? { type, id, data: isRecord(message.data) ? message.data : {} } : null;
    case 'error':
      return { type, id: typeof id === 'number' ? id : null, message: String(message.message ?? '') };
    case 'transcript':
      if ((role !== 'user' && role !== 'agent') || typeof text !== 'string') return null;
      return {
        ...{ type, role, text, final: final === true, interrupted: message.interrupted === true },
        at_ms: typeof at_ms === 'number' ? at_ms : 0,
      };
    case 'tool_call': {
      const { tool_call_id, name, timeout_ms } = message;
      if (typeof tool_call_id !== 'string' || typeof name !== 'string') return null;
      return {
        ...{ type, tool_call_id, name },
        arguments: isRecord(message.arguments) ? message.arguments : {},
        timeout_ms: typeof timeout_ms === 'number' ? timeout_ms : 0,
      };
    }
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
