import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll } from 'vitest';
import { buildApp } from '../../control/app.ts';
import { readControlConfig } from '../../control/config.ts';
import { connectDatabase, type Sql } from '../../control/db/connect.ts';
import { createWorkspace } from '../../control/operator.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { createTestDatabase } from './postgres.ts';

export interface TestApi {
  http: FastifyInstance;
  sql: Sql;
  /** Of a workspace of its own. */
  newWorkspace(name?: string): Promise<Client>;
}

export interface Client {
  workspace_id: string;
  key: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are whatever the test expects of them
  send(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<any>>;
}

export interface Answer<Body> {
  status: number;
  body: Body;
  headers: Record<string, string | undefined>;
}

/** A bus without engines. Nothing is started that would listen to it. */
const QUIET_BUS: Partial<Bus> = {
  orderHangUp: async () => Promise.reject(new Error('no engine is there')),
  connected: () => true,
};

/** The API over a database of its own, without sockets and background work: requests are handed in. */
export async function startTestApi(bus: Partial<Bus> = {}): Promise<TestApi> {
  const database = await createTestDatabase();
  const sql = connectDatabase({ url: database.url, max: 6 });
  const config = readControlConfig({
    DATABASE_URL: database.url,
    MEDIA_TOKEN_SECRET: 'a secret of the tests',
    RECORDINGS_DIR: '/nowhere',
  });
  const log = createLogger('control', 'silent');
  const app = await buildApp({ sql, bus: { ...QUIET_BUS, ...bus } as Bus, clock: systemClock, log, config });
  const { http } = app;
  afterAll(async () => {
    await http.close();
    await app.stop();
    await sql.end({ timeout: 5 });
    await database.close();
  });
  return {
    http,
    sql,
    async newWorkspace(name = 'Acme') {
      const made = await createWorkspace({ sql, wallMs: systemClock.wall() }, name);
      return {
        workspace_id: made.workspace_id,
        key: made.api_key,
        send: (method, url, body, headers = {}) =>
          request(http, {
            method: method as 'GET',
            url: `/api/v1${url}`,
            headers: { 'x-api-key': made.api_key, ...headers },
            ...(body === undefined ? {} : { payload: body as object }),
          }),
      };
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are whatever the test expects of them
export async function request(http: FastifyInstance, options: InjectOptions): Promise<Answer<any>> {
  const answer = await http.inject(options);
  const isJson = String(answer.headers['content-type'] ?? '').includes('application/json');
  return {
    status: answer.statusCode,
    body: isJson ? answer.json() : answer.body,
    headers: answer.headers as Record<string, string | undefined>,
  };
}
