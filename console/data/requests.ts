import { workspaceHeader } from '../api.ts';
import { defaults } from '../generated/api.ts';
import { noted } from './reachable.ts';

const TIMEOUT_MS = 15_000;

/**
 * Prepares the functions of `generated/api.ts`: they are sent with the session's cookie to the chosen workspace, and end after a
 * time. An answer that is no success throws `HttpError` of `@oazapfts/runtime` through its `ok`.
 */
export function prepareRequests(): void {
  defaults.baseUrl = '/';
  defaults.fetch = fetchWithin(TIMEOUT_MS);
}

/** Sends a request that may take longer than the others: `ok(postToolsTest(body, {}, { fetch: fetchWithin(45_000) }))`. */
export const fetchWithin =
  (timeoutMs: number): typeof fetch =>
  (input, init = {}) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    return noted(fetch(input, { ...init, headers: headersOf(init), signal }));
  };

/**
 * Sends a file, and reports how much of it was sent, from 0 to 1. It ends when its signal says so, however long it takes:
 * `fetch` knows nothing of the progress.
 */
export const uploadFetch =
  (onProgress: (share: number) => void): typeof fetch =>
  (input, { method = 'POST', body, signal, ...init } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, String(input));
      headersOf(init).forEach((value, name) => {
        request.setRequestHeader(name, value);
      });
      request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
      request.onload = () => {
        const headers = { 'content-type': request.getResponseHeader('content-type') ?? '' };
        resolve(new Response(request.responseText, { status: request.status, headers }));
      };
      request.onerror = () => reject(new TypeError('the file could not be sent'));
      request.onabort = () => reject(new DOMException('the upload was stopped', 'AbortError'));
      signal?.addEventListener('abort', () => request.abort());
      request.send(body as XMLHttpRequestBodyInit);
    });

function headersOf({ headers: given }: RequestInit): Headers {
  const headers = new Headers(given);
  for (const [name, value] of Object.entries(workspaceHeader())) headers.set(name, value);
  return headers;
}
