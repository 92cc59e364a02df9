import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ReceiverConnections } from '../../../control/webhooks/receiver-connections.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createSafeFetch, type SafeFetchError } from '../../../shared/safe-fetch.ts';
import { selfSignedCertificate } from '../../support/certificate.ts';

const HOST = 'hooks.example';
const certificate = selfSignedCertificate(HOST);
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A receiver, and requests to it one after the other. */
async function scene(
  answer = (_nth: number, _request: IncomingMessage, response: ServerResponse) => void response.end(),
) {
  const seen = { connections: 0, requests: 0, lookUps: 0 };
  const server = createServer(certificate, (request, response) => answer(++seen.requests, request, response));
  server.on('secureConnection', () => seen.connections++);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const at = { nowMs: 0, address: '127.0.0.1' };
  const agent = new ReceiverConnections({ ...systemClock, now: () => at.nowMs });
  closing.push(async () => {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const resolve = async () => {
    seen.lookUps++;
    return [{ address: at.address, family: 4 }];
  };
  const fetch = createSafeFetch({ agent, resolve, ca: certificate.cert, allow: ['127.0.0.0/8'] });
  const url = `https://${HOST}:${(server.address() as AddressInfo).port}/`;
  const send = () =>
    fetch(url, { method: 'POST', body: 'x', timeoutMs: 20_000, maxBytes: 100 }).then(
      ({ status }) => status,
      (error: SafeFetchError) => error.kind,
    );
  return { seen, at, send };
}

describe('requests to one receiver', () => {
  it('share a connection, whose address was checked when it was opened', async () => {
    const { seen, send } = await scene();
    expect([await send(), await send(), await send()]).toEqual([200, 200, 200]);
    expect(seen).toEqual({ connections: 1, requests: 3, lookUps: 1 });
  });

  it('look up the name and check its addresses again after a minute', async () => {
    const { seen, at, send } = await scene();
    await send();
    at.nowMs = 60_000;
    expect(await send()).toBe(200);
    expect(seen.lookUps).toBe(1);
    at.address = '10.0.0.1';
    expect(await send()).toBe('address not allowed');
  });

  it('are sent again over a new connection where a reused one breaks before the response', async () => {
    const { seen, send } = await scene((nth, request, response) => {
      if (nth === 2) request.socket.destroy();
      else response.end();
    });
    expect([await send(), await send()]).toEqual([200, 200]);
    expect(seen).toMatchObject({ connections: 2, requests: 3 });
  });

  it('are not sent again where a new connection breaks, or a response that has begun', async () => {
    const broken = await scene((_, request) => void request.socket.destroy());
    expect(await broken.send()).toBe('connection broken');
    expect(broken.seen.requests).toBe(1);
    const begun = await scene((nth, request, response) => {
      if (nth === 1) response.end();
      else response.write('x', () => request.socket.destroy());
    });
    expect([await begun.send(), await begun.send()]).toEqual([200, 'connection broken']);
    expect(begun.seen.requests).toBe(2);
  });
});
