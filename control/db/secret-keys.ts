import { commaSeparated } from '../../shared/comma-separated.ts';
import { isLoopbackHost } from '../../shared/networks.ts';
import { createCommandKeyManagement, type KeyManagement } from './key-management.ts';
import { createSecretBox, type SecretBox } from './secret-box.ts';

/** The settings that the keys of sealed secrets come from. */
export interface SecretSettings {
  /** Several with commas, the newest first. */
  SECRETS_KEY: string;
  /** Opens those of SECRETS_KEY that begin with `kms:`. */
  SECRETS_KMS_COMMAND: string;
  /** Earlier versions sealed with it where SECRETS_KEY was empty. Since then there may be several, with commas. */
  MEDIA_TOKEN_SECRET: string;
}

export interface SecretKeys {
  box: SecretBox;
  /** Whether SECRETS_KEY is set. */
  configured: boolean;
  /** What the key of this id is, for the operator. */
  nameOf(keyId: string): string;
}

/**
 * Seals where there is no SECRETS_KEY, which `requireSecretsKey` allows only where nobody else can reach control. Everybody knows
 * it, so it protects nothing. It always opens, so that a key that is set later loses no secret.
 */
const KEY_OF_NO_SETTING = 'antiphon without SECRETS_KEY';
const MIN_KEY_CHARACTERS = 32;
/** Begins a key that a key management service has sealed. */
const KMS = 'kms:';

/**
 * Takes the keys from the settings: the newest of SECRETS_KEY seals, all others open what they have sealed.
 *
 * @throws Error when the key management service does not open a key that it sealed.
 */
export async function openSecretKeys(
  { SECRETS_KEY, SECRETS_KMS_COMMAND, MEDIA_TOKEN_SECRET }: SecretSettings,
  keyManagement: KeyManagement = createCommandKeyManagement(SECRETS_KMS_COMMAND),
): Promise<SecretKeys> {
  const opened = await Promise.all(
    commaSeparated(SECRETS_KEY).map((key) => (key.startsWith(KMS) ? openByService(key, keyManagement) : key)),
  );
  const configured = opened.map((text, index) => ({
    text,
    name: index === 0 ? 'SECRETS_KEY, the newest' : `SECRETS_KEY, number ${index + 1}`,
  }));
  const openOnly = [
    { text: KEY_OF_NO_SETTING, name: 'known to everybody: SECRETS_KEY was empty' },
    ...[...new Set([MEDIA_TOKEN_SECRET, ...commaSeparated(MEDIA_TOKEN_SECRET)])].map(ofEarlierVersions),
  ].filter(({ text }) => text !== '');
  const [first, ...others] = [...configured, ...openOnly];
  const box = createSecretBox([first!.text, ...others.map(({ text }) => text)]);
  const names = new Map(
    [...others.toReversed(), first!].map(({ text, name }) => [createSecretBox([text]).keyIds[0]!, name]),
  );
  return { box, configured: configured.length > 0, nameOf: (keyId) => names.get(keyId) ?? 'not configured' };
}

const ofEarlierVersions = (text: string) => ({ text, name: 'MEDIA_TOKEN_SECRET, as in earlier versions' });

async function openByService(key: string, keyManagement: KeyManagement): Promise<string> {
  const opened = await keyManagement.open(key.slice(KMS.length));
  if (opened.length >= MIN_KEY_CHARACTERS) return opened;
  throw new Error(`a key of SECRETS_KEY has fewer than ${MIN_KEY_CHARACTERS} characters when it is opened`);
}

/**
 * Refuses a program that others than this machine can reach, and that has no key which only this installation knows.
 *
 * @throws Error which says how a key is made.
 */
export function requireSecretsKey(settings: { SECRETS_KEY: string; API_HOST: string; PUBLIC_API_URL: string }): void {
  const { SECRETS_KEY, API_HOST, PUBLIC_API_URL } = settings;
  const publicHost = PUBLIC_API_URL === '' ? API_HOST : new URL(PUBLIC_API_URL).hostname;
  if (isLoopbackHost(API_HOST) && isLoopbackHost(publicHost)) return;
  const [newest = ''] = commaSeparated(SECRETS_KEY);
  if (newest.length >= MIN_KEY_CHARACTERS) return;
  const problem = newest === '' ? 'is missing' : `begins with a key of fewer than ${MIN_KEY_CHARACTERS} characters`;
  throw new Error(
    `SECRETS_KEY ${problem}: it seals the secrets in the database, and control can be reached from other machines. ` +
      'Make a key with `openssl rand -base64 32`, put it first, before a comma and the keys you have, and keep a copy of it',
  );
}
