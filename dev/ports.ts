import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that the system gives to outgoing connections: Linux from 32768, others from 49152 (ip(7), RFC 6335). */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;
let next = randomInt(FIRST_PORT, LAST_PORT);

/**
 * Returns a free port of 127.0.0.1, another one each time. Until a program listens on it, which takes seconds, no outgoing
 * connection takes it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port === LAST_PORT ? FIRST_PORT : port + 1;
    if (await portIsFree(port)) return port;
  }
}

export function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
