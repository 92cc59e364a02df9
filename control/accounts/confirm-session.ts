import { type HttpError, validationError } from '../http/errors.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { recordFailure, refuseWhenLocked } from './failed-sign-ins.ts';
import { refusalOfPasskey } from './passkeys.ts';
import { CONFIRMED_FOR_MS, markSessionConfirmed } from './session-store.ts';
import { checkPassword } from './sign-in.ts';
import { findUser, type UserRow } from './store.ts';
import { consumeCode, wrongCode } from './two-factor.ts';
import type { AssertionResponse, RelyingParty } from './webauthn.ts';

/** One of them. */
export interface Confirmation {
  password?: string | undefined;
  code?: string | undefined;
  passkey?: AssertionResponse | undefined;
}

/**
 * Notes that the user of a session has entered the password, a code of the second factor, or used a passkey.
 * @throws HttpError 401 for a wrong one, 422 unless exactly one is given, 429 after 5 failures, as at sign-in
 */
export async function confirmSession(
  deps: AccountsDeps,
  party: RelyingParty | null,
  requestContext: RequestContext,
  { user_id, session_id }: { user_id: string; session_id: string },
  given: Confirmation,
): Promise<{ confirmed_until: Date }> {
  const { password, code, passkey } = given;
  if ([password, code, passkey].filter((each) => each !== undefined).length !== 1) {
    throw validationError('Input should be one of password, code or passkey');
  }
  const user = await findUser(deps.sql, user_id);
  const email = user?.email ?? '';
  if (password !== undefined) await checkPassword(deps, requestContext, email, password);
  else {
    await refuseWhenLocked(deps, requestContext, email);
    const refusal = user ? await refusalOf(user) : wrongCode();
    if (refusal) throw await recordFailure(deps, requestContext, email, refusal);
    // Of many requests at once, those after the fifth failure are refused even with the right code.
    await refuseWhenLocked(deps, requestContext, email);
  }
  const nowMs = deps.clock.wall();
  await markSessionConfirmed(deps.sql, session_id, new Date(nowMs));
  return { confirmed_until: new Date(nowMs + CONFIRMED_FOR_MS) };

  async function refusalOf(user: UserRow): Promise<HttpError | null> {
    if (code !== undefined) return (await consumeCode(deps, requestContext, user, code)) ? null : wrongCode();
    return refusalOfPasskey(deps, party, requestContext, user, {
      ...{ purpose: 'confirmation', bound_to: session_id, response: passkey! },
    });
  }
}
