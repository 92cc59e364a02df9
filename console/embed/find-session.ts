/** What a call needs, from the page's own server; or the sentence that says why there is none. */
export interface FoundSession {
  url: string;
  ice_servers: RTCIceServer[];
}

const DEADLINE_MS = 15_000;

export async function findSession(tokenUrl: string): Promise<FoundSession | string> {
  try {
    const answer = await fetch(tokenUrl, { method: 'POST', signal: AbortSignal.timeout(DEADLINE_MS) });
    const value: unknown = await answer.json().catch(() => null);
    if (!answer.ok) return refusalOf(answer.status);
    return readSession(value) ?? refusalOf(0);
  } catch {
    return refusalOf(0);
  }
}

/** The whole answer of `web-call`, or its `session` alone. */
export function readSession(value: unknown): FoundSession | null {
  if (typeof value !== 'object' || value === null) return null;
  const inner = 'session' in value ? value.session : value;
  if (typeof inner !== 'object' || inner === null || !('url' in inner)) return null;
  const { url } = inner;
  if (typeof url !== 'string' || !/^wss?:\/\//.test(url)) return null;
  const servers = 'ice_servers' in inner && Array.isArray(inner.ice_servers) ? inner.ice_servers : [];
  return { url, ice_servers: servers };
}

function refusalOf(status: number): string {
  if (status === 409) return 'All lines are busy. Try again in a moment.';
  if (status === 402) return 'Calls are not possible at the moment.';
  return 'The call could not be placed. Try again in a moment.';
}
