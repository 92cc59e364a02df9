/** What every example needs of the service: its address and a key, from the environment, and a request. */

const API_URL = process.env.ANTIPHON_URL ?? 'http://127.0.0.1:7080';
const API_KEY = process.env.ANTIPHON_KEY ?? '';
if (API_KEY === '') throw new Error('set ANTIPHON_KEY to an API key; `make up` prints one');

/** Sends a request to `/api/v1<path>` and returns the JSON of the answer. Throws Error with the service's own detail. */
export async function api<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${API_URL}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${API_KEY}`,
      ...(body && !(body instanceof FormData) && { 'content-type': 'application/json' }),
    },
    ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return (response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as Answer;
}

/** Settings of an agent from AGENT_SETTINGS, JSON such as `{"voice":{"provider":"local","language":"en"}}`. */
export function agentSettings(): object {
  return JSON.parse(process.env.AGENT_SETTINGS ?? '{}');
}
