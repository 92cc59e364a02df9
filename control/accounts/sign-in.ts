import type { AnySql } from '../db/connect.ts';
import { badCredentials, unauthorized } from '../http/authenticate.ts';
import type { HttpError } from '../http/errors.ts';
import type { AccountsDeps } from './accounts-room.ts';
import { addressSubject, countAttempt, emailSubject, FAILED_SIGN_INS, tooManyFailures, waitFor } from './attempts.ts';
import { type OpenedSession, openSession } from './open-session.ts';
import { hashOfToken, looksLikeToken, newToken } from './secret-token.ts';
import {
  endLoginToken,
  findUser,
  findUserByEmail,
  insertLoginToken,
  lockUser,
  tryLoginToken,
  type UserRow,
} from './store.ts';
import { takeCode, wrongCode } from './two-factor.ts';
import type { Visit } from './visit.ts';

const LOGIN_TOKEN_MS = 10 * 60_000;
const TRIES = 5;

export const wrongPassword = () => unauthorized('wrong email or password');

/** The password was right; a code is wanted. */
export interface SecondStep {
  login_token: string;
  expires_at: Date;
}

/**
 * The first step. Whether the email is unknown or the password wrong is the same answer after the same work.
 * @throws HttpError 401 `wrong email or password`; 429 after 5 failures of this client or with this email.
 */
export async function signIn(
  deps: AccountsDeps,
  visit: Visit,
  { email, password }: { email: string; password: string },
): Promise<OpenedSession | SecondStep> {
  const { sql, clock } = deps;
  const user = await checkPassword(deps, visit, email, password);
  return sql.begin(async (tx) => {
    const nowMs = clock.wall();
    // Changed meanwhile: what was checked is no longer the password.
    const now = await lockUser(tx, user.id);
    if (now?.password_hash !== user.password_hash) throw wrongPassword();
    if (now.two_factor_enabled_at === null) return openSession(tx, visit, user.id, nowMs);
    const login_token = newToken('svcl_');
    const expires_at = new Date(nowMs + LOGIN_TOKEN_MS);
    const hash = hashOfToken(login_token);
    await insertLoginToken(tx, { user_id: user.id, hash, tries: TRIES, created_at: new Date(nowMs), expires_at });
    return { login_token, expires_at };
  });
}

/**
 * The second step.
 * @throws HttpError 401 `wrong or used code`, or when the login token is over: after 10 minutes, 5 tries or a success; 429 as above.
 */
export async function signInWithCode(
  deps: AccountsDeps,
  visit: Visit,
  { login_token, code }: { login_token: string; code: string },
): Promise<OpenedSession> {
  const { sql, clock } = deps;
  const over = badCredentials();
  if (!looksLikeToken('svcl_', login_token)) throw over;
  const hash = hashOfToken(login_token);
  const userId = await tryLoginToken(sql, hash, new Date(clock.wall()));
  const user = userId === null ? null : await findUser(sql, userId);
  if (!user) throw over;
  await refuseWhenLocked(deps, visit, user.email);
  if (!(await takeCode(deps, visit, user, code))) throw await failure(deps, visit, user.email, wrongCode());
  await refuseWhenLocked(deps, visit, user.email);
  return sql.begin(async (tx) => {
    if (!(await endLoginToken(tx, hash)) || !(await lockUser(tx, user.id))) throw over;
    return openSession(tx, visit, user.id, clock.wall());
  });
}

/** The user whose password this is. Failures are counted, whoever asks. @throws HttpError 401, 429 */
export async function checkPassword(
  deps: AccountsDeps,
  visit: Visit,
  email: string,
  password: string,
): Promise<UserRow> {
  await refuseWhenLocked(deps, visit, email);
  const user = await findUserByEmail(deps.sql, email);
  const fits = await deps.passwords.fits(password, user?.password_hash ?? null, visit.address);
  if (!user || !fits) throw await failure(deps, visit, email, wrongPassword());
  // Many may have come at once: after the fifth failure the right password tells nothing either.
  await refuseWhenLocked(deps, visit, email);
  return user;
}

/** Counts a failed try and says what to answer. */
export async function failure(
  { sql, clock }: Pick<AccountsDeps, 'sql' | 'clock'>,
  visit: Visit,
  email: string,
  refusal: HttpError,
) {
  const now = clock.wall();
  const waits: number[] = [];
  for (const subject of subjectsOf(visit, email)) waits.push(await countAttempt(sql, subject, FAILED_SIGN_INS, now));
  const waitMs = Math.max(...waits);
  return waitMs > 0 ? tooManyFailures(waitMs) : refusal;
}

export async function refuseWhenLocked(
  { sql, clock }: { sql: AnySql; clock: AccountsDeps['clock'] },
  visit: Visit,
  email: string,
): Promise<void> {
  const waitMs = await waitFor(sql, subjectsOf(visit, email), FAILED_SIGN_INS, clock.wall());
  if (waitMs > 0) throw tooManyFailures(waitMs);
}

const subjectsOf = (visit: Visit, email: string) => [
  addressSubject('sign-in', visit.address),
  emailSubject('sign-in', email),
];
