import type { HttpError } from '../http/errors.ts';
import type { RequestContext } from '../http/request-context.ts';
import { queueEmail } from '../mail/queue-email.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import {
  addressSubject,
  countAttempt,
  emailSubject,
  FAILED_SIGN_INS,
  FAILED_SIGN_INS_EVERYWHERE,
  type Limit,
  networkOf,
  retryAfterMs,
  tooManyFailures,
  WARNINGS_OF_GUESSING,
} from './attempt-limits.ts';
import { isKnownDevice } from './devices.ts';
import { guessingEmail } from './email-templates.ts';
import { hashOfToken } from './secret-token.ts';
import { findUserByEmail } from './store.ts';

/**
 * Counts failed sign-ins, so that guessing is slow and nobody can lock others out. A client has five failures in five minutes, by
 * its address and by its network together with the account it tries. Of an account's failures from everywhere there may be fifty
 * an hour: then its owner gets an email, and only known devices go on. A device in which the user signed in before, and a session,
 * have a counter of their own and are spared from all others'.
 */

type Deps = Pick<AccountsDeps, 'sql' | 'clock'>;
type Counters = [subject: string, limit: Limit][];

/** @throws HttpError 429 */
export async function refuseWhenLocked(deps: Deps, requestContext: RequestContext, email: string): Promise<void> {
  await refuse(deps, await countersOf(deps, requestContext, email));
}

/** Counts a failed try. @returns the error to throw. */
export async function recordFailure(
  deps: Deps,
  requestContext: RequestContext,
  email: string,
  refusal: HttpError,
): Promise<HttpError> {
  return record(deps, await countersOf(deps, requestContext, email), email, refusal);
}

/**
 * The same for the second step of signing in. Five wrong codes lock it wherever they come from: who got there knows the password,
 * so it locks out no stranger's victim, and a code has six digits only.
 */
export async function refuseWhenLockedForCodes(deps: Deps, requestContext: RequestContext, email: string) {
  await refuse(deps, await countersOfCodes(deps, requestContext, email));
}

export async function recordWrongCode(deps: Deps, requestContext: RequestContext, email: string, refusal: HttpError) {
  return record(deps, await countersOfCodes(deps, requestContext, email), email, refusal);
}

async function countersOf({ sql, clock }: Deps, requestContext: RequestContext, email: string): Promise<Counters> {
  const { session_id, device, address } = requestContext;
  if (session_id !== null) return [[`sign-in session ${session_id}`, FAILED_SIGN_INS]];
  if (await isKnownDevice(sql, device, email, new Date(clock.wall())))
    return [[deviceSubject(device), FAILED_SIGN_INS]];
  return [
    [addressSubject('sign-in', address), FAILED_SIGN_INS],
    [emailSubject(`sign-in ${networkOf(address)}`, email), FAILED_SIGN_INS],
    [everywhere(email), FAILED_SIGN_INS_EVERYWHERE],
  ];
}

async function countersOfCodes(deps: Deps, requestContext: RequestContext, email: string): Promise<Counters> {
  const counters = await countersOf(deps, requestContext, email);
  const known = counters.length === 1;
  return known ? counters : [...counters, [emailSubject('second step', email), FAILED_SIGN_INS]];
}

const everywhere = (email: string) => emailSubject('sign-in', email);
const deviceSubject = (device: string) => `sign-in device ${hashOfToken(device).toString('hex').slice(0, 32)}`;

async function refuse({ sql, clock }: Deps, counters: Counters): Promise<void> {
  const now = clock.wall();
  const waits = await Promise.all(counters.map(([subject, limit]) => retryAfterMs(sql, [subject], limit, now)));
  const waitMs = Math.max(...waits);
  if (waitMs > 0) throw tooManyFailures(waitMs);
}

async function record(deps: Deps, counters: Counters, email: string, refusal: HttpError): Promise<HttpError> {
  const { sql, clock } = deps;
  const now = clock.wall();
  const waits: number[] = [];
  for (const [subject, limit] of counters) waits.push(await countAttempt(sql, subject, limit, now));
  const total = counters.find(([subject]) => subject === everywhere(email));
  if (total && (await retryAfterMs(sql, [total[0]], total[1], now)) > 0) await warnOwner(deps, email, now);
  const waitMs = Math.max(...waits);
  return waitMs > 0 ? tooManyFailures(waitMs) : refusal;
}

/** Once a day. */
async function warnOwner({ sql }: Deps, email: string, nowMs: number): Promise<void> {
  if ((await countAttempt(sql, emailSubject('guessing', email), WARNINGS_OF_GUESSING, nowMs)) > 0) return;
  await sql.begin(async (tx) => {
    const user = await findUserByEmail(tx, email);
    if (user) await queueEmail(tx, guessingEmail(user), nowMs);
  });
}
