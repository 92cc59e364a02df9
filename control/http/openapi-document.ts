import { exampleOf, type Schema } from './openapi-examples.ts';

/**
 * What the OpenAPI document has beyond the declarations of the endpoints: names for the records that have none, the errors and
 * headers that all share, examples, and the events that are sent to webhooks.
 */

interface Reference {
  $ref: string;
}

interface Response {
  description: string;
  content?: Record<string, { schema: Schema }>;
  headers?: Record<string, object>;
}

interface Operation {
  operationId: string;
  summary?: string;
  security?: object[];
  parameters?: (Reference | { name: string; in: string; schema: Schema })[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Response | Reference>;
}

export interface OpenapiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses?: Record<string, Response>;
    headers?: Record<string, object>;
    parameters?: Record<string, object>;
  };
  webhooks?: Record<string, object>;
}

/** An event that is sent to webhooks; `schema` is the id of a zod schema. */
export interface DocumentedEvent {
  type: string;
  description: string;
  schema: string;
}

const text = (description: string) => ({ description, schema: { type: 'string' } });
const integer = (description: string) => ({ description, schema: { type: 'integer' } });

const HEADERS = {
  'X-Request-ID': text("identifies the request in the workspace's logs"),
  'X-Timezone': text('the zone of the times in the response'),
  'X-RateLimit-Limit': integer('requests that the key, or the app, may send in a minute; sessions have no limit'),
  'X-RateLimit-Remaining': integer('of them left in this minute'),
  'X-RateLimit-Reset': integer('when the minute ends, in Unix seconds'),
  'Retry-After': integer('seconds to wait'),
  'WWW-Authenticate': text('`Bearer`'),
  'Idempotent-Replayed': text('`true`: the response of the first request with this Idempotency-Key'),
  'Content-Disposition': text('the name of the file'),
};
type HeaderName = keyof typeof HEADERS;

const RATE_HEADERS: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const PARAMETERS = {
  Timezone: {
    ...{ name: 'X-Timezone', in: 'header', required: false, schema: { type: 'string' } },
    description: 'IANA zone of the times in the response; the query parameter `timezone` wins',
  },
  WorkspaceID: {
    ...{ name: 'X-Workspace-ID', in: 'header', required: false, schema: { type: 'string' } },
    description: 'the workspace that a session is used in; left out: the first. Keys and apps have one',
  },
};

/** The names of the errors in `components.responses`. */
const ERROR_NAMES: Record<string, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'OutOfCredits',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  414: 'ParameterTooLong',
  415: 'UnsupportedMediaType',
  422: 'ValidationFailed',
  429: 'TooManyRequests',
  500: 'InternalError',
  501: 'NotSetUp',
  502: 'ThirdPartyFailed',
  503: 'Unavailable',
};

const ERROR_HEADERS: Record<string, HeaderName[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', ...RATE_HEADERS],
  503: ['Retry-After'],
};

/** Where the name by the operation would say less. */
const SCHEMA_NAMES: Record<string, string> = {
  CreateAgentBody: 'AgentConfiguration',
  EstimatePricingBody: 'AgentDraft',
  CreateToolBody: 'ToolConfiguration',
  CreateTestScenarioBody: 'TestScenarioConfiguration',
};

/** Completes the document in place, and returns it. */
export function completeDocument<Document extends OpenapiDocument>(
  document: Document,
  events: readonly DocumentedEvent[],
): Document {
  const { components, paths } = document;
  const names = new Map<string, string>();
  const named = (schema: Schema, name: string): Schema => {
    if (schema.type !== 'object' || !schema.properties) return schema;
    const content = JSON.stringify(schema);
    const known = names.get(content);
    const own = known ?? SCHEMA_NAMES[name] ?? name;
    names.set(content, own);
    components.schemas[own] = schema;
    return { $ref: `#/components/schemas/${own}` };
  };
  components.headers = HEADERS;
  components.parameters = PARAMETERS;
  const errors: Record<string, Response> = {};
  components.responses = errors;
  for (const operation of Object.values(paths).flatMap(Object.values)) completeOperation(operation, named, errors);
  document.webhooks = Object.fromEntries(events.map((event) => [event.type, webhookOf(event)]));
  for (const [name, schema] of Object.entries(components.schemas)) {
    schema.examples = [exampleOf(schema, components.schemas, name)];
  }
  return document;
}

function completeOperation(
  operation: Operation,
  named: (schema: Schema, name: string) => Schema,
  errors: Record<string, Response>,
): void {
  const { operationId, parameters = [], requestBody, responses, security } = operation;
  const title = operationId[0]!.toUpperCase() + operationId.slice(1);
  const isPublic = security?.length === 0;
  const shared = isPublic ? ['Timezone'] : ['Timezone', 'WorkspaceID'];
  // The API takes one value with commas; without this a client repeats the parameter.
  for (const each of parameters) {
    if ('in' in each && each.in === 'query' && each.schema.type === 'array')
      Object.assign(each, { style: 'form', explode: false });
  }
  operation.parameters = [...parameters, ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
  for (const content of Object.values(requestBody?.content ?? {}))
    content.schema = named(content.schema, `${title}Body`);
  const isIdempotent = parameters.some((each) => 'name' in each && each.name === 'idempotency-key');
  for (const [status, response] of Object.entries(responses)) {
    if ('$ref' in response) continue;
    const name = ERROR_NAMES[status];
    if (name) {
      errors[name] = { ...response, headers: headersNamed([...COMMON, ...(ERROR_HEADERS[status] ?? [])]) };
      responses[status] = { $ref: `#/components/responses/${name}` };
      continue;
    }
    const contents = Object.entries(response.content ?? {});
    const isFile = contents.some(([type]) => type !== 'application/json');
    for (const [, content] of contents) content.schema = named(content.schema, `${title}Result`);
    response.headers = headersNamed([
      ...COMMON,
      ...(isPublic ? [] : RATE_HEADERS),
      ...(isIdempotent ? (['Idempotent-Replayed'] as const) : []),
      ...(isFile ? (['Content-Disposition'] as const) : []),
    ]);
  }
}

const COMMON: HeaderName[] = ['X-Request-ID', 'X-Timezone'];

const headersNamed = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The headers are those of `delivery-attempt.ts`. */
function webhookOf({ type, description, schema }: DocumentedEvent): object {
  const header = (name: string, what: string) => ({
    ...{ name, in: 'header', required: true, schema: { type: 'string' }, description: what },
  });
  const words = type.split(/\W|_/).map((word) => word[0]!.toUpperCase() + word.slice(1));
  return {
    post: {
      operationId: `on${words.join('')}`,
      summary: description,
      tags: ['Webhooks'],
      security: [],
      parameters: [
        header('X-Svc-Event', 'the type of the event'),
        header('X-Svc-Delivery', 'the id of the delivery; attempts of one delivery have the same'),
        header('X-Svc-Signature', '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>" by the secret>`'),
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
      },
      responses: {
        '2XX': { description: 'taken' },
        default: { description: 'sent again after 10 seconds, 1 minute, 5 minutes, 30 minutes and 2 hours' },
      },
    },
  };
}
