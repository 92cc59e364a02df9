import { newId } from '../../shared/ids.ts';
import { errorText } from '../../shared/log.ts';
import { invalidCredentials, unauthorized } from '../http/authenticate.ts';
import { conflict, type HttpError, notFound } from '../http/errors.ts';
import { actorOf, type RequestContext } from '../http/request-context.ts';
import { queueEmail } from '../mail/queue-email.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { auditAccount } from './audit-account.ts';
import { passkeyChangedEmail, twoFactorChangedEmail } from './email-templates.ts';
import type { OpenedSession } from './open-session.ts';
import {
  type Challenge,
  countPasskeyUse,
  deletePasskey,
  insertPasskey,
  listPasskeys,
  renamePasskey,
  saveChallenge,
  takeChallenge,
} from './passkey-store.ts';
import { hashOfToken, looksLikeToken } from './secret-token.ts';
import { finishSignIn } from './sign-in.ts';
import { findLoginToken, findUser, lockUser, replaceRecoveryCodes, type UserRow, updateUser } from './store.ts';
import { newRecoveryCodes } from './two-factor.ts';
import {
  type AssertionResponse,
  assertionOptions,
  CHALLENGE_TTL_MS,
  type RegistrationResponse,
  type RelyingParty,
  registrationOptions,
  verifiedAssertion,
  verifiedRegistration,
} from './webauthn.ts';

/**
 * Passkeys as a second factor. After the password the presence of the person is enough, as with a code; a confirmation by passkey
 * replaces the password, so that it asks for a PIN or a fingerprint too.
 */

const MAX_PASSKEYS = 20;
const VERIFICATION = { registration: 'preferred', sign_in: 'preferred', confirmation: 'required' } as const;

const refused = () => unauthorized('the passkey was not accepted');

export interface SessionOfUser {
  user_id: string;
  session_id: string;
}

/** The site's identity. @throws HttpError 409 where passkeys cannot work */
function required(party: RelyingParty | null): RelyingParty {
  if (!party) throw conflict('passkeys need a domain name: this service is at an IP address');
  return party;
}

/** Returns what the browser makes a passkey of. The session is confirmed. @throws HttpError 409 */
export async function startRegistration(
  deps: AccountsDeps,
  party: RelyingParty | null,
  { user_id, session_id }: SessionOfUser,
) {
  const site = required(party);
  const user = await findUser(deps.sql, user_id);
  if (!user) throw invalidCredentials();
  const known = await listPasskeys(deps.sql, user_id);
  if (known.length >= MAX_PASSKEYS) throw conflict(`an account has at most ${MAX_PASSKEYS} passkeys: remove one first`);
  const options = await registrationOptions(site, user, known);
  const expires_at = await remember(deps, 'registration', session_id, user_id, options.challenge);
  return { options, expires_at };
}

/**
 * Adds the passkey that the browser made. The first second factor of an account switches two-step sign-in on: its recovery codes are
 * returned, once.
 * @throws HttpError 401 for a response that is not to the session's challenge, 409
 */
export async function addPasskey(
  deps: AccountsDeps,
  party: RelyingParty | null,
  requestContext: RequestContext,
  { user_id, session_id }: SessionOfUser,
  { name, response }: { name: string; response: RegistrationResponse },
) {
  const { sql, clock, log } = deps;
  const site = required(party);
  const bound = { purpose: 'registration', bound_to: session_id, user_id } as const;
  const challenge = await takeChallenge(sql, bound, new Date(clock.wall()));
  if (challenge === null) throw refused();
  const credential = await verifiedRegistration(site, challenge, response).catch((error: unknown) => {
    log.warn({ user_id, reason: errorText(error).slice(0, 200) }, 'a new passkey was refused');
    throw refused();
  });
  const early = await findUser(sql, user_id);
  const first = early?.two_factor_enabled_at === null;
  const { codes, hashes } = first ? await newRecoveryCodes(deps, requestContext, user_id) : { codes: [], hashes: [] };
  return sql.begin(async (tx) => {
    const nowMs = clock.wall();
    const now = new Date(nowMs);
    const user = await lockUser(tx, user_id);
    if (!user) throw invalidCredentials();
    if ((user.two_factor_enabled_at === null) !== first) throw conflict('two-step sign-in was changed; try again');
    const known = await listPasskeys(tx, user_id);
    const passkey = { ...credential, id: newId(nowMs), user_id, name, created_at: now, last_used_at: null };
    if (known.length >= MAX_PASSKEYS || !(await insertPasskey(tx, passkey))) {
      throw conflict('this passkey cannot be added: it is registered already, or there are 20');
    }
    const actor = actorOf(user, requestContext);
    if (first) {
      await updateUser(tx, user_id, { two_factor_enabled_at: now });
      await replaceRecoveryCodes(tx, user_id, hashes);
      await auditAccount(tx, { user, actor, action: 'account.two_factor_enabled', at_ms: nowMs });
    }
    await auditAccount(tx, { user, actor, action: 'account.passkey_added', data: { name }, at_ms: nowMs });
    await queueEmail(tx, first ? twoFactorChangedEmail(user, true) : passkeyChangedEmail(user, true), nowMs);
    return { passkey, recovery_codes: codes };
  });
}

/** @throws HttpError 404 */
export async function changePasskeyName(
  { sql, clock }: AccountsDeps,
  requestContext: RequestContext,
  { user_id, passkey_id, name }: { user_id: string; passkey_id: string; name: string },
) {
  await sql.begin(async (tx) => {
    const user = await lockUser(tx, user_id);
    const before = user && (await renamePasskey(tx, user_id, passkey_id, name));
    if (!user || before === null) throw notFound('passkey');
    if (before === name) return;
    await auditAccount(tx, {
      ...{ user, actor: actorOf(user, requestContext), action: 'account.passkey_renamed' },
      ...{ changes: { name: [before, name] }, at_ms: clock.wall() },
    });
  });
  return (await listPasskeys(sql, user_id)).find(({ id }) => id === passkey_id) ?? Promise.reject(notFound('passkey'));
}

/** Removes a passkey; with the last second factor two-step sign-in goes off. The session is confirmed. @throws HttpError 404 */
export async function removePasskey(
  { sql, clock }: AccountsDeps,
  requestContext: RequestContext,
  { user_id, passkey_id }: { user_id: string; passkey_id: string },
): Promise<void> {
  await sql.begin(async (tx) => {
    const nowMs = clock.wall();
    const user = await lockUser(tx, user_id);
    const name = user && (await deletePasskey(tx, user_id, passkey_id));
    if (!user || name === null) throw notFound('passkey');
    const actor = actorOf(user, requestContext);
    await auditAccount(tx, { user, actor, action: 'account.passkey_removed', data: { name }, at_ms: nowMs });
    const last = user.two_factor_secret === null && (await listPasskeys(tx, user_id)).length === 0;
    if (last) {
      await updateUser(tx, user_id, { two_factor_enabled_at: null });
      await replaceRecoveryCodes(tx, user_id, []);
      await auditAccount(tx, { user, actor, action: 'account.two_factor_disabled', at_ms: nowMs });
    }
    await queueEmail(tx, last ? twoFactorChangedEmail(user, false) : passkeyChangedEmail(user, false), nowMs);
  });
}

/** Returns what a passkey has to sign to confirm this session. @throws HttpError 409 */
export async function startConfirmation(
  deps: AccountsDeps,
  party: RelyingParty | null,
  { user_id, session_id }: SessionOfUser,
) {
  return startAssertion(deps, party, 'confirmation', session_id, user_id);
}

/** Returns what a passkey has to sign as the second step of signing in. @throws HttpError 401, 409 */
export async function startPasskeySignIn(deps: AccountsDeps, party: RelyingParty | null, login_token: string) {
  const hash = hashOfToken(login_token);
  const known = looksLikeToken('svcl_', login_token);
  const userId = known ? await findLoginToken(deps.sql, hash, new Date(deps.clock.wall())) : null;
  if (userId === null) throw invalidCredentials();
  return startAssertion(deps, party, 'sign_in', hash.toString('hex'), userId);
}

/** Second step of signing in, with a passkey. @throws HttpError 401, 409, 429 as with a code */
export async function signInWithPasskey(
  deps: AccountsDeps,
  party: RelyingParty | null,
  requestContext: RequestContext,
  { login_token, response }: { login_token: string; response: AssertionResponse },
): Promise<OpenedSession> {
  const bound_to = hashOfToken(login_token).toString('hex');
  return finishSignIn(deps, requestContext, login_token, (user) =>
    refusalOfPasskey(deps, party, requestContext, user, { purpose: 'sign_in', bound_to, response }),
  );
}

/** Checks what a passkey signed. @returns why it is refused, or null. */
export async function refusalOfPasskey(
  { sql, clock, log }: AccountsDeps,
  party: RelyingParty | null,
  requestContext: RequestContext,
  user: UserRow,
  { purpose, bound_to, response }: Pick<Challenge, 'purpose' | 'bound_to'> & { response: AssertionResponse },
): Promise<HttpError | null> {
  const site = required(party);
  const nowMs = clock.wall();
  const challenge = await takeChallenge(sql, { purpose, bound_to, user_id: user.id }, new Date(nowMs));
  const passkeys = await listPasskeys(sql, user.id);
  const passkey = passkeys.find(({ credential_id }) => credential_id.toString('base64url') === response.id);
  if (challenge === null || !passkey) return refused();
  try {
    const signCount = await verifiedAssertion(site, challenge, response, passkey, VERIFICATION[purpose]);
    if (await countPasskeyUse(sql, passkey.id, signCount, new Date(nowMs))) return null;
  } catch (error) {
    log.warn({ user_id: user.id, reason: errorText(error).slice(0, 200) }, 'a passkey was refused');
    return refused();
  }
  const [actor, data] = [actorOf(user, requestContext), { name: passkey.name }];
  await sql.begin((tx) => auditAccount(tx, { user, actor, action: 'account.passkey_copied', data, at_ms: nowMs }));
  log.warn({ user_id: user.id, passkey_id: passkey.id }, "a passkey's counter did not grow; was it copied?");
  return refused();
}

async function startAssertion(
  deps: AccountsDeps,
  party: RelyingParty | null,
  purpose: 'sign_in' | 'confirmation',
  bound_to: string,
  user_id: string,
) {
  const site = required(party);
  const known = await listPasskeys(deps.sql, user_id);
  if (known.length === 0) throw conflict('this account has no passkey');
  const options = await assertionOptions(site, known, VERIFICATION[purpose]);
  return { options, expires_at: await remember(deps, purpose, bound_to, user_id, options.challenge) };
}

async function remember(
  { sql, clock }: AccountsDeps,
  purpose: Challenge['purpose'],
  bound_to: string,
  user_id: string,
  challenge: string,
): Promise<Date> {
  const expires_at = new Date(clock.wall() + CHALLENGE_TTL_MS);
  await saveChallenge(sql, { purpose, bound_to, user_id, challenge, expires_at });
  return expires_at;
}
