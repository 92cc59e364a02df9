import type { Email } from '../mail/queue-email.ts';

/** Emails to users. They hold no text of clients: a name could be an advertisement sent to a stranger. */

const SIGNATURE = '\n\nVoice Agent Service';

export const LINK_PATHS = {
  reset: '/api/auth/password-reset',
  verify: '/api/auth/verify-email',
} as const;

const link = (base: string, page: string, token: string) => `${base.replace(/\/+$/, '')}${page}?token=${token}`;

interface Recipient {
  email: string;
}

const accountEmail = ({ email }: Recipient, subject: string, text: string): Email => ({
  to: email,
  subject,
  text: `Hello,\n\n${text}${SIGNATURE}`,
});

export const passwordResetEmail = (to: Recipient, base: string, token: string) =>
  accountEmail(
    to,
    'Choose a new password',
    `somebody, probably you, asked for a new password. Choose it here within an hour:\n\n${link(base, LINK_PATHS.reset, token)}\n\n` +
      'If it was not you, there is nothing to do: your password stays as it is.',
  );

export const verificationEmail = (to: Recipient, base: string, token: string) =>
  accountEmail(
    to,
    'Confirm your email address',
    `please confirm that this address is yours, within 24 hours:\n\n${link(base, LINK_PATHS.verify, token)}\n\n` +
      'If you did not sign up, do not confirm it: somebody else did so with your address.',
  );

export const newAddressVerificationEmail = (to: Recipient, base: string, token: string) =>
  accountEmail(
    to,
    'Confirm your new email address',
    `this address is to become the one you sign in with. Confirm it within 24 hours:\n\n${link(base, LINK_PATHS.verify, token)}\n\n` +
      'If you did not ask for it, there is nothing to do.',
  );

/** To the old address, so that nobody loses an account unnoticed. */
export const addressChangeRequestedEmail = (to: Recipient) =>
  accountEmail(
    to,
    'Your email address is about to change',
    'another address was entered for your account, and takes effect once it is confirmed from there.\n\n' +
      'If it was not you, change your password now and end all other sessions.',
  );

export const passwordChangedEmail = (to: Recipient) =>
  accountEmail(
    to,
    'Your password was changed',
    'the password of your account was changed, and other sessions were ended.\n\n' +
      'If it was not you, ask for a new password at once.',
  );

export const twoFactorChangedEmail = (to: Recipient, on: boolean) =>
  accountEmail(
    to,
    on ? 'Two-step sign-in is on' : 'Two-step sign-in is off',
    `two-step sign-in was switched ${on ? 'on' : 'off'} for your account.\n\n` +
      'If it was not you, change your password at once.',
  );

export const passkeyChangedEmail = (to: Recipient, added: boolean) =>
  accountEmail(
    to,
    added ? 'A passkey was added' : 'A passkey was removed',
    `a passkey was ${added ? 'added to' : 'removed from'} your account.\n\n` +
      'If it was not you, change your password at once.',
  );

export const guessingEmail = (to: Recipient) =>
  accountEmail(
    to,
    'Many wrong passwords for your account',
    'somebody tried many wrong passwords for your account, from several networks. For up to an hour you can sign in only where you ' +
      'signed in before with the same browser.\n\nThere is nothing to do if your password is long and used nowhere else. ' +
      'Two-step sign-in keeps others out even if they learn it.',
  );
