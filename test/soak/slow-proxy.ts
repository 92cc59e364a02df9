import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from '../support/until.ts';

export interface Proxy {
  url: string;
  close(): Promise<void>;
}

/** Not those of the connection. */
const OWN_HEADERS = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'];

/** Where a request is forwarded to, without a slash at its end. */
export interface Target {
  url: string;
  /** 0 without an answer. */
  onAnswered?: (status: number) => void;
}

/**
 * Forwards HTTP requests after a delay, with their bodies as they are; a connection that breaks behind it breaks before it too.
 * `answerAfterMs`: how long the answer to a request that was carried out is held back; infinite: it never comes.
 */
export async function startProxy(
  next: () => Target,
  delayMs: () => number,
  answerAfterMs: (method: string) => number = () => 0,
): Promise<Proxy> {
  const server = createServer(async (request, response) => {
    let target: Target | null = null;
    let status = 0;
    try {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      await pause(delayMs());
      const { method = 'GET', url = '/' } = request;
      const headers = Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.includes(name));
      target = next();
      const answer = await fetch(`${target.url}${url}`, {
        ...{ method, headers: headers as [string, string][], redirect: 'manual' },
        ...(parts.length > 0 ? { body: Buffer.concat(parts) } : {}),
      });
      const body = Buffer.from(await answer.arrayBuffer());
      status = answer.status;
      const holdMs = answerAfterMs(method);
      if (holdMs === Number.POSITIVE_INFINITY) return;
      if (holdMs > 0) await pause(holdMs);
      response.writeHead(status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
      response.end(body);
    } catch {
      response.destroy();
    } finally {
      target?.onAnswered?.(status);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
