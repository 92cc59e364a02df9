import { invalidCredentials, unauthorized } from '../http/authenticate.ts';
import type { HttpError } from '../http/errors.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { recordFailure, recordWrongCode, refuseWhenLocked, refuseWhenLockedForCodes } from './failed-sign-ins.ts';
import { type OpenedSession, openSession } from './open-session.ts';
import { listPasskeys } from './passkey-store.ts';
import { hashOfToken, looksLikeToken, newToken } from './secret-token.ts';
import {
  consumeLoginTokenTry,
  deleteLoginToken,
  findUser,
  findUserByEmail,
  insertLoginToken,
  lockUser,
  replacePasswordHash,
  type UserRow,
} from './store.ts';
import { consumeCode, wrongCode } from './two-factor.ts';

const LOGIN_TOKEN_TTL_MS = 10 * 60_000;
const MAX_TRIES = 5;

export const wrongPassword = () => unauthorized('wrong email or password');

/** The password was right; a code or a passkey is required. */
export interface SecondFactorRequired {
  login_token: string;
  expires_at: Date;
  /** Of a user with passkeys. */
  methods?: ('passkey' | 'authenticator' | 'recovery_code')[];
}

/**
 * First step of signing in. An unknown email and a wrong password give the same response after the same work.
 * @throws HttpError 401 `wrong email or password`; 429 after too many failures, see `failed-sign-ins.ts`.
 */
export async function signIn(
  deps: AccountsDeps,
  requestContext: RequestContext,
  { email, password }: { email: string; password: string },
): Promise<OpenedSession | SecondFactorRequired> {
  const { sql, clock } = deps;
  const user = await checkPassword(deps, requestContext, email, password);
  if (user.two_factor_enabled_at !== null) await refuseWhenLockedForCodes(deps, requestContext, email);
  return sql.begin(async (tx) => {
    const nowMs = clock.wall();
    // The password was changed meanwhile.
    const now = await lockUser(tx, user.id);
    if (now?.password_hash !== user.password_hash) throw wrongPassword();
    if (now.two_factor_enabled_at === null) return openSession(tx, requestContext, user.id, nowMs);
    const login_token = newToken('svcl_');
    const expires_at = new Date(nowMs + LOGIN_TOKEN_TTL_MS);
    const hash = hashOfToken(login_token);
    await insertLoginToken(tx, { user_id: user.id, hash, tries: MAX_TRIES, created_at: new Date(nowMs), expires_at });
    if ((await listPasskeys(tx, user.id)).length === 0) return { login_token, expires_at };
    const authenticator = now.two_factor_secret === null ? [] : (['authenticator'] as const);
    return { login_token, expires_at, methods: ['passkey', ...authenticator, 'recovery_code'] };
  });
}

/**
 * Second step of signing in, with a code. @throws HttpError 401 `wrong or used code`; others as `finishSignIn`.
 */
export async function signInWithCode(
  deps: AccountsDeps,
  requestContext: RequestContext,
  { login_token, code }: { login_token: string; code: string },
): Promise<OpenedSession> {
  return finishSignIn(deps, requestContext, login_token, async (user) =>
    (await consumeCode(deps, requestContext, user, code)) ? null : wrongCode(),
  );
}

/**
 * Second step of signing in. `check` returns why the second factor is refused, or null.
 * @throws HttpError 401 for a refused one, or when the login token is over: after 10 minutes, 5 tries or a success; 429 as above.
 */
export async function finishSignIn(
  deps: AccountsDeps,
  requestContext: RequestContext,
  login_token: string,
  check: (user: UserRow) => Promise<HttpError | null>,
): Promise<OpenedSession> {
  const { sql, clock } = deps;
  const over = invalidCredentials();
  if (!looksLikeToken('svcl_', login_token)) throw over;
  const hash = hashOfToken(login_token);
  const userId = await consumeLoginTokenTry(sql, hash, new Date(clock.wall()));
  const user = userId === null ? null : await findUser(sql, userId);
  if (!user) throw over;
  await refuseWhenLockedForCodes(deps, requestContext, user.email);
  const refusal = await check(user);
  if (refusal) throw await recordWrongCode(deps, requestContext, user.email, refusal);
  await refuseWhenLockedForCodes(deps, requestContext, user.email);
  return sql.begin(async (tx) => {
    if (!(await deleteLoginToken(tx, hash)) || !(await lockUser(tx, user.id))) throw over;
    return openSession(tx, requestContext, user.id, clock.wall());
  });
}

/** Returns the user with this password. Every failure is counted. @throws HttpError 401, 429 */
export async function checkPassword(
  deps: AccountsDeps,
  requestContext: RequestContext,
  email: string,
  password: string,
): Promise<UserRow> {
  const { sql, passwords } = deps;
  await refuseWhenLocked(deps, requestContext, email);
  const user = await findUserByEmail(sql, email);
  const fits = await passwords.verify(password, user?.password_hash ?? null, requestContext.address);
  if (!user || !fits) throw await recordFailure(deps, requestContext, email, wrongPassword());
  // Of many requests at once, those after the fifth failure are refused even with the right password.
  await refuseWhenLocked(deps, requestContext, email);
  return passwords.needsRehash(user.password_hash) ? rehash(deps, requestContext, user, password) : user;
}

/** Stores the password with today's algorithm and parameters, unless it was changed meanwhile. */
async function rehash(
  { sql, passwords }: AccountsDeps,
  requestContext: RequestContext,
  user: UserRow,
  password: string,
): Promise<UserRow> {
  const password_hash = await passwords.hash(password, requestContext.address);
  const replaced = await replacePasswordHash(sql, user, password_hash);
  return replaced ? { ...user, password_hash } : user;
}
