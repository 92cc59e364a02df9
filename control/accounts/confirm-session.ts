import { validationError } from '../http/errors.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { CONFIRMED_FOR_MS, markSessionConfirmed } from './session-store.ts';
import { checkPassword, recordFailure, refuseWhenLocked } from './sign-in.ts';
import { findUser } from './store.ts';
import { consumeCode, wrongCode } from './two-factor.ts';

/**
 * Notes that the user of a session has entered the password, or a code of the second factor.
 * @throws HttpError 401 for a wrong one, 422 unless exactly one is given, 429 after 5 failures, as at sign-in
 */
export async function confirmSession(
  deps: AccountsDeps,
  requestContext: RequestContext,
  { user_id, session_id }: { user_id: string; session_id: string },
  { password, code }: { password?: string | undefined; code?: string | undefined },
): Promise<{ confirmed_until: Date }> {
  if ((password === undefined) === (code === undefined)) throw validationError('Input should be a password or a code');
  const user = await findUser(deps.sql, user_id);
  const email = user?.email ?? '';
  if (password !== undefined) await checkPassword(deps, requestContext, email, password);
  else {
    await refuseWhenLocked(deps, requestContext, email);
    if (!user || code === undefined || !(await consumeCode(deps, requestContext, user, code))) {
      throw await recordFailure(deps, requestContext, email, wrongCode());
    }
    // Of many requests at once, those after the fifth failure are refused even with the right code.
    await refuseWhenLocked(deps, requestContext, email);
  }
  const nowMs = deps.clock.wall();
  await markSessionConfirmed(deps.sql, session_id, new Date(nowMs));
  return { confirmed_until: new Date(nowMs + CONFIRMED_FOR_MS) };
}
