import type { FastifyInstance } from 'fastify';
import { callRoutes } from '../../../control/calls/api/routes.ts';
import { ingest } from '../../../control/calls/events/ingest.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';
import {
  type CallFixture,
  createTestBus,
  createTestCarrier,
  delivered,
  log,
  type Tenant,
  wholeCall,
} from './call-fixture.ts';

/** The endpoints of calls over a call fixture. The API key of a request is the id of its workspace. */
export interface CallApi {
  http: FastifyInstance;
  store: MemoryStore;
  get(who: Tenant, path: string, headers?: Record<string, string>): Promise<CallResponse>;
  /** A call that was connected and has ended. */
  finished(who: Tenant): Promise<{ workspace_id: string; id: string }>;
}

export interface CallResponse {
  status: number;
  headers: Record<string, string | undefined>;
  raw: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  body: any;
}

export async function createCallApi({ sql, clock, opened }: CallFixture): Promise<CallApi> {
  const store = createMemoryStore();
  const http = await createHttpApp({
    log,
    findPrincipal: async (workspace_id) => ({
      workspace_id,
      workspace_state: 'active',
      role: 'api_key',
      actor: { kind: 'api_key', id: 'k', name: 'Key one' },
      user_id: null,
      session_id: null,
      key_id: 'k',
    }),
  });
  callRoutes(http, {
    sql,
    clock,
    log,
    bus: createTestBus(),
    carriers: createTestCarrier().carriers,
    recordings: store,
  });
  await http.ready();
  return {
    http,
    store,
    async get(who, path, headers = {}) {
      const answer = await http.inject({
        url: `/api/v1${path}`,
        headers: { 'x-api-key': who.workspace_id, ...headers },
      });
      const isJson = String(answer.headers['content-type']).includes('json');
      return {
        status: answer.statusCode,
        headers: answer.headers as Record<string, string | undefined>,
        raw: answer.rawPayload,
        body: isJson ? answer.json() : answer.body,
      };
    },
    async finished(who) {
      const call = await opened(who);
      await ingest(
        { sql, clock, log },
        wholeCall(call.id).map((event) => delivered(event)),
      );
      return call;
    },
  };
}
