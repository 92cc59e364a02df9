import type { Draws } from './draws.ts';

/** JSON as attackers and broken programs write it: text, because much of it no serializer would make. */

const STRINGS = [
  ...['', ' ', '\u0000', 'a\u0000b', '\ud800', '\udfff\ud800', '\u202e', '\ufeff', '\u0085', 'e\u0301'.repeat(50)],
  ...['null', 'true', 'NaN', '-1', '0', '1e400', '0x10', '９', '٣', '1,000', ' 7 '],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'then', '$ref', '{{name}}', '{', '#{7*7}'],
  ...[
    "'; drop table users; --",
    '%',
    '_',
    '\\',
    '%00',
    '../../etc/passwd',
    '<script>',
    '=1+1',
    '\r\nX: y',
    '*',
    'a:* & !(',
  ],
  ...[
    '0000-00-00',
    '0001-01-01',
    '9999-12-31T23:59:60Z',
    '2026-02-30T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    '1e5-01-01',
  ],
  ...['http://', 'http://[::1', 'http://a:b@c', 'http://127.0.0.1:1', 'javascript:1', 'https://x.invalid/%', 'data:,x'],
  ...[
    '+',
    '+0',
    '+91981111222233334444',
    '+919811112222',
    '@',
    'a@b',
    `${'a'.repeat(300)}@example.com`,
    'UTC',
    'Etc/GMT+99',
  ],
  ...['00000000-0000-0000-0000-000000000000', '99999999999999999999', '0'.repeat(32), 'a'.repeat(32), 'g'.repeat(32)],
];

const NUMBERS = [
  ...['0', '-0', '-1', '0.1', '1e-400', '1e21', '1e308', '1e400', '-1e400', '2147483647', '2147483648', '-2147483649'],
  ...[
    '9007199254740991',
    '9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
    '1e15',
    '0.30000000000000004',
  ],
  `1${'0'.repeat(400)}`,
];

const WHOLES = [
  ...[
    'null',
    'true',
    'false',
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '[{}]',
    '{"a":1}',
    '{"__proto__":{"x":1}}',
    '{"__proto__":null}',
  ],
  ...[
    '{"constructor":{"prototype":{"x":1}}}',
    '{"toString":1}',
    '{"toJSON":1}',
    '{"length":-1}',
    '{"then":1}',
    '{"":""}',
  ],
  ...[`${'['.repeat(60)}${']'.repeat(60)}`, `${'{"a":'.repeat(120)}1${'}'.repeat(120)}`, '["a","a"]', '[1e400]'],
];

const BROKEN = [
  '',
  'NaN',
  'Infinity',
  'undefined',
  "'x'",
  '01',
  '1.',
  '.5',
  '+1',
  '"\u0000"',
  '"\\u12"',
  '"\\x"',
  '{',
  '[',
  ']',
  '"',
];

export const hostileString = (draws: Draws): string =>
  draws.chance(0.03)
    ? draws.pick(['x', '[', 'é', ' ', '0']).repeat(draws.pick([300, 5_000, 70_000]))
    : draws.pick(STRINGS);

/** A value as text; now and then what is no JSON at all. */
export function hostileToken(draws: Draws): string {
  const kind = draws.below(100);
  if (kind < 45) return JSON.stringify(hostileString(draws));
  if (kind < 70) return draws.pick(NUMBERS);
  if (kind < 97) return draws.pick(WHOLES);
  return draws.pick(BROKEN);
}

/** Writes a value as JSON in which each part is replaced, left out, doubled or added to with this probability. */
export function bentJson(draws: Draws, value: unknown, probability: number): string {
  if (draws.chance(probability)) return hostileToken(draws);
  if (Array.isArray(value)) {
    const items = value.map((item) => bentJson(draws, item, probability));
    const first = items[0] ?? 'null';
    // A list of long ones within such a list would be gigabytes.
    if (first.length < 2_000 && draws.chance(probability)) {
      items.push(...Array<string>(draws.pick([1, 2, 20, 300])).fill(first));
    }
    return `[${items.join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members: string[] = [];
  for (const [name, item] of Object.entries(value)) {
    if (draws.chance(probability / 2)) continue;
    members.push(`${JSON.stringify(name)}:${bentJson(draws, item, probability)}`);
    if (draws.chance(probability / 4)) members.push(`${JSON.stringify(name)}:${hostileToken(draws)}`);
  }
  if (draws.chance(probability / 2)) members.push(`${JSON.stringify(hostileString(draws))}:${hostileToken(draws)}`);
  return `{${members.join(',')}}`;
}

/** The bytes of a text, a few of them changed, lost, doubled or cut off. */
export function damaged(draws: Draws, text: string | Uint8Array): Buffer {
  const bytes = Buffer.from(text as string);
  const at = draws.below(bytes.length + 1);
  switch (draws.below(5)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      if (at < bytes.length) bytes[at] = draws.below(256);
      return bytes;
    case 2:
      return Buffer.concat([bytes.subarray(0, at), draws.bytes(1 + draws.below(4)), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes, bytes.subarray(at)]);
    default:
      return draws.bytes(draws.pick([0, 1, 2, 10, 200]));
  }
}

/**
 * A message of a protocol that is valid, nearly valid or hostile. `samples` are valid ones; texts of JSON are bent part by part,
 * bytes are damaged.
 */
export function anyMessage(draws: Draws, samples: readonly (object | string | Uint8Array)[]): string | Buffer {
  const sample = draws.pick(samples);
  const kind = draws.below(100);
  if (typeof sample === 'string' || sample instanceof Uint8Array) {
    if (kind < 40) return typeof sample === 'string' ? sample : Buffer.from(sample);
    const bytes = damaged(draws, sample);
    return typeof sample === 'string' ? bytes.toString() : bytes;
  }
  if (kind < 30) return JSON.stringify(sample);
  if (kind < 80) return bentJson(draws, sample, 0.08);
  if (kind < 90) return bentJson(draws, sample, 0.5);
  if (kind < 97) return damaged(draws, JSON.stringify(sample)).toString();
  return damaged(draws, bentJson(draws, sample, 0.1));
}
