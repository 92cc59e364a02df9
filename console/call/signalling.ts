import type { FromBrowser, ToBrowser } from '../../shared/web-signalling.ts';
import { readMessage } from './read-message.ts';

/** The WebSocket of a browser call: numbered requests with their responses, and the engine's own messages. */
export interface Signalling {
  /** Rejects on an error response, on a timeout, and when the socket closes. */
  request(request: UnnumberedRequest): Promise<Record<string, unknown>>;
  /** Sends without waiting for the response. */
  notify(request: UnnumberedRequest): void;
  /** When the last message came, by `performance.now()`; before the first, when the socket was made. */
  lastMessageMs(): number;
  /** No listener is called after this. */
  close(): void;
}

/** A request before it has its number. */
export type UnnumberedRequest = FromBrowser extends infer Each
  ? Each extends FromBrowser
    ? Omit<Each, 'id'>
    : never
  : never;

export interface SignallingListener {
  /** Every message that is not a response or an error. */
  onMessage(onMessage: ToBrowser): void;
  /** The socket could not be opened, or closed before `close`. Called once. */
  onSocketLost(): void;
}

const OPEN_TIMEOUT_MS = 6_000;
const RESPONSE_TIMEOUT_MS = 4_000;

interface PendingRequest {
  resolve(data: Record<string, unknown>): void;
  reject(error: Error): void;
}

export function openSignalling(url: string, listener: SignallingListener): Signalling {
  const socket = new WebSocket(url);
  const pending = new Map<number, PendingRequest>();
  let lastId = 0;
  let closed = false;
  let lastMessageMs = performance.now();
  const openTimer = setTimeout(lost, OPEN_TIMEOUT_MS);

  socket.onopen = () => clearTimeout(openTimer);
  socket.onclose = lost;
  socket.onmessage = ({ data }) => {
    lastMessageMs = performance.now();
    const message = readMessage(data);
    if (closed || !message) return;
    if (message.type === 'response') settle(message.id, ({ resolve }) => resolve(message.data));
    else if (message.type === 'error') {
      if (message.id !== null) settle(message.id, ({ reject }) => reject(new Error(message.message)));
    } else listener.onMessage(message);
  };

  function settle(id: number, hand: (waiter: PendingRequest) => void): void {
    const waiter = pending.get(id);
    pending.delete(id);
    if (waiter) hand(waiter);
  }

  function lost(): void {
    if (closed) return;
    close();
    listener.onSocketLost();
  }

  function close(): void {
    closed = true;
    clearTimeout(openTimer);
    // Close the socket first: queued messages are still sent.
    socket.close();
    for (const { reject } of pending.values()) reject(new Error('the connection closed'));
    pending.clear();
  }

  function send(request: UnnumberedRequest): number {
    lastId += 1;
    socket.send(JSON.stringify({ ...request, id: lastId }));
    return lastId;
  }

  return {
    request(request) {
      if (closed || socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('the connection closed'));
      return new Promise((resolve, reject) => {
        const id = send(request);
        const timer = setTimeout(
          () => settle(id, ({ reject }) => reject(new Error('no response in time'))),
          RESPONSE_TIMEOUT_MS,
        );
        pending.set(id, {
          resolve(data) {
            clearTimeout(timer);
            resolve(data);
          },
          reject(error) {
            clearTimeout(timer);
            reject(error);
          },
        });
      });
    },
    notify(request) {
      if (!closed && socket.readyState === WebSocket.OPEN) send(request);
    },
    lastMessageMs: () => lastMessageMs,
    close,
  };
}
