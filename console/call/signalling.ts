import type { FromBrowser, ToBrowser } from '../../shared/web-signalling.ts';
import { readMessage } from './read-message.ts';

/** The socket of a browser call: requests with numbers, answers to them, and what the engine says by itself. */
export interface Signalling {
  /** Rejects when the engine refuses, does not answer in time, or the socket is gone. */
  ask(request: Unnumbered): Promise<Record<string, unknown>>;
  /** Nobody waits for the answer. */
  tell(request: Unnumbered): void;
  /** Nothing is told any more. */
  close(): void;
}

/** A request before it has its number. */
export type Unnumbered = FromBrowser extends infer Each ? (Each extends FromBrowser ? Omit<Each, 'id'> : never) : never;

export interface SignallingNews {
  /** Everything but answers and refusals. */
  message(message: ToBrowser): void;
  /** The socket could not be opened, or closed without a last word. Told once. */
  lost(): void;
}

const OPENS_WITHIN_MS = 6_000;
const ANSWERS_WITHIN_MS = 4_000;

interface Waiting {
  answered(data: Record<string, unknown>): void;
  failed(error: Error): void;
}

export function openSignalling(url: string, news: SignallingNews): Signalling {
  const socket = new WebSocket(url);
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let over = false;
  const opening = setTimeout(lost, OPENS_WITHIN_MS);

  socket.onopen = () => clearTimeout(opening);
  socket.onclose = lost;
  socket.onmessage = ({ data }) => {
    const message = readMessage(data);
    if (over || !message) return;
    if (message.type === 'answer') take(message.id, ({ answered }) => answered(message.data));
    else if (message.type === 'refused') {
      if (message.id !== null) take(message.id, ({ failed }) => failed(new Error(message.message)));
    } else news.message(message);
  };

  function take(id: number, hand: (waiter: Waiting) => void): void {
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (waiter) hand(waiter);
  }

  function lost(): void {
    if (over) return;
    close();
    news.lost();
  }

  function close(): void {
    over = true;
    clearTimeout(opening);
    // Said goodbye to first: what was told just now still leaves.
    socket.close();
    for (const { failed } of waiting.values()) failed(new Error('the line is gone'));
    waiting.clear();
  }

  function write(request: Unnumbered): number {
    lastId += 1;
    socket.send(JSON.stringify({ ...request, id: lastId }));
    return lastId;
  }

  return {
    ask(request) {
      if (over || socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('the line is gone'));
      return new Promise((resolve, reject) => {
        const id = write(request);
        const timer = setTimeout(
          () => take(id, ({ failed }) => failed(new Error('no answer in time'))),
          ANSWERS_WITHIN_MS,
        );
        waiting.set(id, {
          answered(data) {
            clearTimeout(timer);
            resolve(data);
          },
          failed(error) {
            clearTimeout(timer);
            reject(error);
          },
        });
      });
    },
    tell(request) {
      if (!over && socket.readyState === WebSocket.OPEN) write(request);
    },
    close,
  };
}
