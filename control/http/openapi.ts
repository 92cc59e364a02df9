import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';

/** The OpenAPI 3.1 document, made from the zod schemas the endpoints are declared with. */
export const OPENAPI: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Voice Agent Service',
      version: '1.0.0',
      description: 'Build, run and observe voice agents on the phone and in the browser.',
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  },
  transform: jsonSchemaTransform,
  transformObject(document) {
    return tidy(jsonSchemaTransformObject(document) as Document) as ReturnType<typeof jsonSchemaTransformObject>;
  },
};

interface Document {
  components: { schemas: Record<string, unknown> };
}

/**
 * Named schemas come in two directions, as sent and as answered: those nothing refers to are left out. Answers may
 * gain fields, so no record is closed.
 */
function tidy(document: Document): Document {
  const open = (_name: string, value: unknown) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    const { additionalProperties, ...rest } = value as Record<string, unknown>;
    return additionalProperties === undefined || additionalProperties === false
      ? rest
      : { ...rest, additionalProperties };
  };
  const opened: Document = JSON.parse(JSON.stringify(document, open));
  const { schemas } = opened.components;
  for (;;) {
    const text = JSON.stringify(opened);
    const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
    if (unused.length === 0) return opened;
    for (const name of unused) delete schemas[name];
  }
}
