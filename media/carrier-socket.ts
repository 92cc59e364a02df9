import type { WebSocket } from 'uWebSockets.js';
import type { LegSocket } from './leg/carrier-leg.ts';
import type { LegEnd } from './leg/leg.ts';

/**
 * With more than this in its send buffer, about half a second of audio, a socket takes no further audio. The kernel's buffers, which
 * are larger, are full by then.
 */
const CONGESTED_BYTES = 8 * 1024;
/** Behind more than this a close frame would not arrive. */
const UNREAD_BYTES = 32 * 1024;
/** Larger messages are not read: uWebSockets.js then closes the connection without a close frame. */
export const MAX_READ_BYTES = 2 * 1024 * 1024;

/** A carrier's socket as its leg uses it, until `data` says that it is closed. */
export function legSocket<Data extends { closed: boolean }>(ws: WebSocket<Data>, data: Data): LegSocket {
  return {
    send(message, kind) {
      if (data.closed) return 'closed';
      if (kind === 'audio' && ws.getBufferedAmount() > CONGESTED_BYTES) return 'congested';
      let outcome = 0;
      ws.cork(() => {
        outcome = ws.send(message, typeof message !== 'string');
      });
      return outcome === 2 ? 'congested' : 'sent';
    },
    ping(payload) {
      if (!data.closed) ws.ping(payload);
    },
    close(code, reason = '') {
      if (data.closed) return;
      if (ws.getBufferedAmount() > UNREAD_BYTES) ws.close();
      else ws.end(code, cutToBytes(reason, MAX_CLOSE_REASON_BYTES));
    },
  };
}

/** A control frame's 125 without the code (RFC 6455, 5.5). */
const MAX_CLOSE_REASON_BYTES = 123;

/** Cuts text to a number of bytes in UTF-8, between characters. */
function cutToBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}

/** Reads why uWebSockets.js closed the socket itself: code 1006 with a reason of its own. */
export function serverCloseCause(code: number, reason: string): { cause: LegEnd; detail: string } | undefined {
  if (code !== 1006 || reason === '') return undefined;
  if (/too big/i.test(reason))
    return { cause: 'protocol error', detail: `a message larger than ${MAX_READ_BYTES / 2 ** 20} MiB` };
  if (/timed out|inactiv/i.test(reason)) return { cause: 'lost', detail: 'socket idle' };
  return undefined;
}
