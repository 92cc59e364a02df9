import type { AgentTool } from './agent.ts';
import { type Clock, systemClock } from './clock.ts';
import { schemaProblems } from './json-schema.ts';
import { type SafeFetch, SafeFetchError, type SafeFetchFailure, type SafeResponse } from './safe-fetch.ts';
import { fillVariables } from './variables.ts';

/**
 * Calls an agent's HTTP tool: GET sends the arguments as query parameters, POST as JSON. The result is always a text for the
 * model, of limited length.
 */

/** The result for the model is truncated to this. */
export const MAX_RESULT_CHARS = 3000;
/** The rest of a longer response is not read. */
const MAX_RESPONSE_BYTES = 256 * 1024;
const MAX_ARGUMENTS_CHARS = 100_000;

export type ToolArguments = Record<string, unknown>;

export interface HttpToolRequest {
  method: 'GET' | 'POST';
  /** With the query; without user name and password. */
  url: string;
  /** The values of the tool's own headers are redacted to `***`. */
  headers: Record<string, string>;
  /** The JSON that was sent; null for GET. */
  body: string | null;
}

export interface HttpToolOutcome {
  /** 0 when there was no response. */
  status: number;
  /** From the request to the end of the response, whole milliseconds; 0 when no request was sent. */
  latency_ms: number;
  /** The text for the model; never empty. */
  result: string;
  /** The whole content of a response of status 2xx as text; empty for any other. */
  content: string;
  /** Null when the arguments were invalid and nothing was sent. */
  request: HttpToolRequest | null;
  response_headers: Record<string, string>;
  /** Why there was no response; null for a response of any status. */
  error: 'invalid arguments' | SafeFetchFailure | null;
}

export interface HttpToolCall {
  safeFetch: SafeFetch;
  /** The values of `{variables}` in headers. */
  values: Record<string, string | number | boolean>;
  signal?: AbortSignal;
  clock?: Clock;
}

/** `args` is the JSON text a model wrote, or an object. Never rejects. */
export async function callHttpTool(
  tool: AgentTool,
  args: string | ToolArguments,
  { safeFetch, values, signal, clock = systemClock }: HttpToolCall,
): Promise<HttpToolOutcome> {
  const read = readArguments(tool.parameters, args);
  if ('problem' in read) {
    return {
      status: 0,
      latency_ms: 0,
      result: invalidArgumentsText(read.problem),
      content: '',
      request: null,
      response_headers: {},
      error: 'invalid arguments',
    };
  }
  const { method } = tool;
  const url = method === 'GET' ? withQuery(tool, read.args) : tool.url;
  const body = method === 'POST' ? JSON.stringify(read.args) : null;
  const own: Record<string, string> = { accept: 'application/json, text/*;q=0.9, */*;q=0.5' };
  if (body !== null) own['content-type'] = 'application/json';
  const toolHeaders = filledHeaders(tool.headers, values);
  const headers = { ...own, ...toolHeaders };
  const request: HttpToolRequest = {
    method,
    url: urlWithoutCredentials(url),
    headers: { ...own, ...Object.fromEntries(Object.keys(toolHeaders).map((name) => [name, '***'])) },
    body,
  };

  const startedMs = clock.now();
  const latency = () => Math.round(clock.now() - startedMs);
  try {
    const response = await safeFetch(url, {
      method,
      headers,
      body: body ?? '',
      timeoutMs: tool.timeout_seconds * 1000,
      maxBytes: MAX_RESPONSE_BYTES,
      ...(signal && { signal }),
    });
    return {
      status: response.status,
      latency_ms: latency(),
      result: resultText(response),
      content: response.status >= 200 && response.status < 300 ? (contentText(response) ?? '') : '',
      request,
      response_headers: response.headers,
      error: null,
    };
  } catch (error) {
    const kind = error instanceof SafeFetchError ? error.kind : 'connection broken';
    const result = failureText(kind, tool);
    return { status: 0, latency_ms: latency(), result, content: '', request, response_headers: {}, error: kind };
  }
}

/** The text for the model when its arguments have this problem. */
export function invalidArgumentsText(problem: string): string {
  return boundedResult(`The tool was not called: ${problem}. Call it again with the right arguments, or ask for them.`);
}

/** Parses and checks the arguments; `problem` is a phrase for the model. An empty text is an empty object. */
export function readArguments(
  parameters: Record<string, unknown>,
  args: string | ToolArguments,
): { args: ToolArguments } | { problem: string } {
  const parsed = typeof args === 'string' ? parse(args) : args;
  if (parsed === undefined) return { problem: 'its arguments are not valid JSON' };
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return { problem: 'its arguments are not a JSON object' };
  }
  const problems = schemaProblems(parameters, parsed);
  return problems.length > 0 ? { problem: problems.join('; ') } : { args: parsed as ToolArguments };
}

function parse(text: string): unknown {
  if (text.trim() === '') return {};
  if (text.length > MAX_ARGUMENTS_CHARS) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The tool's URL with the arguments added. Its own query is not re-encoded, because it may be signed; arguments are encoded so
 * that form decoders and URI decoders give the same. A fixed parameter cannot be overwritten by an undeclared argument.
 */
function withQuery({ url: address, parameters }: AgentTool, args: ToolArguments): string {
  const url = URL.parse(address);
  if (url === null) return address;
  const { properties } = parameters;
  const declared = typeof properties === 'object' && properties !== null ? properties : {};
  const added: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    if (value === null || value === undefined) continue;
    if (url.searchParams.has(name)) {
      if (!Object.hasOwn(declared, name)) continue;
      url.searchParams.delete(name);
    }
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    added.push(`${encode(name)}=${encode(text)}`);
  }
  url.search = [url.search.slice(1), ...added].filter((part) => part !== '').join('&');
  return url.href;
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** A tool's headers with their variables filled in. Names in lower case, so that the tool's headers replace the defaults. */
export function filledHeaders(headers: AgentTool['headers'], values: HttpToolCall['values']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), headerText(fillVariables(value, values))]),
  );
}

/** Makes a value, which may come from a contact list, safe for a header: no control characters, other scripts as UTF-8. */
function headerText(text: string): string {
  const line = [...text].map((char) => (char < ' ' || char === '\u007f' ? ' ' : char)).join('');
  const fits = [...line].every((char) => char <= '\u00ff');
  return fits ? line.trim() : Buffer.from(line.trim(), 'utf8').toString('latin1');
}

/** The URL without user name and password, to be shown. */
export function urlWithoutCredentials(address: string): string {
  const url = URL.parse(address);
  if (url === null || (url.username === '' && url.password === '')) return address;
  url.username = '';
  url.password = '';
  return url.href;
}

function resultText(response: SafeResponse): string {
  const { status } = response;
  const content = contentText(response);
  if (status >= 200 && status < 300)
    return boundedResult(content ?? `The tool answered with status ${status} and no content.`);
  const why = status >= 300 && status < 400 ? ', which leads to another address and was not followed' : '';
  return boundedResult(`The tool answered with status ${status}${why}${content === null ? '.' : `: ${content}`}`);
}

const BINARY_TYPE = /^(image|audio|video|font)\/(?!svg)|^application\/(pdf|zip|gzip)$/;

/** The content as text; a description for binary content; null when it is empty. */
function contentText({ body, bytes, headers, truncated }: SafeResponse): string | null {
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  const size = `${truncated ? 'more than ' : ''}${bytes} bytes`;
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (bytes === 0) return null;
  if (encoding !== 'identity') return `(${size} of compressed content, which cannot be read)`;
  if (BINARY_TYPE.test(type) || isBinary(body)) {
    return `(${size} of ${type === '' ? 'binary content' : type}, which cannot be read as text)`;
  }
  const text = minified(body) ?? body.trim();
  return text === '' ? null : text;
}

/** True when the decoded text has many replacement and control characters. */
function isBinary(text: string): boolean {
  const start = text.slice(0, MAX_RESULT_CHARS);
  let odd = 0;
  for (const char of start) {
    if (char === '\0') return true;
    if (char === '\ufffd' || (char < ' ' && !'\t\n\r\f\v'.includes(char))) odd++;
  }
  return odd > start.length / 20;
}

/**
 * JSON without whitespace and with its letters unescaped; null when it is not JSON. It is not parsed and serialized again,
 * because that would change long numbers, which are often identifiers.
 */
function minified(text: string): string | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, (part) => (part.startsWith('"') ? withLetters(part) : ''));
}

function withLetters(quoted: string): string {
  return quoted.replace(/\\(?:u([0-9a-fA-F]{4})|.)/g, (written, hex: string | undefined) => {
    const code = hex === undefined ? 0 : Number.parseInt(hex, 16);
    return code >= 0xa0 ? String.fromCharCode(code) : written;
  });
}

/** The text, cut to what the model is given of a result. Never splits a character. */
export function boundedResult(text: string): string {
  if (text.length <= MAX_RESULT_CHARS) return text.toWellFormed();
  const kept = text.slice(0, MAX_RESULT_CHARS - TRUNCATION_MARK.length).replace(/[\ud800-\udbff]$/, '');
  return `${kept.toWellFormed()}${TRUNCATION_MARK}`;
}

const TRUNCATION_MARK = ' … (cut here)';

/** What the model is told when there was no response. */
export function failureText(
  kind: SafeFetchFailure,
  { method, timeout_seconds }: Pick<AgentTool, 'method' | 'timeout_seconds'>,
): string {
  // The model should not repeat a request that may have taken effect.
  const unknown = method === 'POST' ? ' Whether it did its work is not known.' : '';
  switch (kind) {
    case 'timeout':
      return `The tool did not answer within ${timeout_seconds} seconds.${unknown}`;
    case 'aborted':
      return `The tool was stopped before it answered.${unknown}`;
    case 'connection broken':
      return `The connection to the tool's server broke before it answered.${unknown}`;
    case 'redirect':
      return 'The tool answered with a redirect, which was not followed.';
    case 'address not allowed':
      return 'The tool could not be called: its address is not allowed, because it is not on the public internet.';
    case 'host not found':
      return 'The tool could not be called: its host was not found.';
    case 'connection refused':
      return 'The tool could not be called: its server could not be reached.';
    case 'proxy failed':
      return 'The tool could not be called: the network it is reached over did not open a connection.';
    case 'certificate not valid':
      return "The tool could not be called: its server's certificate is not valid.";
    case 'invalid url':
      return 'The tool could not be called: its address or one of its headers is not valid.';
  }
}
