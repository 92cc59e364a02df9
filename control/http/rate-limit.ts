import type { Clock } from '../../shared/clock.ts';
import type { Sql } from '../db/connect.ts';
import type { Principal } from './authenticate.ts';
import { HttpError } from './errors.ts';

/**
 * Requests per key and calendar minute, over all processes together. A process does not ask the database for each request: it
 * takes a share of what is left, an eighth of it, and asks again when that is used up; the shares become smaller as the minute
 * fills, down to one. So the limit is never passed, however many processes there are; what may happen is that a share which
 * another process did not use (an eighth at most) is missing at the end of a minute. A single process gives out the limit exactly.
 */

export interface RateLimiter {
  /** @throws HttpError 429 when the minute is full. Requests of sessions are not counted: null. */
  take(principal: Principal): Promise<RateHeaders | null>;
}

export type RateHeaders = Record<'X-RateLimit-Limit' | 'X-RateLimit-Remaining' | 'X-RateLimit-Reset', string>;

/** Takes requests out of the minute for this process; how many were taken before, by everybody. */
export type ReserveRequests = (of: RateSubject, minute: number, wanted: number) => Promise<number>;

export interface RateSubject {
  workspace_id: string;
  subject: string;
}

export const DEFAULT_REQUESTS_PER_MINUTE = 120;
const MINUTE_MS = 60_000;
const SHARES_PER_WINDOW = 8;

interface Window {
  /** Ours to give out. */
  left: number;
  /** Taken by all processes, as far as it was heard. */
  taken: number;
  reserving: Promise<void> | null;
}

export function createRateLimiter(clock: Clock, reserve: ReserveRequests): RateLimiter {
  let minute = 0;
  let windows = new Map<string, Window>();

  async function askForMore(of: RateSubject, window: Window, limit: number, inMinute: number): Promise<void> {
    const wanted = Math.max(1, Math.floor((limit - window.taken) / SHARES_PER_WINDOW));
    const before = await reserve(of, inMinute, wanted);
    window.taken = before + wanted;
    window.left += Math.max(0, Math.min(wanted, limit - before));
  }

  return {
    async take(principal) {
      const of = subjectOf(principal);
      if (!of) return null;
      const limit = principal.requests_per_minute ?? DEFAULT_REQUESTS_PER_MINUTE;
      const nowMs = clock.wall();
      const current = Math.floor(nowMs / MINUTE_MS);
      if (current !== minute) {
        minute = current;
        windows = new Map();
      }
      const name = `${of.workspace_id} ${of.subject}`;
      const window: Window = windows.get(name) ?? { left: 0, taken: 0, reserving: null };
      windows.set(name, window);
      while (window.left === 0 && window.taken < limit) {
        window.reserving ??= askForMore(of, window, limit, current).finally(() => {
          window.reserving = null;
        });
        await window.reserving;
      }
      const given = window.left > 0;
      if (given) window.left--;
      const headers = headersOf(limit, Math.max(0, limit - window.taken) + window.left, current);
      if (given) return headers;
      const waitSeconds = Math.max(1, Math.ceil(((current + 1) * MINUTE_MS - nowMs) / 1_000));
      const detail = 'rate limit exceeded; slow down';
      throw new HttpError(429, detail, { headers: { ...headers, 'Retry-After': String(waitSeconds) } });
    },
  };
}

function headersOf(limit: number, remaining: number, minute: number): RateHeaders {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(Math.min(limit, remaining)),
    'X-RateLimit-Reset': String((minute + 1) * 60),
  };
}

/** Per key; connected apps per app and user; sessions not at all. */
function subjectOf({ workspace_id, actor, key_id, user_id }: Principal): RateSubject | null {
  if (key_id !== null) return { workspace_id, subject: `key ${key_id}` };
  if (actor.kind === 'oauth_app') return { workspace_id, subject: `app ${actor.id} ${user_id}` };
  return null;
}

/** The count of a minute lies in one row for each key. A process whose clock is behind adds to the minute that already is. */
export function createRequestReserver(sql: Sql): ReserveRequests {
  return async ({ workspace_id, subject }, minute, wanted) => {
    const [row] = await sql<{ count: number }[]>`
      insert into rate_windows as w (workspace_id, subject, minute, count)
      values (${workspace_id}, ${subject}, ${minute}, ${wanted})
      on conflict (workspace_id, subject) do update set
        count = case when w.minute < excluded.minute then excluded.count else w.count + excluded.count end,
        minute = greatest(w.minute, excluded.minute)
      returning count`;
    return row!.count - wanted;
  };
}

export async function deleteOldRateWindows(sql: Sql, nowMs: number): Promise<void> {
  await sql`delete from rate_windows where minute < ${Math.floor(nowMs / MINUTE_MS) - 60}`;
}
