import { afterEach } from 'vitest';
import { WebSocket } from 'ws';
import { until } from '../../support/until.ts';

/** A plain WebSocket client of a simulator, without an adapter. */
export interface Client {
  /** Parsed; text that is not a JSON object is `{ text }`. */
  received: Record<string, unknown>[];
  /** HTTP status of a refused upgrade. */
  status: number | null;
  /** Its `dg-error` header. */
  reason: string;
  closeCode: number | null;
  /** Sends text and bytes as they are, and other values as JSON. */
  send(message: object | string | Uint8Array): void;
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Closes a simulator after the test. */
export function closeAfterTest<S extends { close(): Promise<void> }>(simulator: S): S {
  closers.push(() => simulator.close());
  return simulator;
}

/** Connects; resolves when the connection is open, refused or closed. */
export async function connect(address: string, headers: Record<string, string>): Promise<Client> {
  const socket = new WebSocket(address, { headers });
  const client: Client = {
    received: [],
    status: null,
    reason: '',
    closeCode: null,
    send: (message) =>
      socket.send(typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message)),
  };
  socket.on('message', (data) => {
    const text = String(data);
    client.received.push(text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text });
  });
  socket.on('error', () => {});
  socket.on('close', (code) => {
    client.closeCode = code;
  });
  socket.on('unexpected-response', (_request, response) => {
    client.status = response.statusCode ?? 0;
    client.reason = String(response.headers['dg-error'] ?? '');
    socket.terminate();
  });
  closers.push(() => socket.terminate());
  await until(() => socket.readyState === WebSocket.OPEN || client.status !== null || client.closeCode !== null);
  return client;
}
