import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSecretBox } from '../../../control/db/secret-box.ts';
import { openSecretKeys, requireSecretsKey } from '../../../control/db/secret-keys.ts';

const MEDIA_TOKEN_SECRET = 'sixteen characters';
const boxOf = async (SECRETS_KEY: string) =>
  (await openSecretKeys({ SECRETS_KEY, SECRETS_KMS_COMMAND: '', MEDIA_TOKEN_SECRET })).box;

/** As version 0.1 sealed: the key's id, then the secret under the key itself. */
function sealedWithoutDataKey(text: string, secret: string, owner: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', text, '', 'antiphon secrets at rest', 32));
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 }).setAAD(Buffer.from(owner));
  const encrypted = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([createHash('sha256').update(key).digest().subarray(0, 4), iv, cipher.getAuthTag(), encrypted]);
}

it('the newest key seals, and older ones open what they have sealed', async () => {
  const [old, both, next] = await Promise.all(['old', ' new, old', 'new'].map(boxOf));
  const sealed = old!.seal('a secret', 'acme');
  expect([both!.open(sealed, 'acme'), next!.open(sealed, 'acme')]).toEqual(['a secret', null]);
  expect(next!.open(both!.seal('a secret', 'acme'), 'acme')).toBe('a secret');
});

it('a key that is set later loses nothing that was sealed without one', async () => {
  const sealed = (await boxOf('')).seal('a secret', 'acme');
  expect((await boxOf('first')).open(sealed, 'acme')).toBe('a secret');
});

it('MEDIA_TOKEN_SECRET opens what earlier versions sealed with it, and seals nothing', async () => {
  const sealed = sealedWithoutDataKey(MEDIA_TOKEN_SECRET, 'a secret', 'acme');
  for (const setting of ['', ' , ', 'first']) {
    const box = await boxOf(setting);
    expect(box.open(sealed, 'acme')).toBe('a secret');
    expect(createSecretBox([MEDIA_TOKEN_SECRET]).open(box.seal('a secret', 'acme'), 'acme')).toBeNull();
  }
});

it('of several in MEDIA_TOKEN_SECRET each opens what it sealed', async () => {
  const sealed = sealedWithoutDataKey(MEDIA_TOKEN_SECRET, 'a secret', 'acme');
  const settings = {
    SECRETS_KEY: '',
    SECRETS_KMS_COMMAND: '',
    MEDIA_TOKEN_SECRET: `a newer secret,${MEDIA_TOKEN_SECRET}`,
  };
  expect((await openSecretKeys(settings)).box.open(sealed, 'acme')).toBe('a secret');
});

it('a resealed secret has the newest key and the same text, whatever its format was', async () => {
  const { box, nameOf } = await openSecretKeys({ SECRETS_KEY: 'new,old', SECRETS_KMS_COMMAND: '', MEDIA_TOKEN_SECRET });
  const earlier = [(await boxOf('old')).seal('a secret', 'acme'), sealedWithoutDataKey('old', 'a secret', 'acme')];
  for (const sealed of earlier) {
    expect([box.isCurrent(sealed), nameOf(box.keyIdOf(sealed)!)]).toEqual([false, 'SECRETS_KEY, number 2']);
    const resealed = box.reseal(sealed, 'acme')!;
    expect([box.isCurrent(resealed), nameOf(box.keyIdOf(resealed)!)]).toEqual([true, 'SECRETS_KEY, the newest']);
    expect((await boxOf('new')).open(resealed, 'acme')).toBe('a secret');
    expect(box.reseal(sealed, 'another')).toBeNull();
  }
});

it('a key is required where other machines reach control, and the error says how one is made', () => {
  const settings = { SECRETS_KEY: '', API_HOST: '127.0.0.1', PUBLIC_API_URL: '' };
  const reachable = [{ API_HOST: '0.0.0.0' }, { API_HOST: '::' }, { PUBLIC_API_URL: 'https://voice.example.com' }];
  for (const more of reachable) {
    expect(() => requireSecretsKey({ ...settings, ...more })).toThrow(
      /^SECRETS_KEY is missing.*openssl rand -base64 32/,
    );
    expect(() => requireSecretsKey({ ...settings, ...more, SECRETS_KEY: 'short' })).toThrow('fewer than 32 characters');
    requireSecretsKey({ ...settings, ...more, SECRETS_KEY: `${'x'.repeat(32)},short` });
  }
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    requireSecretsKey({ ...settings, API_HOST: 'localhost', PUBLIC_API_URL: `http://${host}:7080` });
  }
});
