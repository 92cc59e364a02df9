import type { FastifyInstance, InjectOptions } from 'fastify';
import { hashOfToken, newToken } from '../../control/accounts/secret-token.ts';
import { SESSION_TTL_MS } from '../../control/accounts/session-store.ts';
import { buildApp } from '../../control/app.ts';
import { readControlConfig } from '../../control/config.ts';
import { connectDatabase, type Sql } from '../../control/db/connect.ts';
import { onePool } from '../../control/db/pools.ts';
import type { MemberRole } from '../../control/http/permissions.ts';
import { createWorkspace } from '../../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../../control/workspaces/plan.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger, type Logger } from '../../shared/log.ts';
import type { Setting } from '../../shared/providers/manifest.ts';
import { LANGUAGE_MODELS, SYNTHESIZERS, TRANSCRIBERS } from '../../shared/providers/registry.ts';
import { afterFile } from './after-file.ts';
import { giveCredits, PLENTY_PAISE } from './credits.ts';
import { createTestDatabase } from './postgres.ts';

export interface TestApi {
  http: FastifyInstance;
  sql: Sql;
  /** For programs with their own connections. */
  databaseUrl: string;
  /** Returns a client of a new workspace. */
  newWorkspace(name?: string): Promise<Client>;
  /** Creates a signed-in user with this role in the given workspace, by default in a new active one. */
  asUser(role: MemberRole, workspaceId?: string, name?: string): Promise<UserClient>;
  /** Creates a user who owns a new workspace that waits for its KYC. */
  signUp(name?: string): Promise<UserClient>;
}

/** A client with the token of a session. */
export interface UserClient extends Client {
  user_id: string;
  session_id: string;
  email: string;
  /** The same as `key`. */
  token: string;
}

export interface Client {
  workspace_id: string;
  key: string;
  // biome-ignore lint/suspicious/noExplicitAny: responses have the type that the test expects
  send(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<Response<any>>;
}

export interface Response<Body> {
  status: number;
  body: Body;
  headers: Record<string, string | undefined>;
}

/** A bus without engines and listeners. */
const FAKE_BUS: Partial<Bus> = {
  sendHangUp: async () => Promise.reject(new Error('no engine is there')),
  sendRecordingOrder: async () => Promise.reject(new Error('no engine is there')),
  sendLiveOrder: async () => Promise.reject(new Error('no engine is there')),
  lastEventSeq: async () => 0,
  connected: () => true,
  reachableForMs: () => Number.POSITIVE_INFINITY,
};

/** As little as Argon2 takes: hashing is not what these tests are about. */
const FAST_PASSWORD_KIB = 8;

/** Every provider is available, and none is reached: nothing listens at their addresses. */
const SIMULATED_CREDENTIALS = Object.fromEntries(
  [...LANGUAGE_MODELS, ...SYNTHESIZERS, ...TRANSCRIBERS]
    .flatMap(({ settings }) => Object.entries<Setting>(settings))
    .filter(([, setting]) => setting.required || /^(http|ws)s?:/.test(setting.default))
    .map(([name]) => [name, /_URL$/.test(name) ? 'http://127.0.0.1:9' : 'simulated']),
);

/** The API over its own database, without sockets and background jobs: requests are injected. */
export async function startTestApi(
  bus: Partial<Bus> = {},
  settings: Record<string, string> = {},
  { clock = systemClock, log = createLogger('control', 'silent') }: { clock?: Clock; log?: Logger } = {},
): Promise<TestApi> {
  const database = await createTestDatabase();
  const sql = connectDatabase({ url: database.url, max: 6 });
  const config = readControlConfig({
    DATABASE_URL: database.url,
    MEDIA_TOKEN_SECRET: 'a secret of the tests',
    RECORDINGS_DIR: '/nowhere',
    ...SIMULATED_CREDENTIALS,
    ...settings,
  });
  const app = await buildApp({
    pools: onePool(sql),
    bus: { ...FAKE_BUS, ...bus } as Bus,
    clock,
    log,
    config,
    passwordMemoryKib: FAST_PASSWORD_KIB,
  });
  const { http } = app;
  afterFile(async () => {
    await http.close();
    await app.stop();
    await sql.end({ timeout: 5 });
  });
  const clientOf = (workspace_id: string, key: string, credential: Record<string, string>): Client => ({
    workspace_id,
    key,
    send: (method, url, body, headers = {}) =>
      request(http, {
        method: method as 'GET',
        url: `/api/v1${url}`,
        headers: { ...credential, ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      }),
  });
  const newWorkspace = async (name = 'Acme') => {
    const made = await createWorkspace({ sql, wallMs: systemClock.wall() }, name);
    await giveCredits(sql, made.workspace_id, PLENTY_PAISE);
    // The rate limit has its own tests.
    await setRequestsPerMinute(sql, made.workspace_id, 1_000_000);
    return clientOf(made.workspace_id, made.api_key, { 'x-api-key': made.api_key });
  };
  const asUser = async (role: MemberRole, workspaceId?: string, name = `The ${role}`): Promise<UserClient> => {
    const workspace_id = workspaceId ?? (await newWorkspace()).workspace_id;
    const user = await insertSignedInUser(sql, workspace_id, role, name);
    return { ...clientOf(workspace_id, user.token, { authorization: `Bearer ${user.token}` }), ...user };
  };
  return {
    http,
    sql,
    databaseUrl: database.url,
    newWorkspace,
    asUser,
    async signUp(name = 'Asha') {
      const user = await asUser('owner', undefined, name);
      await sql`update workspaces set state = 'onboarding' where id = ${user.workspace_id}`;
      return user;
    },
  };
}

/** Inserts the user and session without hashing a password; no password is valid. */
async function insertSignedInUser(sql: Sql, workspaceId: string, role: MemberRole, name: string) {
  const now = new Date();
  const user_id = newId();
  const session_id = newId();
  const email = `${user_id}@example.com`;
  const token = newToken('svcs_');
  const expires = new Date(now.getTime() + SESSION_TTL_MS);
  await sql`
    insert into users (id, name, email, email_verified_at, password_hash, created_at)
    values (${user_id}, ${name}, ${email}, ${now}, '', ${now})`;
  await sql`
    insert into memberships (workspace_id, user_id, role, joined_at)
    values (${workspaceId}, ${user_id}, ${role}, ${now})`;
  await sql`
    insert into sessions (id, user_id, token_hash, created_at, last_seen_at, expires_at, confirmed_at)
    values (${session_id}, ${user_id}, ${hashOfToken(token)}, ${now}, ${now}, ${expires}, ${now})`;
  return { user_id, session_id, email, token };
}

// biome-ignore lint/suspicious/noExplicitAny: responses have the type that the test expects
export async function request(http: FastifyInstance, options: InjectOptions): Promise<Response<any>> {
  const response = await http.inject(options);
  const isJson = String(response.headers['content-type'] ?? '').includes('application/json');
  return {
    status: response.statusCode,
    body: isJson ? response.json() : response.body,
    headers: response.headers as Record<string, string | undefined>,
  };
}
