import { connect, type Socket } from 'node:net';

/**
 * Repeats one request on a few connections, each waiting for the response before the next request. It uses raw sockets, because
 * on two cores an expensive client would dominate the measurement.
 */

export interface Load {
  /** `http://127.0.0.1:7080` */
  url: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  connections: number;
  seconds: number;
  /** Expected status; any other ends the measurement. */
  expect: number;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  /** Latency of each request. */
  latenciesMs: number[];
}

export async function runLoad(load: Load): Promise<LoadResult> {
  const { hostname, port, host } = new URL(load.url);
  const lines = [`${load.method} ${load.path} HTTP/1.1`, `Host: ${host}`];
  for (const [name, value] of Object.entries(load.headers ?? {})) lines.push(`${name}: ${value}`);
  if (load.body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(load.body)}`);
  }
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${load.body ?? ''}`);
  const startedMs = performance.now();
  const endMs = startedMs + load.seconds * 1_000;
  const latenciesMs: number[] = [];
  await Promise.all(
    Array.from({ length: load.connections }, async () => {
      const socket = connect(Number(port), hostname);
      socket.setNoDelay(true);
      try {
        await requestUntil(socket, bytes, endMs, load.expect, latenciesMs);
      } finally {
        socket.destroy();
      }
    }),
  );
  return { requests: latenciesMs.length, seconds: (performance.now() - startedMs) / 1_000, latenciesMs };
}

function requestUntil(socket: Socket, bytes: Buffer, endMs: number, expect: number, into: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let askedMs = 0;
    let received = '';
    const ask = () => {
      askedMs = performance.now();
      socket.write(bytes);
    };
    socket.on('connect', ask);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    socket.on('data', (part) => {
      received += part.toString('latin1');
      const head = received.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (received.length < head + 4 + length) return;
      const status = Number(received.slice(9, 12));
      if (status !== expect) {
        reject(new Error(`answered ${status}: ${received.slice(head + 4, head + 300)}`));
        return;
      }
      received = '';
      const nowMs = performance.now();
      into.push(nowMs - askedMs);
      if (nowMs >= endMs) resolve();
      else ask();
    });
  });
}
