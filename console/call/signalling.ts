import type { FromBrowser, ToBrowser } from '../../shared/web-signalling.ts';
import { readMessage } from './read-message.ts';

/** The socket of a browser call: requests with numbers, answers to them, and what the engine says by itself. */
export interface Signalling {
  /** Rejects when the engine refuses, does not answer in time, or the socket is gone. */
  request(request: UnnumberedRequest): Promise<Record<string, unknown>>;
  /** Nobody waits for the answer. */
  notify(request: UnnumberedRequest): void;
  /** Nothing is told any more. */
  close(): void;
}

/** A request before it has its number. */
export type UnnumberedRequest = FromBrowser extends infer Each
  ? Each extends FromBrowser
    ? Omit<Each, 'id'>
    : never
  : never;

export interface SignallingListener {
  /** Everything but answers and refusals. */
  onMessage(onMessage: ToBrowser): void;
  /** The socket could not be opened, or closed without a last word. Told once. */
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
  const openTimer = setTimeout(lost, OPEN_TIMEOUT_MS);

  socket.onopen = () => clearTimeout(openTimer);
  socket.onclose = lost;
  socket.onmessage = ({ data }) => {
    const message = readMessage(data);
    if (closed || !message) return;
    if (message.type === 'answer') settle(message.id, ({ resolve: answered }) => answered(message.data));
    else if (message.type === 'refused') {
      if (message.id !== null) settle(message.id, ({ reject: failed }) => failed(new Error(message.message)));
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
    // Said goodbye to first: what was told just now still leaves.
    socket.close();
    for (const { reject: failed } of pending.values()) failed(new Error('the line is gone'));
    pending.clear();
  }

  function send(request: UnnumberedRequest): number {
    lastId += 1;
    socket.send(JSON.stringify({ ...request, id: lastId }));
    return lastId;
  }

  return {
    request(request) {
      if (closed || socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('the line is gone'));
      return new Promise((resolve, reject) => {
        const id = send(request);
        const timer = setTimeout(
          () => settle(id, ({ reject: failed }) => failed(new Error('no answer in time'))),
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
    close,
  };
}
