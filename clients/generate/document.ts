/** What the generators of the clients read of `/openapi.json`. */

export interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: (string | number)[];
  const?: unknown;
  description?: string;
  format?: string;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Declared {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Declared>>;
  webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: Schema }> } } }>;
  components: { schemas: Record<string, Schema> };
}

/** One endpoint, as a client calls it. */
export interface Operation {
  /** `placeCall` */
  name: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  /** Of the path, the query, and of headers but those that clients set by themselves. */
  parameters: Parameter[];
  body: { schema: Schema; multipart: boolean; required: boolean } | null;
  /** Null: no content. */
  result: { schema: Schema; file: boolean } | null;
  /** Takes an `Idempotency-Key`. */
  idempotent: boolean;
  /** Of a list with `limit` and `skip`: what it lists. */
  item: Schema | null;
}

const IDEMPOTENCY_KEY = 'idempotency-key';
const JSON_TYPE = 'application/json';

/** Returns the operations in the order of the document. `timezone` is left out: clients send the header for every request. */
export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, declared]) => operationOf(document, path, method, declared)),
  );
}

function operationOf(document: ApiDocument, path: string, method: string, declared: Declared): Operation {
  const { operationId: name, summary, description = '', requestBody, responses } = declared;
  const own = (declared.parameters ?? []).filter((each) => !each.$ref && each.name !== 'timezone');
  const [body] = Object.entries(requestBody?.content ?? {});
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const [content] = Object.entries(success?.content ?? {});
  const result = content ? { schema: content[1].schema, file: content[0] !== JSON_TYPE } : null;
  const { items, total } = (result && resolve(document, result.schema).properties) ?? {};
  return {
    ...{ name, method: method.toUpperCase(), path, summary, description, result },
    parameters: own.filter((each) => each.name !== IDEMPOTENCY_KEY),
    body: body
      ? { schema: body[1].schema, multipart: body[0] !== JSON_TYPE, required: requestBody?.required ?? false }
      : null,
    idempotent: own.some((each) => each.name === IDEMPOTENCY_KEY),
    item: items && total ? items.items! : null,
  };
}

export function resolve(document: ApiDocument, schema: Schema): Schema {
  const name = nameOf(schema);
  return name ? document.components.schemas[name]! : schema;
}

/** The name of a schema that is referred to. */
export const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

/** The schemas of the events that webhooks get. */
export const eventNamesOf = (document: ApiDocument): string[] =>
  Object.values(document.webhooks).map(({ post }) => nameOf(post.requestBody.content[JSON_TYPE]!.schema)!);
