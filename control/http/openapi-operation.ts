import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Credential } from './authenticate.ts';
import { type FileResponseSchema, isFile } from './file-response.ts';
import { operationIdOf } from './operation-ids.ts';
import type { Permission } from './permissions.ts';
import { scopeOf } from './scopes.ts';

const errorSchema = z.object({ detail: z.string() }).meta({ id: 'Error' });
const forbiddenSchema = z
  .object({
    detail: z.string(),
    code: z
      .string()
      .optional()
      .describe('`workspace_inactive`, `confirmation_required`, `email_unverified`, or absent'),
  })
  .meta({ id: 'Forbidden' });
const validationErrorSchema = z
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

const internalErrorSchema = z
  .object({ detail: z.string(), request_id: z.string().optional().describe('the same as the header `X-Request-ID`') })
  .meta({ id: 'InternalError' });

const SCHEMAS: Record<number, z.ZodType> = {
  403: forbiddenSchema,
  422: validationErrorSchema,
  500: internalErrorSchema,
  503: internalErrorSchema,
};

const ERROR_DESCRIPTIONS: Record<number, string> = {
  400: 'cannot be carried out as asked',
  401: 'no credentials, or invalid, expired or revoked ones',
  402: 'out of credits',
  403: 'the credential lacks the permission or scope or is used from elsewhere, or the workspace is not active',
  404: 'not found, or not in the workspace',
  409: 'conflicts with the current state',
  413: 'too large',
  414: 'a parameter of the path is longer than 500 characters',
  415: 'not a type that is taken here',
  422: 'validation failed',
  429: 'too many requests: wait for the seconds in `Retry-After`',
  500: 'something went wrong in the service; `request_id` identifies it',
  501: 'this service is not set up for it',
  502: 'a third party did not respond',
  503: 'the database does not answer: wait for the seconds in `Retry-After`',
};

/** The parts of a route's declaration that the OpenAPI document shows. */
export interface DocumentedOperation {
  method: string;
  path: string;
  tag: string;
  summary: string;
  credential: Credential;
  permission: Permission | null;
  before_activation?: boolean;
  confirmed?: boolean | 'sessions';
  resource?: 'keys';
  consumes?: string;
  schema: {
    params?: z.ZodObject;
    query?: z.ZodObject;
    headers?: z.ZodObject;
    body?: z.ZodType;
    response?: z.ZodType | FileResponseSchema;
  };
  success: number;
  errors?: readonly number[];
  hidden?: boolean;
}

const CONFIRMED = 'the password or second factor entered in the last 15 minutes.';

/** What of a credential the endpoint asks for, in words. */
function needsOf(declaration: DocumentedOperation): string {
  const { credential, permission, confirmed = false } = declaration;
  const scope = scopeOf(declaration);
  return [
    ...(permission ? [`Permission: ${permission}.`] : []),
    ...(scope ? [`Scope of a limited key: ${scope}.`] : []),
    ...(confirmed
      ? [credential === 'account' ? `Needs ${CONFIRMED}` : `Unless the workspace waives it: signed in, ${CONFIRMED}`]
      : []),
  ].join(' ');
}

/** Returns the schema that @fastify/swagger reads. */
export function openapiOperation(declaration: DocumentedOperation): FastifySchema {
  const { schema, credential, permission, success, errors = [] } = declaration;
  if (declaration.hidden) return { hide: true };
  const response: Record<number, unknown> = {};
  if (!schema.response) response[success] = z.undefined().describe('no content');
  else if (isFile(schema.response)) {
    const { content_type, other_types = [], description } = schema.response;
    const binary = z.string().meta({ format: 'binary' });
    response[success] = {
      description,
      content: Object.fromEntries([content_type, ...other_types].map((type) => [type, { schema: binary }])),
    };
  } else {
    const description = declaration.summary;
    response[success] = { description, content: { 'application/json': { schema: schema.response } } };
  }

  const refusals = new Set([...errors, 500, 503]);
  // 400: unknown time zone.
  if (credential === 'public') refusals.add(400);
  else refusals.add(400).add(401).add(403).add(429);
  if (schema.query || schema.headers || schema.body) refusals.add(422);
  if (schema.params) refusals.add(404).add(414);
  if (schema.body) refusals.add(413).add(415);
  for (const status of [...refusals].sort()) {
    const record = SCHEMAS[status] ?? errorSchema;
    response[status] = { description: ERROR_DESCRIPTIONS[status], content: { 'application/json': { schema: record } } };
  }
  const zoneField = { timezone: z.string().optional().describe('IANA zone of the times in the response') };
  return {
    tags: [declaration.tag],
    operationId: operationIdOf(declaration.method, declaration.path),
    summary: declaration.summary,
    ...(permission || declaration.confirmed ? { description: needsOf(declaration) } : {}),
    security:
      credential === 'public'
        ? []
        : credential === 'session' || credential === 'account'
          ? [{ bearer: [] }]
          : [{ apiKey: [] }, { bearer: [] }],
    ...(schema.params ? { params: schema.params } : {}),
    querystring: z.object({ ...schema.query?.shape, ...zoneField }),
    ...(schema.headers ? { headers: schema.headers } : {}),
    ...(schema.body ? { body: schema.body } : {}),
    ...(declaration.consumes ? { consumes: [declaration.consumes] } : {}),
    response,
  };
}
