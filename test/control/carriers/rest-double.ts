import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll } from 'vitest';

export interface SeenRequest {
  method: string;
  url: string;
  authorization: string;
  type: string;
  body: string;
}

export interface RestDouble {
  url: string;
  /** Requests since the test began. */
  seen: SeenRequest[];
  reply: { status: number; body: string };
  json(index?: number): Record<string, unknown>;
}

/** A carrier's REST API with the response that a test sets; one per test file. */
export function createRestDouble(): RestDouble {
  const double: RestDouble = {
    url: '',
    seen: [],
    reply: { status: 200, body: '{}' },
    json: (index = 0) => JSON.parse(double.seen[index]!.body) as Record<string, unknown>,
  };
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const { method = '', url = '', headers } = request;
      const { authorization = '', 'content-type': type = '' } = headers;
      double.seen.push({ method, url, authorization, type, body });
      const { status, body: text } = double.reply;
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    double.seen = [];
    double.reply = { status: 200, body: '{}' };
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return double;
}

async function read(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}
