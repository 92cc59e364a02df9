import {
  type ApiDocument,
  bodySchemaOf,
  type NamedOperation,
  resolved,
  type Schema,
  sampleOf,
} from '../support/openapi-samples.ts';
import type { Draws } from './draws.ts';
import { bentJson, damaged, hostileString, hostileToken } from './hostile-json.ts';

/** Requests made of the OpenAPI document: valid ones, nearly valid ones and hostile ones. */

export interface AnyRequest {
  method: string;
  /** Path and query, encoded. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

export interface RequestSource {
  document: ApiDocument;
  /** Of rows that exist, by table and column. */
  ids: ReadonlyMap<string, readonly string[]>;
}

/** Mostly an id of the kind that a field or a part of the path is called by: `agent_id` has ids of `agents`. */
function anyId(draws: Draws, { ids }: RequestSource, name: string): string {
  const kind = name.replace(/_?ids?$/, '');
  const fitting = [...ids].filter(([column]) => kind !== '' && new RegExp(`(^|_)${kind}s?\\.`).test(column));
  const among = fitting.length > 0 && draws.chance(0.85) ? fitting : [...ids];
  return draws.pick(draws.pick(among)[1]);
}

const OPTIONAL_FIELD = 0.4;
const BOUNDARY = 'boundaryOfTheTest';

export function anyRequest(draws: Draws, source: RequestSource, operation: NamedOperation): AnyRequest {
  const path = pathOf(draws, source, operation) + queryOf(draws, source, operation);
  const reads = bodySchemaOf(operation);
  const headers = anyHeaders(draws);
  if (!reads) return { method: operation.method, path, headers, body: undefined };
  const value = drawnSample(draws, source, reads.schema);
  if (reads.type === 'multipart/form-data') {
    headers['content-type'] ??= `multipart/form-data; boundary=${BOUNDARY}`;
    return { method: operation.method, path, headers, body: formOf(draws, value) };
  }
  if (reads.type === 'application/x-www-form-urlencoded' && draws.chance(0.8)) {
    headers['content-type'] ??= reads.type;
    return { method: operation.method, path, headers, body: Buffer.from(encodedForm(draws, value)) };
  }
  headers['content-type'] ??= 'application/json';
  return { method: operation.method, path, headers, body: Buffer.from(jsonOf(draws, value)) };
}

function jsonOf(draws: Draws, value: unknown): string | Buffer {
  const kind = draws.below(100);
  if (kind < 25) return JSON.stringify(value);
  if (kind < 80) return bentJson(draws, value, 0.08);
  if (kind < 92) return bentJson(draws, value, 0.5);
  return damaged(draws, bentJson(draws, value, 0.1));
}

/** A valid value with some of the optional fields. */
function drawnSample(draws: Draws, source: RequestSource, schema: Schema, name = '', depth = 0): unknown {
  const at = resolved(source.document, schema);
  if (depth > 6) return null;
  const among = at.anyOf ?? at.oneOf;
  if (among) return drawnSample(draws, source, draws.pick(among), name, depth + 1);
  if (at.enum) return draws.pick(at.enum);
  const type = Array.isArray(at.type) ? draws.pick(at.type) : at.type;
  if (type === 'object' && at.properties) {
    const required = new Set(at.required);
    const names = Object.keys(at.properties).filter((each) => required.has(each) || draws.chance(OPTIONAL_FIELD));
    return Object.fromEntries(
      names.map((each) => [each, drawnSample(draws, source, at.properties![each]!, each, depth + 1)]),
    );
  }
  if (type === 'array') {
    const count = Math.max(at.minItems ?? 0, draws.below(3));
    return Array.from({ length: count }, () => drawnSample(draws, source, at.items ?? {}, name, depth + 1));
  }
  if (type === 'boolean') return draws.chance(0.5);
  if (type === 'string' && /_id$|_ids$|^id$/.test(name)) return anyId(draws, source, name);
  if (type === 'string' && /number/.test(name) && at.const === undefined) return '+919811112222';
  return sampleOf(source.document, at);
}

function pathOf(draws: Draws, source: RequestSource, { path }: NamedOperation): string {
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = draws.chance(0.85) ? anyId(draws, source, name) : hostileString(draws).slice(0, 2_000);
    if (draws.chance(0.02))
      return draws.pick(['%', '%zz', '%ff', '%00', '%c0%80', '%ed%a0%80', '..', '.', '%2e%2e%2f']);
    return encodeURIComponent(value.toWellFormed()) || 'x';
  });
}

function queryOf(draws: Draws, source: RequestSource, { parameters = [] }: NamedOperation): string {
  const pairs: string[] = [];
  const encoded = (value: string) =>
    draws.chance(0.03)
      ? draws.pick(['%', '%zz', '%ff', '%00', '%ed%a0%80', '+'])
      : encodeURIComponent(value.toWellFormed());
  for (const { name, in: place, schema } of parameters) {
    if (place !== 'query' || !draws.chance(0.35)) continue;
    const times = draws.chance(0.05) ? draws.pick([2, 3, 200]) : 1;
    for (let time = 0; time < times; time++) {
      const value = draws.chance(0.5) ? String(drawnSample(draws, source, schema, name)) : hostileString(draws);
      pairs.push(`${name}${draws.pick(['', '', '', '', '[]', '[a]'])}=${encoded(value.slice(0, 3_000))}`);
    }
  }
  if (draws.chance(0.05)) pairs.push(`${encoded(hostileString(draws).slice(0, 200))}=${encoded('1')}`);
  if (draws.chance(0.05)) pairs.push(`timezone=${encoded(hostileString(draws).slice(0, 200))}`);
  return pairs.length > 0 ? `?${pairs.join('&')}` : draws.pick(['', '', '', '?', '?&', '?=']);
}

const HEADERS: Record<string, readonly string[]> = {
  'if-match': ['1', '"1"', 'W/"1"', '*', '"9", "8"', '99999999999999999999', '-1'],
  'if-none-match': ['*', '"x"', 'W/""', '"'],
  'idempotency-key': ['1', 'x', '', 'k'.repeat(300), 'é'],
  'x-workspace-id': ['1', '', '0'.repeat(32), '__proto__'],
  'x-timezone': ['UTC', 'Nowhere/Here', '', 'Asia/Kolkata', '__proto__', 'x'.repeat(2_000)],
  'x-request-id': ['1', 'x'.repeat(2_000), 'a b', '%{x}'],
  'x-forwarded-for': ['', 'unknown', '::ffff:1.2.3.4', '1.2.3.4, 5.6.7.8', '999.1.1.1', '[::1]:80', 'a,b,c,d'],
  'x-forwarded-proto': ['https', 'x', ''],
  'x-forwarded-host': ['evil.example', '', 'a:b:c'],
  'content-type': [
    ...['text/plain', 'application/json; charset=utf-7', 'application/json;', '', 'multipart/form-data', 'x', '/'],
    ...[
      'multipart/form-data; boundary=',
      'application/x-www-form-urlencoded',
      'application/__proto__',
      'application/octet-stream',
    ],
  ],
  'content-encoding': ['gzip', 'br', 'identity', 'x'],
  accept: ['text/csv', '*/*', '', 'application/pdf', 'a/b;q=x'],
  'accept-language': ['hi', '*', 'x-'.repeat(200)],
  'accept-encoding': ['gzip', '*;q=0', ''],
  range: [
    'bytes=0-',
    'bytes=-1',
    'bytes=5-2',
    'bytes=0-0,2-3',
    'x',
    'bytes=99999999999999999999-',
    `bytes=${'0-1,'.repeat(300)}`,
  ],
  origin: ['null', 'https://evil.example', '', 'x'],
  referer: ['x', 'https://evil.example/'],
  'sec-fetch-site': ['cross-site', 'x'],
  cookie: ['session=x', 'a', '=', ';;;', 'session=%', '__proto__=1', `a=${'x'.repeat(4_000)}`],
  'user-agent': ['', 'x'.repeat(4_000), '\u00e9'],
  authorization: [
    '',
    'Bearer',
    'Bearer ',
    'Basic Og==',
    'Bearer a b',
    `Bearer ${'x'.repeat(4_000)}`,
    'Digest x',
    'bearer svck_x',
  ],
  'x-api-key': ['', 'x', 'svck_', 'x'.repeat(4_000)],
};
const HEADER_NAMES = Object.keys(HEADERS);

function anyHeaders(draws: Draws): Record<string, string> {
  const headers: Record<string, string> = {};
  const count = draws.pick([0, 0, 0, 1, 1, 2, 4]);
  for (let at = 0; at < count; at++) {
    const name = draws.pick(HEADER_NAMES);
    // Most requests keep their credential and their content type.
    if (/^(authorization|x-api-key|content-type|x-workspace-id)$/.test(name) && draws.chance(0.7)) continue;
    headers[name] = draws.pick(HEADERS[name]!);
  }
  return headers;
}

const FILES = [
  '',
  'a,b\n1,2\n',
  '+919811112222\n',
  '%PDF-1.7\n%%EOF',
  'PK\u0003\u0004',
  '\u0089PNG\r\n\u001a\n',
  '<html>',
  'RIFF\0\0\0\0WAVEfmt ',
];
const NAMES = [
  'a.csv',
  'a.pdf',
  'a.docx',
  'a.wav',
  'a.png',
  'a.html',
  'a',
  '',
  '../a.csv',
  'a\u0000.pdf',
  'x'.repeat(300),
  'a.',
  '.csv',
  'a.PDF.exe',
];
const TYPES = [
  'text/csv',
  'application/pdf',
  'image/png',
  'audio/wav',
  'text/plain',
  'x',
  '',
  'multipart/mixed; boundary=x',
];

function formOf(draws: Draws, value: unknown): Buffer {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const parts: Buffer[] = [];
  for (const [name, item] of draws.chance(0.9) ? [...fields, ['file', null] as const] : fields) {
    const isFile = name === 'file' || draws.chance(0.1);
    const content = isFile
      ? Buffer.concat([Buffer.from(draws.pick(FILES), 'latin1'), draws.bytes(draws.pick([0, 0, 10, 2_000]))])
      : Buffer.from(draws.chance(0.7) ? String(item) : hostileString(draws));
    const file = isFile ? `; filename="${draws.pick(NAMES)}"` : '';
    const type = isFile ? `Content-Type: ${draws.pick(TYPES)}\r\n` : '';
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${type}\r\n`;
    parts.push(Buffer.from(head), content, Buffer.from('\r\n'));
    if (draws.chance(0.03)) parts.push(...Array<Buffer>(30).fill(Buffer.from(`${head}x\r\n`)));
  }
  parts.push(Buffer.from(`--${BOUNDARY}--\r\n`));
  const whole = Buffer.concat(parts);
  return draws.chance(0.15) ? damaged(draws, whole) : whole;
}

function encodedForm(draws: Draws, value: unknown): string {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return fields
    .filter(() => draws.chance(0.95))
    .map(([name, item]) => {
      const text = draws.chance(0.7) ? String(item) : draws.chance(0.5) ? hostileString(draws) : hostileToken(draws);
      return `${name}=${draws.chance(0.05) ? '%zz' : encodeURIComponent(text.toWellFormed())}`;
    })
    .join('&');
}
