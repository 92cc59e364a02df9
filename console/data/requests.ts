import { workspaceHeader } from '../api.ts';
import { defaults } from '../generated/api.ts';

const TIMEOUT_MS = 15_000;

/**
 * Prepares the functions of `generated/api.ts`: they are sent with the session's cookie to the chosen workspace, and end after a
 * time. An answer that is no success throws `HttpError` of `@oazapfts/runtime` through its `ok`.
 */
export function prepareRequests(): void {
  defaults.baseUrl = '/';
  defaults.fetch = (input, init = {}) => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(workspaceHeader())) headers.set(name, value);
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    return fetch(input, { ...init, headers, signal });
  };
}
