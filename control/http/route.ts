import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Logger } from '../../shared/log.ts';
import { type Actor, authenticate, type Caller, type Credential, permit } from './authenticate.ts';
import type { ValidationItem } from './errors.ts';
import { mayDo, type Permission } from './permissions.ts';
import { notFoundOf } from './query.ts';
import { inZone } from './times.ts';
import { check, refuse } from './validation.ts';

/**
 * The one way to add an endpoint. Credential, permission, validation, times and the OpenAPI document all come from
 * the declaration:
 *
 *     route(app, {
 *       method: 'GET',
 *       path: '/api/v1/calls/{call_id}',          // as in endpoints.csv
 *       tag: 'Calls',
 *       summary: 'One call with its transcript',
 *       credential: 'key',                        // key · session · public
 *       permission: 'calls.view',                 // null: any credential will do
 *       schema: {
 *         params: z.object({ call_id: pathId('call') }),                   // wrong shape: 404 `call not found`
 *         query: z.object({ ...paging(50, 200), since: timeInput().optional() }),
 *         // body: z.object({ to_number: z.string().regex(E164_PATTERN) }),
 *         response: z.object({ id: z.string(), started_at: time().nullable() }).meta({ id: 'Call' }),
 *       },
 *       success: 200,                             // 204: no `response`, the handler returns nothing
 *       errors: [404],                            // beyond 400, 401, 403 and 422, for the document
 *       handler: async ({ params, query }, context) => findCall(sql, context.workspace_id, params.call_id),
 *     });
 *
 * The handler returns the record with `Date` or milliseconds in its `time()` fields; fields the schema does not name
 * are left out. It throws `HttpError` (`notFound('call')`, `conflict('the call is already over')`, `ruleBroken(…)`).
 * A download declares `response: file('audio/wav')` and returns `{ body, headers?, status? }`.
 */
export function route<
  const Credentialed extends Credential,
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType | FileResponse = z.ZodVoid,
  Headers extends z.ZodObject = NoFields,
>(app: FastifyInstance, declaration: Route<Credentialed, Params, Query, Body, Response, Headers>): void {
  const { method, path, credential, permission, schema, success, handler } = declaration;
  const beforeActivation = declaration.before_activation ?? false;
  const expectsBody = schema.body !== undefined;

  app.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    schema: documented(declaration),
    ...(declaration.body_limit_bytes === undefined ? {} : { bodyLimit: declaration.body_limit_bytes }),
    // Validation and writing happen below, in the zone of the request and in the order the specification sets.
    validatorCompiler: () => () => true,
    serializerCompiler: () => (value) => JSON.stringify(value),
    async onRequest(request) {
      // The order of checks: request id and zone (server.ts), credential, permission, activation; then the body is read.
      if (credential === 'public') return;
      const caller = await authenticate(request, app.findCaller);
      request.caller = caller;
      permit(caller, { credential, permission, beforeActivation });
    },
    async handler(request, reply) {
      const input = inZone(request.zone, () => read(schema, request, expectsBody));
      const result = await handler(input as never, contextOf(request) as never);
      return answer(reply, schema.response, success, result);
    },
  });
}

type NoFields = z.ZodObject<Record<never, never>>;

export interface Route<
  Credentialed extends Credential,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Response extends z.ZodType | FileResponse,
  Headers extends z.ZodObject = NoFields,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/api/v1/agents/{agent_id}` */
  path: string;
  /** The group of the API, as in endpoints.csv. */
  tag: string;
  summary: string;
  credential: Credentialed;
  permission: Permission | null;
  /** Works while the workspace is not active. */
  before_activation?: boolean;
  /** When it takes more than the usual 1 MB. */
  body_limit_bytes?: number;
  /** When it takes another body than JSON: see `multipart.ts`. */
  consumes?: 'multipart/form-data';
  /** Names of `headers` in lower case. */
  schema: { params?: Params; query?: Query; headers?: Headers; body?: Body; response?: Response };
  success: 200 | 201 | 202 | 204;
  errors?: (400 | 402 | 404 | 409 | 413 | 415 | 502)[];
  /** Not part of the public API: left out of the OpenAPI document. */
  hidden?: boolean;
  handler(
    input: { params: z.output<Params>; query: z.output<Query>; headers: z.output<Headers>; body: z.output<Body> },
    context: Credentialed extends 'public' ? PublicContext : Context,
  ): Promise<Response extends z.ZodType ? z.output<Response> : FileAnswer>;
}

/** What every handler is told about its request. */
export interface PublicContext {
  request_id: string;
  /** IANA name of the zone times are read and written in. */
  zone: string;
  log: Logger;
  /** For what no schema can say: raw headers, the address of the client. */
  request: FastifyRequest;
}

export interface Context extends PublicContext {
  workspace_id: string;
  actor: Actor;
  may(permission: Permission): boolean;
}

/** A body that is not JSON. */
export interface FileResponse {
  content_type: string;
  description: string;
}

export const file = (content_type: string, description = 'the file'): FileResponse => ({ content_type, description });

export interface FileAnswer {
  body: Readable | Buffer | string;
  headers?: Record<string, string>;
  /** When it is not `success`: 206 for a part. */
  status?: number;
}

const isFile = (response: z.ZodType | FileResponse): response is FileResponse => 'content_type' in response;

function contextOf(request: FastifyRequest): PublicContext | Context {
  const { zone, caller } = request;
  const common = {
    request_id: request.id,
    zone,
    log: request.server.roomLog.child({ request_id: request.id }),
    request,
  };
  if (!caller) return common;
  const { workspace_id, actor, role } = caller;
  return { ...common, workspace_id, actor, may: (permission) => mayDo(role, permission) };
}

function read(
  schema: { params?: z.ZodObject; query?: z.ZodObject; headers?: z.ZodObject; body?: z.ZodType },
  request: FastifyRequest,
  expectsBody: boolean,
) {
  const items: ValidationItem[] = [];
  const input: Record<string, unknown> = { params: {}, query: {}, headers: {}, body: undefined };
  if (schema.query) {
    const query = check('query', schema.query, lastOfEach(request.query as Record<string, unknown>));
    items.push(...query.items);
    input.query = query.data;
  }
  if (schema.headers) {
    const headers = check('header', schema.headers, request.headers);
    items.push(...headers.items);
    input.headers = headers.data;
  }
  if (schema.body && expectsBody) {
    const body = check('body', schema.body, request.body);
    items.push(...body.items);
    input.body = body.data;
  }
  let absent: Error | null = null;
  if (schema.params) {
    const params = check('path', schema.params, request.params);
    for (const item of params.items) {
      absent ??= notFoundOf(schema.params, String(item.loc[1]));
      if (!absent) items.push(item);
    }
    input.params = params.data;
  }
  if (items.length > 0) refuse(items);
  if (absent) throw absent;
  return input;
}

/** A parameter sent twice counts as the last one. PostgreSQL's text holds no U+0000, so nothing can match it. */
function lastOfEach(query: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(query).map(([name, value]) => {
    const last = Array.isArray(value) ? value.at(-1) : value;
    return [name, typeof last === 'string' ? last.replaceAll('\0', '') : last] as const;
  });
  return Object.fromEntries(entries);
}

function answer(
  reply: FastifyReply,
  response: z.ZodType | FileResponse | undefined,
  success: number,
  result: unknown,
): FastifyReply {
  if (!response) return reply.code(success).send();
  if (isFile(response)) {
    const { body, headers = {}, status = success } = result as FileAnswer;
    return reply.code(status).type(response.content_type).headers(headers).send(body);
  }
  const encoded = inZone(reply.request.zone, () => z.safeEncode(response, result));
  if (!encoded.success) {
    const where = encoded.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    throw new Error(`the answer does not fit its schema: ${where}`);
  }
  return reply.code(success).send(encoded.data);
}

const errorRecord = z.object({ detail: z.string() }).meta({ id: 'Error' });
const inactiveRecord = z
  .object({ detail: z.string(), code: z.string().optional().describe('`workspace_inactive`, or absent') })
  .meta({ id: 'Forbidden' });
const validationRecord = z
  .object({
    detail: z.array(
      z.object({
        type: z.string(),
        loc: z.array(z.union([z.string(), z.int()])),
        msg: z.string(),
        input: z.unknown(),
      }),
    ),
  })
  .meta({ id: 'ValidationError' });

const ERROR_WORDS: Record<number, string> = {
  400: 'cannot be carried out as asked',
  401: 'no credentials, or invalid, expired or revoked ones',
  402: 'out of credits',
  403: 'the credential lacks the permission, or the workspace is not active',
  404: 'not found, or not in the workspace',
  409: 'conflicts with the current state',
  413: 'too large',
  415: 'not a type that is taken here',
  422: 'validation failed',
  502: 'a third party did not answer',
};

/** What @fastify/swagger reads. */
function documented<
  Credentialed extends Credential,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Response extends z.ZodType | FileResponse,
  Headers extends z.ZodObject,
>(declaration: Route<Credentialed, Params, Query, Body, Response, Headers>): FastifySchema {
  const { schema, credential, permission, success, errors = [] } = declaration;
  if (declaration.hidden) return { hide: true };
  const response: Record<number, unknown> = {};
  if (!schema.response) response[success] = z.undefined().describe('no content');
  else if (isFile(schema.response)) {
    const { content_type, description } = schema.response;
    const binary = z.string().meta({ format: 'binary' });
    response[success] = { description, content: { [content_type]: { schema: binary } } };
  } else {
    const description = declaration.summary;
    response[success] = { description, content: { 'application/json': { schema: schema.response } } };
  }

  const refusals = new Set<number>(errors);
  // 400 for an unknown zone.
  if (credential !== 'public') refusals.add(400).add(401).add(403);
  if (schema.query || schema.headers || schema.body) refusals.add(422);
  for (const status of [...refusals].sort()) {
    const record = status === 422 ? validationRecord : status === 403 ? inactiveRecord : errorRecord;
    response[status] = { description: ERROR_WORDS[status], content: { 'application/json': { schema: record } } };
  }
  const zoneField = { timezone: z.string().optional().describe('IANA zone of the times in the answer') };
  return {
    tags: [declaration.tag],
    summary: declaration.summary,
    ...(permission ? { description: `Permission: ${permission}.` } : {}),
    security:
      credential === 'public' ? [] : credential === 'session' ? [{ bearer: [] }] : [{ apiKey: [] }, { bearer: [] }],
    ...(schema.params ? { params: schema.params } : {}),
    querystring: z.object({ ...schema.query?.shape, ...zoneField }),
    ...(schema.headers ? { headers: schema.headers } : {}),
    ...(schema.body ? { body: schema.body } : {}),
    ...(declaration.consumes ? { consumes: [declaration.consumes] } : {}),
    response,
  };
}

declare module 'fastify' {
  interface FastifyInstance {
    findCaller: (credential: string) => Promise<Caller | null>;
    roomLog: Logger;
  }
  interface FastifyRequest {
    zone: string;
    caller: Caller | null;
    /** The body as it was sent, where a signature needs it: JSON at the carriers' addresses. */
    rawBody: string;
  }
}
