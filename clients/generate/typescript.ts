import { type ApiDocument, eventNamesOf, nameOf, type Operation, operationsOf, type Schema } from './document.ts';

/** Writes the types and the table of operations of the TypeScript client. */

const HEAD = `/** Written by \`make docs\` from /openapi.json. Do not edit. */
`;

export function typescriptOf(document: ApiDocument): string {
  const operations = operationsOf(document);
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')};\n`,
  );
  return [
    HEAD,
    ...types,
    `/** What webhooks get. */\nexport type WebhookEvent =\n${eventNamesOf(document)
      .map((name) => `  | ${name}`)
      .join('\n')};\n`,
    `/** What each operation takes and returns. */\nexport interface Operations {\n${operations.map(entryOf).join('')}}\n`,
    `/** How each operation is sent. */\nexport const OPERATIONS = {\n${operations.map(rowOf).join('')}} as const;\n`,
  ].join('\n');
}

function entryOf(operation: Operation): string {
  const { name, method, path, summary, description, parameters, body, result, item } = operation;
  const fields = parameters.map(
    (each) =>
      `${comment(each.description, '      ')}      ${key(each.name.replaceAll('-', '_'))}${each.required ? '' : '?'}: ${typeOf(each.schema, '      ')};\n`,
  );
  if (body) fields.push(`      body${body.required ? '' : '?'}: ${typeOf(body.schema, '      ')};\n`);
  const input = fields.length === 0 ? 'Record<never, never>' : `{\n${fields.join('')}    }`;
  const output = result === null ? 'undefined' : result.file ? 'Response' : typeOf(result.schema, '    ');
  const text = [summary, `\`${method} ${path}\``, description].filter((line) => line !== '').join('\n\n');
  return `${comment(text, '  ')}  ${name}: {
    input: ${input};
    output: ${output};
${item ? `    item: ${typeOf(item, '    ')};\n` : ''}  };
`;
}

function rowOf({ name, method, path, parameters, body, result, idempotent }: Operation): string {
  const query = parameters.filter((each) => each.in === 'query').map((each) => `'${each.name}'`);
  const facts = [
    `method: '${method}'`,
    `path: '${path}'`,
    ...(query.length > 0 ? [`query: [${query.join(', ')}]`] : []),
    ...(parameters.some((each) => each.name === 'if-match') ? ['ifMatch: true'] : []),
    ...(body ? [`body: '${body.multipart ? 'form' : 'json'}'`] : []),
    ...(result ? [`result: '${result.file ? 'file' : 'json'}'`] : []),
    ...(idempotent ? ['idempotent: true'] : []),
  ];
  return `  ${name}: { ${facts.join(', ')} },\n`;
}

function typeOf(schema: Schema, indent: string): string {
  const name = nameOf(schema);
  if (name) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map((each) => typeOf(each, indent)))].join(' | ');
  if (schema.allOf) return schema.allOf.map((each) => `(${typeOf(each, indent)})`).join(' & ');
  switch (schema.type) {
    case 'object':
      return objectType(schema, indent);
    case 'array':
      return `Array<${typeOf(schema.items ?? {}, indent)}>`;
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    default:
      return 'unknown';
  }
}

function objectType({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  if (!properties) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
    return `Record<string, ${value}>`;
  }
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(
    ([name, field]) =>
      `${comment(field.description, inner)}${inner}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field, inner)};\n`,
  );
  return `{\n${fields.join('')}${indent}}`;
}

const key = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`);

function comment(text: string | undefined, indent: string): string {
  if (!text) return '';
  const lines = text.replaceAll('*/', '* /').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}
