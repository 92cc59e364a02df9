import type { Clock } from '../../shared/clock.ts';
import type { Sql } from '../db/connect.ts';
import type { Principal } from './authenticate.ts';
import { HttpError } from './errors.ts';

/**
 * Limits requests per key and calendar minute, over all processes together. A process reserves an eighth of what is left and
 * asks the database again when that is used up; the reservations shrink to one as the minute fills. So the limit is never
 * exceeded, however many processes there are; at most a reservation that another process did not use (an eighth) is missing at
 * the end of a minute. A single process grants the limit exactly.
 */

export interface RateLimiter {
  /** @returns the headers; null for sessions, which are not limited. @throws HttpError 429 when the minute is full. */
  take(principal: Principal): Promise<RateHeaders | null>;
  /** The same without a promise, where this process has a request of the minute reserved or needs none; else undefined. */
  takeReserved(principal: Principal): RateHeaders | null | undefined;
}

export type RateHeaders = Record<'X-RateLimit-Limit' | 'X-RateLimit-Remaining' | 'X-RateLimit-Reset', string>;

/** Reserves requests of the minute for this process; returns how many all processes had reserved before. */
export type ReserveRequests = (of: RateSubject, minute: number, wanted: number) => Promise<number>;

export interface RateSubject {
  workspace_id: string;
  subject: string;
}

export const DEFAULT_REQUESTS_PER_MINUTE = 120;
const MINUTE_MS = 60_000;
const SHARES_PER_WINDOW = 8;

interface Window {
  /** Reserved by this process and not yet used. */
  left: number;
  /** Reserved by all processes, as of the last reservation. */
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

  /** Of the minute that it is. */
  function windowOf(of: RateSubject, current: number): Window {
    if (current !== minute) {
      minute = current;
      windows = new Map();
    }
    const name = `${of.workspace_id} ${of.subject}`;
    const known = windows.get(name);
    if (known) return known;
    const window: Window = { left: 0, taken: 0, reserving: null };
    windows.set(name, window);
    return window;
  }

  function takeReserved(principal: Principal): RateHeaders | null | undefined {
    const of = subjectOf(principal);
    if (!of) return null;
    const current = Math.floor(clock.wall() / MINUTE_MS);
    const window = windowOf(of, current);
    if (window.left === 0) return undefined;
    window.left--;
    return headersOf(window, limitOf(principal), current);
  }

  return {
    takeReserved,

    async take(principal) {
      for (;;) {
        const headers = takeReserved(principal);
        if (headers !== undefined) return headers;
        const of = subjectOf(principal)!;
        const limit = limitOf(principal);
        const nowMs = clock.wall();
        const current = Math.floor(nowMs / MINUTE_MS);
        const window = windowOf(of, current);
        if (window.taken >= limit) {
          const waitSeconds = Math.max(1, Math.ceil(((current + 1) * MINUTE_MS - nowMs) / 1_000));
          const headers = { ...headersOf(window, limit, current), 'Retry-After': String(waitSeconds) };
          throw new HttpError(429, 'rate limit exceeded; slow down', { headers });
        }
        window.reserving ??= askForMore(of, window, limit, current).finally(() => {
          window.reserving = null;
        });
        await window.reserving;
      }
    },
  };
}

const limitOf = ({ requests_per_minute }: Principal) => requests_per_minute ?? DEFAULT_REQUESTS_PER_MINUTE;

function headersOf({ taken, left }: Window, limit: number, minute: number): RateHeaders {
  const remaining = Math.max(0, limit - taken) + left;
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(Math.min(limit, remaining)),
    'X-RateLimit-Reset': String((minute + 1) * 60),
  };
}

/** Limits apply per key, and per app and user for connected apps; sessions have none. */
function subjectOf({ workspace_id, actor, key_id, user_id }: Principal): RateSubject | null {
  if (key_id !== null) return { workspace_id, subject: `key ${key_id}` };
  if (actor.kind === 'oauth_app') return { workspace_id, subject: `app ${actor.id} ${user_id}` };
  return null;
}

/** Stores the count of a minute in one row per key. A process whose clock is behind adds to the current minute. */
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
