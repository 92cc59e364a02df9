import type { AnySql } from '../db/connect.ts';
import { invalidCredentials, unauthorized } from '../http/authenticate.ts';
import type { HttpError } from '../http/errors.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import {
  addressSubject,
  countAttempt,
  emailSubject,
  FAILED_SIGN_INS,
  retryAfterMs,
  tooManyFailures,
} from './attempts.ts';
import { type OpenedSession, openSession } from './open-session.ts';
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

/** The password was right; a code is wanted. */
export interface SecondFactorRequired {
  login_token: string;
  expires_at: Date;
}

/**
 * The first step. Whether the email is unknown or the password wrong is the same answer after the same work.
 * @throws HttpError 401 `wrong email or password`; 429 after 5 failures of this client or with this email.
 */
export async function signIn(
  deps: AccountsDeps,
  visit: RequestContext,
  { email, password }: { email: string; password: string },
): Promise<OpenedSession | SecondFactorRequired> {
  const { sql, clock } = deps;
  const user = await checkPassword(deps, visit, email, password);
  return sql.begin(async (tx) => {
    const nowMs = clock.wall();
    // Changed meanwhile: what was checked is no longer the password.
    const now = await lockUser(tx, user.id);
    if (now?.password_hash !== user.password_hash) throw wrongPassword();
    if (now.two_factor_enabled_at === null) return openSession(tx, visit, user.id, nowMs);
    const login_token = newToken('svcl_');
    const expires_at = new Date(nowMs + LOGIN_TOKEN_TTL_MS);
    const hash = hashOfToken(login_token);
    await insertLoginToken(tx, { user_id: user.id, hash, tries: MAX_TRIES, created_at: new Date(nowMs), expires_at });
    return { login_token, expires_at };
  });
}

/**
 * The second step.
 * @throws HttpError 401 `wrong or used code`, or when the login token is over: after 10 minutes, 5 tries or a success; 429 as above.
 */
export async function signInWithCode(
  deps: AccountsDeps,
  visit: RequestContext,
  { login_token, code }: { login_token: string; code: string },
): Promise<OpenedSession> {
  const { sql, clock } = deps;
  const over = invalidCredentials();
  if (!looksLikeToken('svcl_', login_token)) throw over;
  const hash = hashOfToken(login_token);
  const userId = await consumeLoginTokenTry(sql, hash, new Date(clock.wall()));
  const user = userId === null ? null : await findUser(sql, userId);
  if (!user) throw over;
  await refuseWhenLocked(deps, visit, user.email);
  if (!(await consumeCode(deps, visit, user, code))) throw await recordFailure(deps, visit, user.email, wrongCode());
  await refuseWhenLocked(deps, visit, user.email);
  return sql.begin(async (tx) => {
    if (!(await deleteLoginToken(tx, hash)) || !(await lockUser(tx, user.id))) throw over;
    return openSession(tx, visit, user.id, clock.wall());
  });
}

/** The user whose password this is. Failures are counted, whoever asks. @throws HttpError 401, 429 */
export async function checkPassword(
  deps: AccountsDeps,
  visit: RequestContext,
  email: string,
  password: string,
): Promise<UserRow> {
  const { sql, passwords } = deps;
  await refuseWhenLocked(deps, visit, email);
  const user = await findUserByEmail(sql, email);
  const fits = await passwords.verify(password, user?.password_hash ?? null, visit.address);
  if (!user || !fits) throw await recordFailure(deps, visit, email, wrongPassword());
  // Many may have come at once: after the fifth failure the right password is refused too.
  await refuseWhenLocked(deps, visit, email);
  return passwords.needsRehash(user.password_hash) ? rehash(deps, visit, user, password) : user;
}

/** Stores the password with today's algorithm and parameters, unless it was changed meanwhile. */
async function rehash(
  { sql, passwords }: AccountsDeps,
  visit: RequestContext,
  user: UserRow,
  password: string,
): Promise<UserRow> {
  const password_hash = await passwords.hash(password, visit.address);
  const replaced = await replacePasswordHash(sql, user, password_hash);
  return replaced ? { ...user, password_hash } : user;
}

/** Counts a failed try and says what to answer. */
export async function recordFailure(
  { sql, clock }: Pick<AccountsDeps, 'sql' | 'clock'>,
  visit: RequestContext,
  email: string,
  refusal: HttpError,
) {
  const now = clock.wall();
  const waits: number[] = [];
  for (const subject of throttleSubjects(visit, email))
    waits.push(await countAttempt(sql, subject, FAILED_SIGN_INS, now));
  const waitMs = Math.max(...waits);
  return waitMs > 0 ? tooManyFailures(waitMs) : refusal;
}

export async function refuseWhenLocked(
  { sql, clock }: { sql: AnySql; clock: AccountsDeps['clock'] },
  visit: RequestContext,
  email: string,
): Promise<void> {
  const waitMs = await retryAfterMs(sql, throttleSubjects(visit, email), FAILED_SIGN_INS, clock.wall());
  if (waitMs > 0) throw tooManyFailures(waitMs);
}

const throttleSubjects = (visit: RequestContext, email: string) => [
  addressSubject('sign-in', visit.address),
  emailSubject('sign-in', email),
];
