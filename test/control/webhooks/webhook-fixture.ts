import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { createBodyCompletion } from '../../../control/calls/events/completed-event.ts';
import { writeEvents } from '../../../control/calls/events/timeline.ts';
import { lockCall } from '../../../control/calls/store.ts';
import { createSecretBox } from '../../../control/db/secret-box.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { createWebhooksModule, type WebhooksModule } from '../../../control/webhooks/webhooks-module.ts';
import { createKey, createKeyFinder } from '../../../control/workspaces/keys.ts';
import type { EventType } from '../../../shared/events.ts';
import { afterFile } from '../../support/after-file.ts';
import { selfSignedCertificate } from '../../support/certificate.ts';
import { type Client, request } from '../../support/control-app.ts';
import { holdTimers } from '../../support/held-timers.ts';
import { eventually } from '../../support/until.ts';
import { createCallFixture, createStandingClock, log, type Tenant } from '../calls/call-fixture.ts';

const HOST = 'hooks.example';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  event: { id: string; type: string; call_id: string; data: Record<string, unknown> } & Record<string, unknown>;
}

export type Respond = (request: IncomingMessage, response: ServerResponse, received: Received) => void;

export interface TestReceiver {
  url: string;
  received: Received[];
  /** Resolves when this many requests have arrived. */
  has(count: number): Promise<void>;
  answer: Respond;
}

export const ok: Respond = (_request, response) => response.end('thank you');
export const status =
  (code: number, headers: Record<string, string> = {}): Respond =>
  (_request, response) => {
    response.writeHead(code, headers).end(`answered ${code}`);
  };

const ATTEMPT_TIMEOUT_MS = 10_000;

/** Calls and their events, receivers with certificates, and the webhooks API; tests start the senders. The time of day stands. */
export async function createWebhookFixture() {
  const clock = createStandingClock();
  // Ahead of the database's, which says from when on a new delivery is due.
  clock.shift(3_600_000);
  const fixture = await createCallFixture(undefined, clock);
  const { sql } = fixture;
  /** Of the attempts that are running. */
  const attemptTimeouts = holdTimers(ATTEMPT_TIMEOUT_MS, clock);
  const certificate = selfSignedCertificate(HOST);
  const servers: Server[] = [];
  const modules: WebhooksModule[] = [];
  /** Addresses of host names; others resolve to this machine. */
  const names = new Map<string, string[]>();

  const newModule = () => {
    const module = createWebhooksModule({
      sql,
      clock: attemptTimeouts.clock,
      log,
      box: createSecretBox(['a key of the tests']),
      config: { FETCH_ALLOW: '127.0.0.0/8' },
      bodyCompletion: createBodyCompletion,
      fetchOptions: {
        ca: certificate.cert,
        resolve: async (host) => (names.get(host) ?? ['127.0.0.1']).map((address) => ({ address, family: 4 })),
      },
    });
    modules.push(module);
    return module;
  };

  const http = await createHttpApp({ log, findPrincipal: createKeyFinder({ sql, clock, log }) });
  const apiModule = newModule();
  apiModule.routes(http);

  afterFile(async () => {
    for (const server of servers) server.closeAllConnections();
    await Promise.all(modules.map((module) => module.stop()));
    await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
    await http.close();
  });

  return {
    ...fixture,
    http,
    names,

    /** The time of the attempts that are running is over; otherwise they have as long as they take. */
    timeOutAttempts: attemptTimeouts.run,

    /** Delivers until the test is over. */
    startSender(): WebhooksModule {
      const module = newModule();
      module.start();
      return module;
    },

    async client({ workspace_id }: Pick<Tenant, 'workspace_id'>): Promise<Client> {
      const made = await createKey(sql, clock.wall(), { workspace_id, name: 'key of the tests', created_by: 'tests' });
      const key = made!.key;
      return {
        workspace_id,
        key,
        send: (method, url, body, headers = {}) =>
          request(http, {
            method: method as 'GET',
            url: `/api/v1${url}`,
            headers: { 'x-api-key': key, ...headers },
            ...(body === undefined ? {} : { payload: body as object }),
          }),
      };
    },

    async receiver(answer: Respond = ok): Promise<TestReceiver> {
      const receiver: TestReceiver = {
        url: '',
        received: [],
        has: async (count) => {
          await eventually(`request ${count}`, 60_000, async () => receiver.received.length >= count || null);
        },
        answer,
      };
      const server = createServer(certificate, (incoming, response) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          const body = Buffer.concat(chunks).toString();
          const received = { headers: incoming.headers, body, event: JSON.parse(body) };
          receiver.received.push(received);
          receiver.answer(incoming, response, received);
        });
      });
      servers.push(server);
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      receiver.url = `https://${HOST}:${(server.address() as AddressInfo).port}/hook`;
      return receiver;
    },

    /** Writes events in one transaction, as ingest does. */
    async writeEvents(
      call: Pick<CallRow, 'workspace_id' | 'id'>,
      ...events: (EventType | [EventType, Record<string, unknown>])[]
    ): Promise<void> {
      await sql.begin(async (tx) => {
        const row = await lockCall(tx, call.workspace_id, call.id);
        const written = events.map((event) => {
          const [type, data] = typeof event === 'string' ? [event, {}] : event;
          return { type, data, level: 'info' as const, message: type, latency_ms: null, at_ms: clock.wall() };
        });
        await writeEvents(tx, row!, written);
      });
    },

    async deliveries(workspace_id: string) {
      return [
        ...(await sql`select * from webhook_deliveries where workspace_id = ${workspace_id} order by event_seq, receiver`),
      ];
    },

    /** When every delivery of the workspace has one of these statuses. */
    async settled(workspace_id: string, statuses: string[] = ['delivered', 'failed']): Promise<void> {
      await eventually(`all deliveries ${statuses.join(' or ')}`, 60_000, async () => {
        const [row] = await sql<{ open: number }[]>`
          select count(*)::integer as open from webhook_deliveries
          where workspace_id = ${workspace_id} and not status = any(${statuses})`;
        return row!.open === 0 || null;
      });
    },

    async delivery(workspace_id: string, id: string) {
      const [row] = await sql`select * from webhook_deliveries where workspace_id = ${workspace_id} and id = ${id}`;
      return row!;
    },
  };
}

export type WebhookFixture = Awaited<ReturnType<typeof createWebhookFixture>>;
