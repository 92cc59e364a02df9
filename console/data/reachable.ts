import { useEffect, useState } from 'preact/hooks';

/** Whether the service can be reached, as far as the page knows: what its requests met, and what the browser says of its network. */

export type Reachability = 'reachable' | 'offline' | 'unreachable';

const ASK_EVERY_MS = 3_000;
const ASK_TIMEOUT_MS = 5_000;
/** What a proxy answers for a service that does not. */
const OF_PROXIES = new Set([502, 504]);

let answers = true;
let timer: ReturnType<typeof setTimeout> | undefined;
const watchers = new Set<() => void>();

const current = (): Reachability => (!navigator.onLine ? 'offline' : answers ? 'reachable' : 'unreachable');

function setAnswers(next: boolean): void {
  if (next === answers) return;
  answers = next;
  for (const each of watchers) each();
  clearTimeout(timer);
  if (!answers) timer = setTimeout(ask, ASK_EVERY_MS);
}

async function ask(): Promise<void> {
  await noted(fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(ASK_TIMEOUT_MS) })).catch(() => null);
  if (!answers) timer = setTimeout(ask, ASK_EVERY_MS);
}

/** Passes a response on, and notes whether the service answered. A request that the page itself gave up says nothing. */
export async function noted(response: Promise<Response>): Promise<Response> {
  try {
    const answer = await response;
    setAnswers(!OF_PROXIES.has(answer.status));
    return answer;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) setAnswers(false);
    throw error;
  }
}

/** Draws again when it changes. */
export function useReachability(): Reachability {
  const [state, setState] = useState(current);
  useEffect(() => {
    const onChange = () => setState(current());
    watchers.add(onChange);
    addEventListener('online', onChange);
    addEventListener('offline', onChange);
    onChange();
    return () => {
      watchers.delete(onChange);
      removeEventListener('online', onChange);
      removeEventListener('offline', onChange);
    };
  }, []);
  return state;
}
