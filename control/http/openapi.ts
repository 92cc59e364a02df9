import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { completeDocument, type DocumentedEvent, type OpenapiDocument } from './openapi-document.ts';

/** The tags of the API. */
const TAGS: Record<string, string> = {
  Agents: 'Voice agents: their configuration, versions, shares and background sounds',
  'Agent tests': 'Simulated conversations with an agent',
  Calls: 'Placing, ending and reading calls',
  Batches: 'Calls to many people from a list',
  'Knowledge bases': 'What agents can look up',
  Webhooks: 'Signed events to addresses of your own',
  Catalog: 'Models, voices and languages to choose from',
  'Phone numbers': 'Numbers that agents answer and call from',
  Tools: 'HTTP tools that agents can call',
  Workspace: 'The workspace, its people, keys, papers and limits',
  Billing: 'Credits, plans, lines and invoices',
  Observability: 'What happened: audit events, logs and figures',
  'Account and sign-in': 'People: signing in, sessions and two-step sign-in',
};

/**
 * The OpenAPI 3.1 document, generated from the zod schemas of the endpoints. `publicUrl`: how clients reach the service; empty: where
 * the document comes from.
 */
export const openapiOptions = (
  publicUrl: string,
  events: readonly DocumentedEvent[],
): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Voice Agent Service',
      version: '1.0.0',
      description: 'Build, run and observe voice agents on the phone and in the browser.',
    },
    servers: [{ url: publicUrl || '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'an API key of a workspace, `svc_…`' },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'an API key `svc_…`, the token of a session `svcs_…`, or the access token of a connected app `svco_…`',
        },
      },
    },
  },
  transform: jsonSchemaTransform,
  transformObject(document) {
    const opened = openSchemas(jsonSchemaTransformObject(document) as unknown as OpenapiDocument);
    const complete = pruneSchemas(completeDocument(opened, events));
    return complete as unknown as ReturnType<typeof jsonSchemaTransformObject>;
  },
});

/** Removes `additionalProperties: false`: responses may gain fields. */
function openSchemas(document: OpenapiDocument): OpenapiDocument {
  const open = (_name: string, value: unknown) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    const { additionalProperties, ...rest } = value as Record<string, unknown>;
    return additionalProperties === undefined || additionalProperties === false
      ? rest
      : { ...rest, additionalProperties };
  };
  return JSON.parse(JSON.stringify(document, open));
}

/** Removes named schemas that nothing refers to: each exists for input and for output. */
function pruneSchemas(document: OpenapiDocument): OpenapiDocument {
  const { schemas } = document.components;
  for (;;) {
    const text = JSON.stringify(document);
    const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
    if (unused.length === 0) return document;
    for (const name of unused) delete schemas[name];
  }
}
