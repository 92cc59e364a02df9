import type { FetchLike } from '@modelcontextprotocol/client';
import { createEventStreamReader } from '../llm/event-stream.ts';
import { type SafeFetch, SafeFetchError } from '../safe-fetch.ts';

/** Longer answers of a server are not read. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Statuses whose responses have no body (fetch standard, "null body status"). */
const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);
/** An event with an id: its stream can be continued (HTML standard, section 9.2). */
const HAS_EVENT_ID = /^id:/m;

export interface McpFetchOptions {
  safeFetch: SafeFetch;
  /** For each request, to the last byte of its answer. */
  timeoutMs: number;
}

/**
 * The `fetch` of an MCP client over the guarded one: no private address, no unbounded answer, a deadline for each request. An
 * answer is read as a whole; a stream of events is whole with the response that was asked for, because a server may
 * leave it open. The stream on which a server speaks first is not opened: nothing it could say matters within a call.
 *
 * Rejects with SafeFetchError.
 */
export function createMcpFetch({ safeFetch, timeoutMs }: McpFetchOptions): FetchLike {
  return async (url, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const method = init.method ?? 'GET';
    if (method === 'GET' && headers['last-event-id'] === undefined) return new Response(null, { status: 405 });
    const body = typeof init.body === 'string' ? init.body : '';
    const isRequest = method === 'GET' || hasId(body);
    const reader = createEventStreamReader();
    const { status, content, ...response } = await safeFetch(String(url), {
      ...{ method, headers, body, timeoutMs, maxBytes: MAX_RESPONSE_BYTES, asBytes: true },
      isWhole: (part) => reader.push(part).some(isResponse),
      ...(init.signal ? { signal: init.signal } : {}),
    });
    if (status < 200 || status > 599 || response.truncated) throw new SafeFetchError('connection broken');
    if (isRequest && status === 200 && isUnanswered(response.headers['content-type'] ?? '', content!)) {
      throw new SafeFetchError('connection broken', 'the stream ended without the answer');
    }
    // `Buffer` is not a `BodyInit` of TypeScript's DOM types where its memory may be shared.
    const bytes = WITHOUT_BODY.has(status) ? null : new Uint8Array(content!);
    return new Response(bytes, { status, headers: response.headers });
  };
}

/** A stream that has ended without its answer, and cannot be continued. */
function isUnanswered(contentType: string, content: Buffer): boolean {
  if (!contentType.startsWith('text/event-stream')) return false;
  const reader = createEventStreamReader();
  const isAnswered = [...reader.push(content), ...reader.end()].some(isResponse);
  return !isAnswered && !HAS_EVENT_ID.test(content.toString('utf8'));
}

const hasId = (body: string): boolean => fieldOf(body, 'id') !== undefined;
/** A client has one request on each stream, so any response is its own. */
const isResponse = (data: string): boolean =>
  hasId(data) && (fieldOf(data, 'result') !== undefined || fieldOf(data, 'error') !== undefined);

function fieldOf(json: string, name: string): unknown {
  try {
    const message: unknown = JSON.parse(json);
    return typeof message === 'object' && message !== null ? (message as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
}
