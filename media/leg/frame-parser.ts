/** Parses untrusted messages: each function returns the value or null, and none throws. */

export type Fields = Record<string, unknown>;

export function parseObject(text: string): Fields | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

export function asObject(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** Accepts the characters of every carrier's ids, so that no other ones get into messages and logs. */
export function asId(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Za-z0-9_:.-]{1,128}$/.test(value) ? value : null;
}

/** Text for people, such as a reason. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** Names of marks, parameters and the like. */
export function asName(value: unknown): string | null {
  return typeof value === 'string' && value.length > 0 && value.length <= 256 ? value : null;
}

/** A count from 0 up, as a number or as a string. */
export function asCount(value: unknown): number | null {
  const count = typeof value === 'string' && /^[0-9]{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

export function asDigit(value: unknown): string | null {
  const digit = typeof value === 'number' ? String(value) : value;
  return typeof digit === 'string' && /^[0-9A-Da-d*#]$/.test(digit) ? digit.toUpperCase() : null;
}

/** Far beyond the frames of any carrier. */
const MAX_PAYLOAD_CHARACTERS = 44_000;

/** Decodes base64 audio. Node skips invalid characters, so the decoded length shows whether there were any. */
export function asAudio(value: unknown): Buffer | null {
  if (typeof value !== 'string' || value.length === 0 || value.length > MAX_PAYLOAD_CHARACTERS) return null;
  const bytes = Buffer.from(value, 'base64');
  let characters = value.length;
  while (characters > 0 && value.charCodeAt(characters - 1) === 61) characters--;
  return bytes.length > 0 && value.length - characters <= 2 && bytes.length === (characters * 3) >> 2 ? bytes : null;
}

/** Keeps string values, converts numbers and booleans, and drops everything else; 100 pairs at most. */
export function asParameters(value: Fields | null): Record<string, string> {
  if (!value) return {};
  const pairs: [string, string][] = [];
  for (const [name, item] of Object.entries(value)) {
    if (pairs.length === 100) break;
    if (typeof item === 'string') pairs.push([name, item]);
    else if (typeof item === 'number' || typeof item === 'boolean') pairs.push([name, String(item)]);
  }
  return Object.fromEntries(pairs);
}

/** Encodes bytes as base64 without copying them first. */
export function base64(payload: Uint8Array): string {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('base64');
}
