/** Gets the session of a new call from the page's own server, or returns the error text for the user. */
export interface FetchedSession {
  url: string;
  ice_servers: RTCIceServer[];
}

const REQUEST_TIMEOUT_MS = 15_000;

export async function fetchSession(tokenUrl: string): Promise<FetchedSession | string> {
  try {
    const response = await fetch(tokenUrl, { method: 'POST', signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    const value: unknown = await response.json().catch(() => null);
    if (!response.ok) return sessionErrorText(response.status);
    return readSession(value) ?? sessionErrorText(0);
  } catch {
    return sessionErrorText(0);
  }
}

/** Reads the whole response of `web-call`, or its `session` alone. */
export function readSession(value: unknown): FetchedSession | null {
  if (typeof value !== 'object' || value === null) return null;
  const inner = 'session' in value ? value.session : value;
  if (typeof inner !== 'object' || inner === null || !('url' in inner)) return null;
  const { url } = inner;
  if (typeof url !== 'string' || !/^wss?:\/\//.test(url)) return null;
  const servers = 'ice_servers' in inner && Array.isArray(inner.ice_servers) ? inner.ice_servers : [];
  return { url, ice_servers: servers };
}

function sessionErrorText(status: number): string {
  if (status === 409) return 'All lines are busy. Try again in a moment.';
  if (status === 402) return 'Calls are not possible at the moment.';
  return 'The call could not be placed. Try again in a moment.';
}
