import { randomInt } from 'node:crypto';
import type { Transaction } from '../db/connect.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { type Actor, invalidCredentials, unauthorized } from '../http/authenticate.ts';
import { conflict } from '../http/errors.ts';
import { actorOf, type RequestContext } from '../http/request-context.ts';
import { queueEmail } from '../mail/queue-email.ts';
import { type AccountsDeps, PRODUCT } from './accounts-deps.ts';
import { auditAccount } from './audit-account.ts';
import { twoFactorChangedEmail } from './email-templates.ts';
import { revokeSessions } from './session-store.ts';
import {
  consumeRecoveryCode,
  consumeTotpStep,
  deleteLoginTokensOf,
  findUser,
  findUserByEmail,
  lockUser,
  replaceRecoveryCodes,
  type UserRow,
  updateUser,
} from './store.ts';
import { newTotpSecret, otpauthUrl, stepOfCode } from './totp.ts';

const SETUP_TTL_MS = 15 * 60_000;
const RECOVERY_CODES = 10;
/** Without characters that look alike. */
const RECOVERY_CODE_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/**
 * Consumes a code of the authenticator or a recovery code.
 * @returns false for a wrong or used one.
 */
export async function consumeCode(
  { sql, clock, passwords, box, log }: Pick<AccountsDeps, 'sql' | 'clock' | 'passwords' | 'box' | 'log'>,
  requestContext: RequestContext,
  user: Pick<UserRow, 'id' | 'two_factor_secret' | 'two_factor_last_step'>,
  given: string,
): Promise<boolean> {
  const code = given.replace(/\s/g, '').toLowerCase();
  if (/^\d{6}$/.test(code)) {
    if (user.two_factor_secret === null) return false;
    const secret = opened(box, user.two_factor_secret, user.id);
    if (secret === null)
      log.error({ user_id: user.id }, "authenticator's secret cannot be decrypted; was SECRETS_KEY changed?");
    const step = secret === null ? null : stepOfCode(secret, code, clock.wall(), user.two_factor_last_step);
    return step !== null && consumeTotpStep(sql, user.id, step);
  }
  if (!/^[a-z0-9]{5}-[a-z0-9]{5}$/.test(code)) return false;
  return consumeRecoveryCode(sql, user.id, await passwords.hashCode(code, user.id, requestContext.address));
}

/**
 * Returns a new secret; two-step sign-in is on once a code of it was entered. The password was checked. @throws HttpError 409
 */
export async function startTwoFactorSetup({ sql, clock, box }: AccountsDeps, userId: string) {
  return sql.begin(async (tx) => {
    const user = await lockUser(tx, userId);
    if (!user) throw invalidCredentials();
    if (user.two_factor_secret !== null) throw alreadyOn();
    const secret = newTotpSecret();
    const until = new Date(clock.wall() + SETUP_TTL_MS);
    await updateUser(tx, userId, {
      two_factor_offered_secret: sealed(box, secret, userId),
      two_factor_offered_until: until,
    });
    return { secret, otpauth_url: otpauthUrl(secret, PRODUCT, user.email) };
  });
}

/** @returns the recovery codes, shown once. @throws HttpError 409 when it is on or was not set up; 401 for a wrong code. */
export async function enableTwoFactor(
  deps: AccountsDeps,
  requestContext: RequestContext,
  userId: string,
  given: string,
): Promise<string[]> {
  const { sql, clock, box } = deps;
  const early = await findUser(sql, userId);
  if (early) verifySetupCode(box, early, given, clock.wall());
  const { codes, hashes } = await newRecoveryCodes(deps, requestContext, userId);
  return sql.begin(async (tx) => {
    const nowMs = clock.wall();
    const user = await lockUser(tx, userId);
    if (!user) throw invalidCredentials();
    const { secret, step } = verifySetupCode(box, user, given, nowMs);
    await updateUser(tx, userId, {
      two_factor_secret: sealed(box, secret, userId),
      two_factor_enabled_at: new Date(nowMs),
      two_factor_last_step: step,
      two_factor_offered_secret: null,
      two_factor_offered_until: null,
    });
    await replaceRecoveryCodes(tx, userId, hashes);
    await auditAccount(tx, {
      user,
      actor: actorOf(user, requestContext),
      action: 'account.two_factor_enabled',
      at_ms: nowMs,
    });
    await queueEmail(tx, twoFactorChangedEmail(user, true), nowMs);
    return codes;
  });
}

/** Returns ten recovery codes and what is stored of them. */
export async function newRecoveryCodes(
  { passwords }: Pick<AccountsDeps, 'passwords'>,
  requestContext: RequestContext,
  userId: string,
): Promise<{ codes: string[]; hashes: Buffer[] }> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const hashes: Buffer[] = [];
  for (const code of codes) hashes.push(await passwords.hashCode(code, userId, requestContext.address));
  return { codes, hashes };
}

/** Password and code were checked. Passkeys end with it. Does nothing when it is off already. */
export async function disableTwoFactor(
  { sql, clock }: AccountsDeps,
  requestContext: RequestContext,
  userId: string,
): Promise<void> {
  await sql.begin(async (tx) => {
    const user = await lockUser(tx, userId);
    if (user?.two_factor_enabled_at) await switchOff(tx, user, actorOf(user, requestContext), clock.wall());
  });
}

/**
 * Switches two-step sign-in off for a person who lost every second factor, and ends their sessions: the operator has made sure who
 * they are. @returns the user's id, or why not.
 */
export async function removeSecondFactors(
  tx: Transaction,
  { email, actor, at_ms }: { email: string; actor: Actor; at_ms: number },
): Promise<{ user_id: string } | string> {
  const found = await findUserByEmail(tx, email);
  const user = found && (await lockUser(tx, found.id));
  if (!user) return 'nobody has an account with this email address';
  if (user.two_factor_enabled_at === null) return 'two-step sign-in is off for this account';
  await switchOff(tx, user, actor, at_ms);
  await revokeSessions(tx, user.id, null, new Date(at_ms));
  await deleteLoginTokensOf(tx, user.id);
  return { user_id: user.id };
}

async function switchOff(tx: Transaction, user: UserRow, actor: Actor, at_ms: number): Promise<void> {
  await updateUser(tx, user.id, { two_factor_secret: null, two_factor_enabled_at: null });
  await replaceRecoveryCodes(tx, user.id, []);
  await auditAccount(tx, { user, actor, action: 'account.two_factor_disabled', at_ms });
  await queueEmail(tx, twoFactorChangedEmail(user, false), at_ms);
}

/** Returns the step of the first code for the new secret. @throws HttpError 409, 401 */
function verifySetupCode(
  box: SecretBox,
  user: UserRow,
  given: string,
  nowMs: number,
): { secret: string; step: number } {
  if (user.two_factor_secret !== null) throw alreadyOn();
  const { two_factor_offered_secret: offered, two_factor_offered_until: until } = user;
  const secret = offered === null ? null : opened(box, offered, user.id);
  if (secret === null || until === null || until.getTime() <= nowMs) {
    throw conflict('two-step sign-in was not set up in the last 15 minutes');
  }
  // No step of a new secret was used before.
  const step = stepOfCode(secret, given.replace(/\s/g, ''), nowMs, 0);
  if (step === null) throw wrongCode();
  return { secret, step };
}

export const ownerOfAuthenticator = (userId: string) => `authenticator of ${userId}`;

function sealed(box: SecretBox, secret: string, userId: string): string {
  return box.seal(secret, ownerOfAuthenticator(userId)).toString('base64');
}

/** Null when no key decrypts it. */
function opened(box: SecretBox, text: string, userId: string): string | null {
  return box.open(Buffer.from(text, 'base64'), ownerOfAuthenticator(userId));
}

export const wrongCode = () => unauthorized('wrong or used code');
const alreadyOn = () => conflict('two-step sign-in is already on');

/** `xxxxx-xxxxx`: 49 bits. */
function newRecoveryCode(): string {
  const five = () =>
    Array.from({ length: 5 }, () => RECOVERY_CODE_ALPHABET[randomInt(RECOVERY_CODE_ALPHABET.length)]).join('');
  return `${five()}-${five()}`;
}
