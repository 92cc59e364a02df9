import type { FastifyRequest } from 'fastify';
import { HttpError, validationError } from './errors.ts';

/** Parsers of request bodies. All return text that PostgreSQL can store: no U+0000, no half of a surrogate pair. */

type Done = (error: Error | null, body?: unknown) => void;

/** Deeper nesting overflows the stack of `JSON.stringify` and PostgreSQL, which recurse once per level. */
const MAX_JSON_DEPTH = 100;

export function parseJsonBody(_request: unknown, text: string, done: Done): void {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (error) {
    done(error as Error);
    return;
  }
  done(null, body);
}

function parseJson(text: string): unknown {
  // `Content-Type: application/json` without a body is a request without a body.
  if (text.trim() === '') return undefined;
  if (isTooDeep(text)) throw validationError(`JSON may be nested ${MAX_JSON_DEPTH} levels deep at most`);
  const suspicious = /\\u(?:0000|d[89a-f])/i.test(text);
  try {
    return JSON.parse(text, suspicious ? refuseUnstorableText : undefined);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    const loc = ['body', jsonErrorOffset(text)];
    throw new HttpError(422, [{ type: 'json_invalid', loc, msg: 'JSON decode error', input: null }]);
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Counts open brackets outside of strings. What it says of invalid JSON does not matter: that is refused all the same. */
function isTooDeep(text: string): boolean {
  // A text this short cannot hold so many brackets.
  if (text.length <= 2 * MAX_JSON_DEPTH) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      depth++;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}

/** Returns the fields in the order sent; a name sent more than once becomes a list. */
export function parseFormBody(_request: unknown, text: string, done: Done): void {
  done(null, formFields(new URLSearchParams(text)));
}

function formFields(form: URLSearchParams): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null);
  for (const [name, sent] of form) {
    const value = sent.replaceAll('\0', '');
    const before = fields[name];
    if (before === undefined) fields[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else fields[name] = [before, value];
  }
  return fields;
}

/**
 * Parses `multipart/form-data` (RFC 7578) of text alone into the same fields as a form; files in it are dropped. Throws 422 for a
 * body that is none.
 */
export async function parseMultipartForm(request: FastifyRequest, body: Buffer): Promise<unknown> {
  const headers = { 'content-type': String(request.headers['content-type']) };
  const parts = await new Response(body, { headers }).formData().catch(() => {
    throw validationError('the form cannot be read');
  });
  const form = new URLSearchParams();
  for (const [name, value] of parts) if (typeof value === 'string') form.append(name, value);
  return formFields(form);
}

function refuseUnstorableText(name: string, value: unknown): unknown {
  const bad = (text: string) => text.includes('\0') || !text.isWellFormed();
  if (bad(name) || (typeof value === 'string' && bad(value))) {
    throw validationError('text may not contain U+0000 or half of a surrogate pair');
  }
  return value;
}

/** Returns the first position at which the text stops being the beginning of valid JSON. */
export function jsonErrorOffset(text: string): number {
  let at = 0;
  const fail = (): never => {
    throw new RangeError();
  };
  const space = () => {
    while (/[ \t\n\r]/.test(text[at] ?? 'x')) at++;
  };
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) return fail();
    at += found[0].length;
  };
  const string = () => {
    if (text[at] !== '"') fail();
    at++;
    for (;;) {
      while (at < text.length && text[at] !== '"' && text[at] !== '\\' && text[at]! >= ' ') at++;
      if (text[at] === '"') break;
      take(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y);
    }
    at++;
  };
  const members = (close: string, member: () => void) => {
    at++;
    space();
    if (text[at] !== close) {
      for (;;) {
        space();
        member();
        space();
        if (text[at] !== ',') break;
        at++;
      }
    }
    if (text[at] !== close) fail();
    at++;
  };
  const value = (): void => {
    space();
    const first = text[at];
    if (first === '{') {
      members('}', () => {
        string();
        space();
        take(/:/y);
        value();
      });
    } else if (first === '[') members(']', value);
    else if (first === '"') string();
    else take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y);
    space();
  };
  try {
    value();
  } catch {
    // Thrown by `fail`, or by a nesting too deep for the stack: the position is this one either way.
  }
  return at;
}
