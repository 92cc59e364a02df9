import { errorText } from '../../shared/log.ts';
import type { FindPrincipal } from '../http/authenticate.ts';
import type { MemberRole, Role } from '../http/permissions.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { findAccessToken, markGrantUsed } from './oauth-store.ts';
import { hashOfToken, looksLikeToken } from './secret-token.ts';

const LAST_USED_INTERVAL_MS = 60_000;

/** The role of an app is that of its user, but at most that of an API key. */
const ROLE_OF_APP: Record<MemberRole, Role> = {
  viewer: 'viewer',
  developer: 'developer',
  admin: 'api_key',
  owner: 'api_key',
};

/** Looks up access tokens of connected apps (`svco_`). They act as the user who connected the app. */
export function createOauthTokenFinder({
  sql,
  clock,
  log,
  verifiedEmailRequired,
}: Pick<AccountsDeps, 'sql' | 'clock' | 'log' | 'verifiedEmailRequired'>): FindPrincipal {
  return async (credential) => {
    if (!looksLikeToken('svco_', credential)) return null;
    const now = new Date(clock.wall());
    const found = await findAccessToken(sql, hashOfToken(credential), now);
    if (!found) return null;
    const { workspace_id, workspace_state, role, app_id, app_name, user_id, grant_id, last_used_at, scopes } = found;
    if (!last_used_at || now.getTime() - last_used_at.getTime() >= LAST_USED_INTERVAL_MS) {
      markGrantUsed(sql, workspace_id, grant_id, now).catch((error: unknown) =>
        log.warn({ error: errorText(error), grant_id }, 'last use of an app could not be written'),
      );
    }
    return {
      workspace_id,
      workspace_state,
      role: ROLE_OF_APP[role],
      actor: { kind: 'oauth_app', id: app_id, name: app_name },
      user_id,
      session_id: null,
      key_id: null,
      grant_id,
      email_unverified: verifiedEmailRequired && !found.email_verified,
      // A key that an app with scopes made would have none.
      unconfirmed: scopes !== null || !found.keys_may_make_keys,
      requests_per_minute: found.requests_per_minute,
      ...(scopes === null ? {} : { scopes }),
    };
  };
}
