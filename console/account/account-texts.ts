import { failureOf } from '../data/failure.ts';
import { changeProblemText, formProblemText } from '../data/problem-text.ts';
import { t, tn } from '../texts/texts.ts';
import { PasskeyRefusal } from './passkeys.ts';

/** Whether the API says that the password, or the code, is not right. A session that ended has another text. */
export function isWrongPassword(error: unknown): boolean {
  const { status, detail } = failureOf(error);
  return status === 401 && detail.startsWith('wrong email or password');
}

export function isWrongCode(error: unknown): boolean {
  const { status, detail } = failureOf(error);
  return status === 401 && detail.startsWith('wrong or used code');
}

/** Why something that needs the password was refused. */
export function passwordProblemText(error: unknown): string {
  if (isWrongPassword(error)) return t('That is not your password.');
  if (isWrongCode(error)) return t('That code is not right.');
  if (failureOf(error).status === 429) return t('Too many tries. Wait a few minutes, then try again.');
  return changeProblemText(error);
}

/** Where a form that asks for the password says why it was refused; neither for what other fields say, and for no error. */
export function passwordFormProblems(error: unknown): { password?: string; form?: string } {
  if (formProblemText(error) === '') return {};
  const problem = passwordProblemText(error);
  return isWrongPassword(error) ? { password: problem } : { form: problem };
}

/** Why a passkey was not added or removed. */
export function passkeyProblemText(error: unknown): string {
  if (error instanceof PasskeyRefusal) return error.message;
  const { status, detail } = failureOf(error);
  if (status === 401) return t('That took too long. Try again.');
  if (status === 409 && detail.includes('domain')) return t('Passkeys need a domain name; this service has none.');
  if (status === 409) {
    return t('This passkey cannot be added: there is one on this device already, or there are 20.');
  }
  return changeProblemText(error);
}

/** Whether two-step sign-in is on, and how many recovery codes are left. */
export const twoStepText = (account: { two_factor: boolean; recovery_codes_left: number }): string =>
  account.two_factor
    ? tn(
        'On: after your password you are asked for a second step. {{count}} recovery code is left.',
        'On: after your password you are asked for a second step. {{count}} recovery codes are left.',
        account.recovery_codes_left,
      )
    : t('Off: your password is enough to sign in. An authenticator app or a passkey switches it on.');

/** Dark squares of a QR code as one path of a drawing, a unit for each square. */
export const qrPath = (squares: readonly (readonly boolean[])[]): string =>
  squares.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');

/** The key of an authenticator in groups of four, as people type it. */
export const keyText = (secret: string): string => secret.match(/.{1,4}/g)?.join(' ') ?? secret;

/** The time zones that this browser knows, and the present one, which another may have chosen. */
export function zonesWith(present: string, known: readonly string[]): string[] {
  return [...new Set([present, ...known])].filter((zone) => zone !== '').toSorted();
}
