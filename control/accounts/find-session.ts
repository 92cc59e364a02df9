import { errorText } from '../../shared/log.ts';
import type { FindPrincipal, Principal } from '../http/authenticate.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { hashOfToken, looksLikeToken } from './secret-token.ts';
import { CONFIRMED_FOR_MS, findSessionByHash, markSessionSeen, SESSION_TTL_MS } from './session-store.ts';

const LAST_SEEN_INTERVAL_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/**
 * Looks up session tokens. A revoked session or an ended membership stops working at once because nothing is cached. Every use
 * moves the end of the session to 30 days from then, written at most once a minute, but not beyond `sessionMaxDays` from sign-in.
 */
export function createSessionFinder({
  sql,
  clock,
  log,
  verifiedEmailRequired,
  sessionMaxDays,
}: Pick<AccountsDeps, 'sql' | 'clock' | 'log' | 'verifiedEmailRequired' | 'sessionMaxDays'>): FindPrincipal {
  return async (credential, choice): Promise<Principal | null> => {
    if (!looksLikeToken('svcs_', credential)) return null;
    const nowMs = clock.wall();
    const session = await findSessionByHash(sql, hashOfToken(credential), new Date(nowMs), choice);
    const lastEndMs = (session?.created_at.getTime() ?? 0) + sessionMaxDays * DAY_MS;
    if (!session || nowMs >= lastEndMs) return null;
    const confirmation_over = nowMs - (session.confirmed_at?.getTime() ?? 0) >= CONFIRMED_FOR_MS;
    const principal: Principal = {
      workspace_id: session.workspace_id ?? '',
      workspace_state: session.workspace_state ?? 'closed',
      role: session.role ?? 'viewer',
      actor: { kind: 'user', id: session.user_id, name: session.user_name },
      user_id: session.user_id,
      session_id: session.session_id,
      key_id: null,
      unconfirmed: session.confirm_password !== false && confirmation_over,
      confirmation_over,
      email_unverified: verifiedEmailRequired && !session.email_verified,
    };
    if (nowMs - session.last_seen_at.getTime() < LAST_SEEN_INTERVAL_MS) return principal;
    const expires_at = new Date(Math.min(nowMs + SESSION_TTL_MS, lastEndMs));
    // Not awaited: the request neither waits for this nor fails with it.
    markSessionSeen(sql, session, new Date(nowMs), expires_at).catch((error: unknown) =>
      log.warn(
        { error: errorText(error), session_id: session.session_id },
        'the last use of a session could not be written',
      ),
    );
    return { ...principal, expires_at };
  };
}
