import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Logger } from '../../shared/log.ts';
import type { AnySql } from '../db/connect.ts';
import {
  type Actor,
  authenticate,
  authorize,
  type Credential,
  type FindPrincipal,
  type Principal,
} from './authenticate.ts';
import type { ValidationItem } from './errors.ts';
import { type FileReply, type FileResponseSchema, isFile } from './file-response.ts';
import {
  fingerprintOf,
  IDEMPOTENCY_HEADER,
  type Idempotency,
  type IdempotentRequest,
  KEY_PATTERN,
  type KeyToTake,
  markCarriedOut,
  type StoredResponse,
  withIdempotency,
  withKeyTakenByChange,
} from './idempotency.ts';
import { openapiOperation } from './openapi-operation.ts';
import { hasPermission, type Permission, type Role, spends } from './permissions.ts';
import { notFoundFor } from './query.ts';
import type { RateHeaders, RateLimiter } from './rate-limit.ts';
import { scopeOf } from './scopes.ts';
import { encodeResponse, type SerializedResponse, serializedJsonOf, serializeResponse } from './serialize-response.ts';
import { inZone } from './times.ts';
import { throwValidationError, validate } from './validation.ts';

export { type FileReply, type FileResponseSchema, file } from './file-response.ts';

/**
 * Declares an endpoint. Credential, permission, validation, times and the OpenAPI document all follow from the declaration:
 *
 *     route(app, {
 *       method: 'GET',
 *       path: '/api/v1/calls/{call_id}',          // as in endpoints.csv
 *       tag: 'Calls',
 *       summary: 'One call with its transcript',
 *       credential: 'key',                        // key · session · account · any · public
 *       permission: 'calls.view',                 // null: any credential will do
 *       schema: {
 *         params: z.object({ call_id: pathId('call') }),                   // malformed: 404 `call not found`
 *         query: z.object({ ...paging(50, 200), since: timeInput().optional() }),
 *         // body: z.object({ to_number: z.string().regex(E164_PATTERN) }),
 *         response: z.object({ id: z.string(), started_at: time().nullable() }).meta({ id: 'Call' }),
 *       },
 *       success: 200,                             // 204: no `response`, the handler returns nothing
 *       errors: [404],                            // beyond 400, 401, 403 and 422, for the document
 *       handler: async ({ params, query }, context) => findCall(sql, context.workspace_id, params.call_id),
 *     });
 *
 * The handler returns the record with `Date` or milliseconds in its `time()` fields; fields that the schema does not name are
 * left out. It throws `HttpError` (`notFound('call')`, `conflict('the call is already over')`, `validationError(…)`). A
 * download declares `response: file('audio/wav')` and returns `{ body, headers?, status? }`.
 */
export function route<
  const Credentialed extends Credential,
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType | FileResponseSchema = z.ZodVoid,
  Headers extends z.ZodObject = NoFields,
>(app: FastifyInstance, declaration: Route<Credentialed, Params, Query, Body, Response, Headers>): void {
  const { method, path, credential, permission, success, handler } = declaration;
  const schema = declaration.idempotent ? withIdempotencyKey(declaration.schema) : declaration.schema;
  const need = {
    credential,
    permission,
    scope: scopeOf(declaration),
    beforeActivation: declaration.before_activation ?? false,
    confirmed: declaration.confirmed ?? false,
    verifiedEmail: declaration.spends ?? (permission !== null && spends(method, permission)),
  };
  const expectsBody = schema.body !== undefined;
  // A download may take its time, and a third party has its own.
  const readsDatabase =
    method === 'GET' && !(schema.response && isFile(schema.response)) && !declaration.errors?.includes(502);

  function admit(request: FastifyRequest, reply: FastifyReply, principal: Principal): Promise<void> | undefined {
    request.principal = principal;
    const proceed = (rate: RateHeaders | null) => {
      if (rate) reply.headers(rate);
      authorize(principal, need);
    };
    const reserved = app.rateLimiter ? app.rateLimiter.takeReserved(principal) : null;
    if (reserved === undefined) return app.rateLimiter!.take(principal).then(proceed);
    proceed(reserved);
    return undefined;
  }

  app.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    schema: openapiOperation({ ...declaration, schema }),
    ...(declaration.body_limit_bytes === undefined ? {} : { bodyLimit: declaration.body_limit_bytes }),
    // Validation and serialization happen in `handler`, in the zone of the request and in the order of the specification.
    validatorCompiler: () => () => true,
    serializerCompiler: () => (value) => JSON.stringify(value),
    onRequest(request, reply, done) {
      // The order of checks: request id and zone (server.ts), credential, rate, permission, activation; then the body is read.
      if (credential === 'public') return done();
      // No promise where credential and rate are known in this process, as for most requests with a key.
      let admitted: Promise<void> | undefined;
      try {
        const found = authenticate(request, app.findPrincipal, credential);
        admitted =
          found instanceof Promise
            ? app.readInTime(found).then((principal) => admit(request, reply, principal))
            : admit(request, reply, found);
      } catch (error) {
        return done(error as Error);
      }
      // The runner of the hooks goes on after a promise that is returned.
      return admitted ?? done();
    },
    async handler(request, reply) {
      const input = inZone(request.zone, () => readInput(schema, request, expectsBody));
      const carryOut = () => handler(input as never, contextOf(request) as never);
      const run = readsDatabase ? () => app.readInTime(carryOut()) : carryOut;
      const once = declaration.idempotent ? idempotentRequestOf(request) : null;
      if (!once || !app.idempotency) return sendResponse(reply, schema.response, success, await run());
      const responseTo = (result: unknown): StoredResponse => ({
        status: success,
        body: serializedJsonOf(result) ?? serializeResponse(request.zone, schema.response as z.ZodType, result),
      });
      const inChange = declaration.idempotent === 'taken by the change';
      if (inChange) request.keyToTake = { ...once, fingerprint: fingerprintOf(once), responseTo };
      const withKey = inChange ? withKeyTakenByChange : withIdempotency;
      const { status, body, replayed } = await withKey(app.idempotency, once, async () => responseTo(await run()));
      if (replayed) reply.header('Idempotent-Replayed', 'true');
      // The body is serialized already.
      return reply.code(status).type(JSON_TYPE).serializer(String).send(body);
    },
  });
}

type NoFields = z.ZodObject<Record<never, never>>;

const JSON_TYPE = 'application/json; charset=utf-8';

export interface Route<
  Credentialed extends Credential,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Response extends z.ZodType | FileResponseSchema,
  Headers extends z.ZodObject = NoFields,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/api/v1/agents/{agent_id}` */
  path: string;
  /** The tag of the API, as in endpoints.csv. */
  tag: string;
  summary: string;
  credential: Credentialed;
  permission: Permission | null;
  /** Works while the workspace is not active. */
  before_activation?: boolean;
  /**
   * A session needs its password or second factor entered in the last 15 minutes; keys and apps are refused, unless it is for
   * `sessions` only. Workspaces may waive either, but not for what belongs to the account.
   */
  confirmed?: boolean | 'sessions';
  /** False: it ends what is spent, and is open to people whose email address is not confirmed; else its permission says so. */
  spends?: false;
  /** The resource of its scope, where it is another one than the tag's: see `scopes.ts`. */
  resource?: 'keys';
  /** When it is larger than the usual 1 MB. */
  body_limit_bytes?: number;
  /** For a body that is not JSON: see `multipart.ts`. */
  consumes?: 'multipart/form-data';
  /**
   * Takes `Idempotency-Key`; the handler calls `markCarriedOut` in its transaction, or its statement takes `keyToTake` (`keyInsertion`).
   * JSON responses only.
   */
  idempotent?: true | 'taken by the change';
  /** Names of `headers` in lower case. */
  schema: { params?: Params; query?: Query; headers?: Headers; body?: Body; response?: Response };
  success: 200 | 201 | 202 | 204;
  errors?: (400 | 401 | 402 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 501 | 502)[];
  /** Not part of the public API: left out of the OpenAPI document. */
  hidden?: boolean;
  handler(
    input: { params: z.output<Params>; query: z.output<Query>; headers: z.output<Headers>; body: z.output<Body> },
    context: ContextOf<Credentialed>,
  ): Promise<Response extends z.ZodType ? z.output<Response> | SerializedResponse : FileReply>;
}

/** What every handler gets besides its input. */
export interface PublicContext {
  request_id: string;
  /** IANA name of the zone in which times are read and written. */
  zone: string;
  log: Logger;
  /** For what no schema covers: raw headers, the address of the client. */
  request: FastifyRequest;
}

export interface Context extends PublicContext {
  /** Empty for the credentials `account` and `any` when no workspace was chosen. */
  workspace_id: string;
  actor: Actor;
  role: Role;
  /** Null for an API key. */
  user_id: string | null;
  session_id: string | null;
  key_id: string | null;
  /** Of a connected app, or of a key that one made. */
  grant_id: string | null;
  may(permission: Permission): boolean;
  /** Call it in the transaction of the change when `idempotent` is declared. */
  markCarriedOut(tx: AnySql): Promise<void>;
  /** For an endpoint whose change takes the key; null without one. */
  keyToTake: KeyToTake | null;
}

/** Of a signed-in user. */
export interface SessionContext extends Context {
  user_id: string;
  session_id: string;
}

type ContextOf<Credentialed extends Credential> = Credentialed extends 'public'
  ? PublicContext
  : Credentialed extends 'session' | 'account'
    ? SessionContext
    : Context;

/** A class, because most handlers read little of it: what is not read is not made. */
class ContextOfRequest implements PublicContext {
  readonly request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.request = request;
  }

  get request_id(): string {
    return this.request.id;
  }

  get zone(): string {
    return this.request.zone;
  }

  get log(): Logger {
    return this.request.server.appLog.child({ request_id: this.request.id });
  }
}

class ContextOfPrincipal extends ContextOfRequest implements Context {
  readonly workspace_id: string;
  readonly role: Role;
  readonly user_id: string | null;
  readonly session_id: string | null;
  readonly key_id: string | null;
  readonly grant_id: string | null;

  constructor(request: FastifyRequest, principal: Principal) {
    super(request);
    this.workspace_id = principal.workspace_id;
    this.role = principal.role;
    this.user_id = principal.user_id;
    this.session_id = principal.session_id;
    this.key_id = principal.key_id;
    this.grant_id = principal.grant_id ?? null;
  }

  get actor(): Actor {
    const { id, ip, principal } = this.request;
    return { ...principal!.actor, origin: { address: ip, request_id: id } };
  }

  // Handlers take functions out of the context, so each is made with what it needs.
  get may(): Context['may'] {
    const { role } = this;
    return (permission) => hasPermission(role, permission);
  }

  get markCarriedOut(): Context['markCarriedOut'] {
    const { request } = this;
    return async (tx) => {
      const once = idempotentRequestOf(request);
      if (once) await markCarriedOut(tx, once);
    };
  }

  get keyToTake(): KeyToTake | null {
    return this.request.keyToTake;
  }
}

const contextOf = (request: FastifyRequest): PublicContext | Context =>
  request.principal ? new ContextOfPrincipal(request, request.principal) : new ContextOfRequest(request);

/** The request as its `Idempotency-Key` identifies it; null without one. */
function idempotentRequestOf(request: FastifyRequest): IdempotentRequest | null {
  const key = request.headers[IDEMPOTENCY_HEADER];
  if (typeof key !== 'string' || !request.principal) return null;
  const { workspace_id } = request.principal;
  const path = request.url.split('?', 1)[0]!;
  return { workspace_id, key, request_id: request.id, method: request.method, path, body: request.body };
}

function withIdempotencyKey<Schema extends { headers?: z.ZodObject }>(schema: Schema): Schema {
  const key = z.string().regex(KEY_PATTERN).optional().describe('the same key and body again: the first answer again');
  return { ...schema, headers: z.object({ ...schema.headers?.shape, [IDEMPOTENCY_HEADER]: key }) };
}

function readInput(
  schema: { params?: z.ZodObject; query?: z.ZodObject; headers?: z.ZodObject; body?: z.ZodType },
  request: FastifyRequest,
  expectsBody: boolean,
) {
  const items: ValidationItem[] = [];
  const input: Record<string, unknown> = { params: {}, query: {}, headers: {}, body: undefined };
  if (schema.query) {
    const query = validate('query', schema.query, lastValues(request.query as Record<string, unknown>));
    items.push(...query.items);
    input.query = query.data;
  }
  if (schema.headers) {
    const headers = validate('header', schema.headers, request.headers);
    items.push(...headers.items);
    input.headers = headers.data;
  }
  if (schema.body && expectsBody) {
    const body = validate('body', schema.body, request.body);
    items.push(...body.items);
    input.body = body.data;
  }
  let absent: Error | null = null;
  if (schema.params) {
    const params = validate('path', schema.params, lastValues(request.params as Record<string, unknown>));
    for (const item of params.items) {
      absent ??= notFoundFor(schema.params, String(item.loc[1]));
      if (!absent) items.push(item);
    }
    input.params = params.data;
  }
  if (items.length > 0) throwValidationError(items);
  if (absent) throw absent;
  return input;
}

/** A parameter sent twice counts as the last one. U+0000 is removed because PostgreSQL's text cannot hold it. */
function lastValues(query: Record<string, unknown>): Record<string, unknown> {
  if (Object.values(query).every((value) => typeof value === 'string' && !value.includes('\0'))) return query;
  const entries = Object.entries(query).map(([name, value]) => {
    const last = Array.isArray(value) ? value.at(-1) : value;
    return [name, typeof last === 'string' ? last.replaceAll('\0', '') : last] as const;
  });
  return Object.fromEntries(entries);
}

function sendResponse(
  reply: FastifyReply,
  response: z.ZodType | FileResponseSchema | undefined,
  success: number,
  result: unknown,
): FastifyReply {
  if (!response) return reply.code(success).send();
  if (isFile(response)) {
    const { body, headers = {}, status = success } = result as FileReply;
    return reply.code(status).type(response.content_type).headers(headers).send(body);
  }
  const json = serializedJsonOf(result);
  // Serialized already.
  if (json !== undefined) return reply.code(success).header('Content-Type', JSON_TYPE).serializer(String).send(json);
  return reply.code(success).send(encodeResponse(reply.request.zone, response, result));
}

declare module 'fastify' {
  interface FastifyInstance {
    findPrincipal: FindPrincipal;
    appLog: Logger;
    rateLimiter: RateLimiter | null;
    idempotency: Idempotency | null;
    consoleOrigins: ReadonlySet<string>;
    /** Rejects with what is answered as 503 when the database does not respond for 5 seconds. */
    readInTime<Result>(work: Promise<Result>): Promise<Result>;
  }
  interface FastifyRequest {
    zone: string;
    principal: Principal | null;
    /** Set where the change takes the `Idempotency-Key`. */
    keyToTake: KeyToTake | null;
    /** The raw JSON body, set only for callbacks of carriers and payment gateways, whose signatures cover it. */
    rawBody: string;
  }
}
