import { createHash, timingSafeEqual } from 'node:crypto';
import { newId } from '../../shared/ids.ts';
import { auditInsertion, writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { credentialCachesExpired } from '../http/credential-cache.ts';
import type { Scope } from '../http/scopes.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import {
  disableApp,
  findApp,
  insertApp,
  insertCode,
  insertGrant,
  insertOauthToken,
  lockCode,
  lockToken,
  markCodeUsed,
  markTokenUsed,
  type OauthApp,
  revokeGrantsOf,
  revokeToken,
} from './oauth-store.ts';
import { hashOfToken, looksLikeToken, newToken } from './secret-token.ts';

/**
 * OAuth 2.0 for apps that a user connects to one workspace: authorization code (RFC 6749, section 4.1) with PKCE by S256 for
 * all (RFC 7636; RFC 9700 says why). Why this is not a library: docs/decisions/libraries.md.
 */

const CODE_TTL_MS = 60_000;
export const ACCESS_TOKEN_TTL_MS = 3_600_000;
const REFRESH_TOKEN_TTL_MS = 30 * 24 * 3_600_000;

/** @returns why the URI cannot be registered for redirects, or null. */
export function redirectUriError(uri: string): string | null {
  if (!URL.canParse(uri) || uri.length > 500) return `"${uri.slice(0, 100)}" is no address`;
  const { protocol, hostname, hash, username, password } = new URL(uri);
  if (hash !== '' || uri.includes('#')) return 'a redirect address has no fragment';
  if (username !== '' || password !== '') return 'a redirect address holds no user';
  const isLoopback = hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost';
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback)) return null;
  return 'a redirect address begins with https, or with http on the machine itself';
}

export interface AppToRegister {
  name: string;
  redirect_uris: string[];
  confidential: boolean;
  /** Null or left out: all that keys may do. */
  scopes?: Scope[] | null;
  /** Left out: it is the operator's. */
  workspace_id?: string;
  created_by?: string;
}

/**
 * Registers an app, for the operator or a workspace. Without `confidential` it has no secret, as on a phone or in a page.
 * @returns the secret, shown once, or an error.
 */
export async function registerOauthApp(
  sql: AnySql,
  app: AppToRegister,
  wallMs: number,
): Promise<{ client_id: string; client_secret: string | null } | string> {
  const { name, redirect_uris, confidential, scopes = null, workspace_id = null, created_by = '' } = app;
  if (name.trim() === '' || name.length > 80) return 'a name has 1 to 80 characters';
  if (redirect_uris.length < 1 || redirect_uris.length > 10) return 'an app has 1 to 10 redirect addresses';
  for (const uri of redirect_uris) {
    const refusal = redirectUriError(uri);
    if (refusal !== null) return refusal;
  }
  const client_id = newId(wallMs);
  const client_secret = confidential ? newToken('') : null;
  const secret_hash = client_secret === null ? null : hashOfToken(client_secret);
  const created_at = new Date(wallMs);
  await insertApp(sql, {
    ...{ id: client_id, name, redirect_uris, secret_hash, scopes, workspace_id, created_by, created_at },
  });
  return { client_id, client_secret };
}

/**
 * Disables an app; its tokens, and keys that it made, stop working at once. Each workspace it was connected to reads in its audit
 * trail why. @returns whether it was enabled.
 */
export async function disableOauthApp(
  sql: AnySql,
  appId: string,
  at_ms: number,
  reason = 'the operator disabled the app',
): Promise<boolean> {
  const app = await disableApp(sql, appId, new Date(at_ms));
  if (!app) return false;
  const target = { kind: 'oauth_app', id: appId, name: app.name };
  const event = { actor: SERVICE, action: 'app.disconnected' as const, target, data: { reason }, at_ms };
  await auditInsertion(
    sql,
    app.connected_to.map((workspace_id) => ({ workspace_id, ...event })),
  );
  return true;
}

/** A loopback redirect may use another port than the registered one (RFC 8252, section 7.3). */
export function isRegisteredRedirectUri(app: OauthApp, uri: string): boolean {
  if (app.redirect_uris.includes(uri)) return true;
  if (redirectUriError(uri) !== null || !uri.startsWith('http://')) return false;
  const portless = (text: string) => {
    const url = new URL(text);
    url.port = '';
    return url.href;
  };
  return app.redirect_uris.some((each) => each.startsWith('http://') && portless(each) === portless(uri));
}

export interface Consent {
  app: OauthApp;
  user: { id: string; name: string };
  workspace_id: string;
  redirect_uri: string;
  code_challenge: string;
  origin: NonNullable<Actor['origin']>;
}

/** Stores the user's consent. @returns the authorization code. */
export async function grantApp({ sql, clock }: AccountsDeps, consent: Consent): Promise<string> {
  const { app, user, workspace_id, redirect_uri, code_challenge, origin } = consent;
  const code = newToken('svcc_');
  await sql.begin(async (tx) => {
    const at_ms = clock.wall();
    const created_at = new Date(at_ms);
    const id = newId(at_ms);
    await insertGrant(tx, { workspace_id, id, app_id: app.id, user_id: user.id, created_at });
    const expires_at = new Date(at_ms + CODE_TTL_MS);
    await insertCode(tx, hashOfToken(code), {
      workspace_id,
      grant_id: id,
      redirect_uri,
      code_challenge,
      created_at,
      expires_at,
    });
    const actor: Actor = { kind: 'user', id: user.id, name: user.name, origin };
    const target = { kind: 'oauth_app', id: app.id, name: app.name };
    await writeAudit(tx, { workspace_id, actor, action: 'app.connected', target, at_ms });
  });
  return code;
}

export interface IssuedTokens {
  access_token: string;
  refresh_token: string;
}

/** @returns null when the code is unknown, expired, used, of another app or redirect URI, or the verifier does not match. */
export async function redeemCode(
  { sql, clock }: AccountsDeps,
  app: OauthApp,
  given: { code: string; redirect_uri: string; code_verifier: string },
): Promise<IssuedTokens | null> {
  if (!looksLikeToken('svcc_', given.code)) return null;
  return sql.begin(async (tx) => {
    const nowMs = clock.wall();
    const hash = hashOfToken(given.code);
    const code = await lockCode(tx, hash, new Date(nowMs));
    if (code?.app_id !== app.id) return null;
    if (code.used_at !== null) {
      // The code was stolen (RFC 6749, section 4.1.2): its tokens are revoked.
      await revokeGrant(tx, code, { app, actor: SERVICE, reason: 'a code was used twice', at_ms: nowMs });
      return null;
    }
    // Marked before the checks, so that a verifier cannot be guessed by trying.
    await markCodeUsed(tx, hash, new Date(nowMs));
    if (code.redirect_uri !== given.redirect_uri) return null;
    if (!verifyCodeChallenge(given.code_verifier, code.code_challenge)) return null;
    return issueTokens(tx, code, nowMs);
  });
}

/** Exchanges a refresh token. @returns null when it is unknown, expired or used; a used one revokes the grant. */
export async function refresh(
  { sql, clock }: AccountsDeps,
  app: OauthApp,
  token: string,
): Promise<IssuedTokens | null> {
  if (!looksLikeToken('svcr_', token)) return null;
  return sql.begin(async (tx) => {
    const nowMs = clock.wall();
    const hash = hashOfToken(token);
    const found = await lockToken(tx, hash, new Date(nowMs));
    if (found?.app_id !== app.id || found.kind !== 'refresh') return null;
    if (found.used_at !== null) {
      // One of its two holders has stolen it (RFC 9700, section 4.14.2).
      await revokeGrant(tx, found, { app, actor: SERVICE, reason: 'a refresh token was used twice', at_ms: nowMs });
      return null;
    }
    await markTokenUsed(tx, hash, new Date(nowMs));
    return issueTokens(tx, found, nowMs);
  });
}

/** Revokes an access token alone, a refresh token with its grant; unknown tokens are no error (RFC 7009). */
export async function revoke({ sql, clock }: AccountsDeps, app: OauthApp, token: string): Promise<void> {
  if (!looksLikeToken('svco_', token) && !looksLikeToken('svcr_', token)) return;
  await sql.begin(async (tx) => {
    const at_ms = clock.wall();
    const now = new Date(at_ms);
    const hash = hashOfToken(token);
    const found = await lockToken(tx, hash, now);
    if (found?.app_id !== app.id) return;
    if (found.kind === 'access') await revokeToken(tx, hash, now);
    else {
      const actor: Actor = { kind: 'oauth_app', id: app.id, name: app.name };
      await revokeGrant(tx, found, { app, actor, reason: 'ended by the app', at_ms });
    }
  });
}

/** Ends a connection of the user, with the keys and webhook endpoints that were made with it. @returns whether there was one. */
export async function disconnectApp(
  { sql, clock }: AccountsDeps,
  actor: Actor,
  grant: { id: string; user_id: string },
): Promise<boolean> {
  const ended = await sql.begin(async (tx) => {
    const at_ms = clock.wall();
    const [row] = await tx<{ workspace_id: string; app_id: string; name: string }[]>`
      select g.workspace_id, g.app_id, a.name from oauth_grants g join oauth_apps a on a.id = g.app_id
      where g.id = ${grant.id} and g.user_id = ${grant.user_id}`;
    if (!row) return false;
    const ended = await revokeGrantsOf(tx, { user_id: grant.user_id, grant_id: grant.id }, new Date(at_ms));
    if (ended === 0) return false;
    const target = { kind: 'oauth_app', id: row.app_id, name: row.name };
    await writeAudit(tx, { workspace_id: row.workspace_id, actor, action: 'app.disconnected', target, at_ms });
    return true;
  });
  if (ended) await credentialCachesExpired(clock);
  return ended;
}

/**
 * Authenticates an app by Basic or in the body; an app without a secret only names itself. @returns null for `invalid_client`.
 */
export async function authenticateApp(sql: Sql, clientId: string, secret: string | null): Promise<OauthApp | null> {
  const app = await findApp(sql, clientId);
  if (!app) return null;
  if (app.secret_hash === null) return secret === null || secret === '' ? app : null;
  if (secret === null || !looksLikeToken('', secret)) return null;
  return timingSafeEqual(hashOfToken(secret), app.secret_hash) ? app : null;
}

async function issueTokens(
  tx: Transaction,
  { workspace_id, grant_id }: { workspace_id: string; grant_id: string },
  nowMs: number,
): Promise<IssuedTokens> {
  const access_token = newToken('svco_');
  const refresh_token = newToken('svcr_');
  const created_at = new Date(nowMs);
  const base = { workspace_id, grant_id, created_at };
  const accessEnds = new Date(nowMs + ACCESS_TOKEN_TTL_MS);
  const refreshEnds = new Date(nowMs + REFRESH_TOKEN_TTL_MS);
  await insertOauthToken(tx, hashOfToken(access_token), { ...base, kind: 'access', expires_at: accessEnds });
  await insertOauthToken(tx, hashOfToken(refresh_token), { ...base, kind: 'refresh', expires_at: refreshEnds });
  return { access_token, refresh_token };
}

async function revokeGrant(
  tx: Transaction,
  grant: { workspace_id: string; grant_id: string },
  { app, actor, reason, at_ms }: { app: OauthApp; actor: Actor; reason: string; at_ms: number },
): Promise<void> {
  const { workspace_id, grant_id } = grant;
  const { count } = await tx`
    update oauth_grants set revoked_at = ${new Date(at_ms)}
    where workspace_id = ${workspace_id} and id = ${grant_id} and revoked_at is null`;
  if (count === 0) return;
  const target = { kind: 'oauth_app', id: app.id, name: app.name };
  await writeAudit(tx, { workspace_id, actor, action: 'app.disconnected', target, data: { reason }, at_ms });
}

const SERVICE: Actor = { kind: 'service', id: 'service', name: 'service' };

/** RFC 7636, sections 4.1 and 4.6. */
function verifyCodeChallenge(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  const made = createHash('sha256').update(verifier).digest('base64url');
  return made.length === challenge.length && timingSafeEqual(Buffer.from(made), Buffer.from(challenge));
}
