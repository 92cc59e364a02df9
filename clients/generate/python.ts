import { type ApiDocument, eventNamesOf, nameOf, type Operation, operationsOf, type Schema } from './document.ts';

/**
 * Writes the Python client: the runtime, a TypedDict for each record, and a method for each operation. Names are as in the API; functions
 * in snake case (PEP 8).
 */
export function pythonOf(document: ApiDocument, runtime: string): string {
  const records: string[] = [];
  for (const [name, schema] of Object.entries(document.components.schemas)) declare(name, schema, records);
  const methods = operationsOf(document).map((operation) => methodOf(operation, records));
  const client = `class Client(_Transport):
    """A function for every operation of the API. Raises ApiError and ConnectionFailed."""

${methods.join('\n')}`;
  const event = `WebhookEvent = ${eventNamesOf(document).join(' | ')}\n`;
  return `${[runtime.trimEnd(), ...records.map((each) => each.trimEnd()), event.trimEnd(), client.trimEnd()].join('\n\n\n')}\n`;
}

const KEYWORDS = new Set(['from', 'to', 'class', 'pass', 'import', 'in', 'is', 'not', 'with', 'as', 'None']);

/** Adds a class for the record, and for the records in it, before it. */
function declare(name: string, schema: Schema, records: string[]): string {
  if (!schema.properties) {
    records.push(`${name} = ${typeOf(schema, name, records)}\n`);
    return name;
  }
  const { properties, required = [] } = schema;
  const fields = Object.entries(properties).map(([field, value]) => {
    const type = typeOf(value, name + pascal(field), records);
    return { field, type: required.includes(field) ? type : `NotRequired[${type}]`, text: value.description };
  });
  const isPlain = fields.every(({ field }) => /^[A-Za-z_]\w*$/.test(field) && !KEYWORDS.has(field));
  if (!isPlain) {
    const items = fields.map(({ field, type }) => `    ${JSON.stringify(field)}: ${JSON.stringify(type)},\n`);
    records.push(
      `${name} = TypedDict(\n    "${name}",\n    {\n${items.map((line) => `    ${line}`).join('')}    },\n)\n`,
    );
    return name;
  }
  const lines = fields.map(({ field, type, text }) => `${comment(text, '    ')}    ${field}: ${type}\n`);
  records.push(
    `class ${name}(TypedDict):\n${schema.description ? `    ${docstring(schema.description)}\n\n` : ''}${lines.join('') || '    pass\n'}`,
  );
  return name;
}

function typeOf(schema: Schema, name: string, records: string[]): string {
  const known = nameOf(schema);
  if (known) return known;
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
  const options = schema.anyOf ?? schema.oneOf;
  if (options) {
    const types = options.map((each, nth) => typeOf(each, nth === 0 ? name : `${name}${nth + 1}`, records));
    return [...new Set(types)].join(' | ');
  }
  switch (schema.type) {
    case 'object':
      if (schema.properties) return declare(name, schema, records);
      return typeof schema.additionalProperties === 'object'
        ? `dict[str, ${typeOf(schema.additionalProperties, `${name}Value`, records)}]`
        : 'dict[str, Any]';
    case 'array':
      return `list[${typeOf(schema.items ?? {}, `${name}Item`, records)}]`;
    case 'string':
      return schema.format === 'binary' ? 'bytes' : 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    default:
      return 'Any';
  }
}

function methodOf(operation: Operation, records: string[]): string {
  const { name, method, path, summary, description, parameters, body, result, idempotent, item } = operation;
  const own = (each: { name: string }) => identifier(each.name);
  const typed = (each: Operation['parameters'][number]) =>
    typeOf(each.schema, pascal(name) + pascal(each.name), records);
  const inPath = parameters.filter((each) => each.in === 'path');
  const others = parameters.filter((each) => each.in !== 'path');
  const bodyType = body && typeOf(body.schema, `${pascal(name)}Body`, records);
  const positional = [
    ...inPath.map((each) => `${own(each)}: ${typed(each)}`),
    ...(body ? [body.required ? `body: ${bodyType}` : `body: ${bodyType} | None = None`] : []),
  ];
  const named = [
    ...others.map((each) =>
      each.required ? `${own(each)}: ${typed(each)}` : `${own(each)}: ${typed(each)} | None = None`,
    ),
    ...(idempotent ? ['idempotency_key: str | None = None'] : []),
  ];
  const taken = ['self', ...positional, ...(named.length > 0 ? ['*', ...named] : [])];
  const kind = result === null ? 'none' : result.file ? 'file' : 'json';
  const type =
    result === null ? 'None' : result.file ? 'bytes' : typeOf(result.schema, `${pascal(name)}Result`, records);
  const mapOf = (list: typeof others) => `{${list.map((each) => `"${each.name}": ${own(each)}`).join(', ')}}`;
  const query = others.filter((each) => each.in === 'query');
  const headers = others.filter((each) => each.in === 'header');
  const address = path.replace(/\{(\w+)\}/g, (_part, each: string) => `{_quoted(${identifier(each)})}`);
  const sent = [
    `"${method}"`,
    `${inPath.length > 0 ? 'f' : ''}"${address}"`,
    `"${kind}"`,
    ...(query.length > 0 ? [`query=${mapOf(query)}`] : []),
    ...(headers.length > 0 ? [`headers=${mapOf(headers)}`] : []),
    ...(body ? ['body=body'] : []),
    ...(body?.multipart ? ['form=True'] : []),
    ...(idempotent ? ['idempotency_key=idempotency_key or str(uuid.uuid4())'] : []),
  ];
  const call = `self._send(${sent.join(', ')})`;
  const text = docstring(
    [summary, `${method} ${path}`, description].filter((line) => line !== '').join('\n\n'),
    '        ',
  );
  const function_ = `    def ${snake(name)}(${taken.join(', ')}) -> ${type}:
        ${text}
        ${type === 'None' ? call : `return cast(${JSON.stringify(type)}, ${call})`}
`;
  return item ? `${function_}\n${eachOf(operation, { taken, own, records })}` : function_;
}

/** Walks the pages of a list. */
function eachOf(
  { name, parameters, item }: Operation,
  { taken, own, records }: { taken: string[]; own: (each: { name: string }) => string; records: string[] },
): string {
  const kept = taken.filter((each) => !each.startsWith('skip:'));
  const given = parameters.filter((each) => each.name !== 'skip').map((each) => `${own(each)}=${own(each)}`);
  return `    def each_of_${snake(name)}(${kept.join(', ')}) -> Iterator[${typeOf(item!, `${pascal(name)}Item`, records)}]:
        """Everything that ${snake(name)} lists, page after page."""
        skip = 0
        while True:
            page = self.${snake(name)}(${[...given, 'skip=skip'].join(', ')})
            yield from page["items"]
            skip += len(page["items"])
            if not page["items"] or (skip >= page["total"] and not page.get("total_is_estimate")):
                return
`;
}

const literal = (value: unknown) =>
  value === null ? 'None' : typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
const pascal = (name: string) =>
  name.replace(/(^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, _before, first: string) => first.toUpperCase());
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const identifier = (name: string) => (KEYWORDS.has(name) ? `${name}_` : name.replace(/\W/g, '_'));
const comment = (text: string | undefined, indent: string) =>
  text
    ? `${text
        .split('\n')
        .map((line) => `${indent}#: ${line}\n`)
        .join('')}`
    : '';

function docstring(text: string, indent = '    '): string {
  const safe = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''");
  const lines = safe.split('\n');
  return lines.length === 1
    ? `"""${safe}"""`
    : `"""${lines.join(`\n${indent}`).replace(/[ ]+\n/g, '\n')}\n${indent}"""`;
}
