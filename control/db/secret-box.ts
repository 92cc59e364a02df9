import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Encrypts secrets that have to be read again, such as signing secrets and those of authenticators: AES-256-GCM, bound to their
 * owner. The id of the key stands in front, so that keys can be rotated.
 */
export interface SecretBox {
  seal(secret: string, owner: string): Buffer;
  /** Returns null when the key is not known, the owner is another one, or the bytes were changed. */
  open(sealed: Uint8Array, owner: string): string | null;
}

const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param keys texts of any length: the first encrypts, all of them decrypt. */
export function createSecretBox(keys: readonly [string, ...string[]]): SecretBox {
  const known = keys.map((text) => {
    const key = Buffer.from(hkdfSync('sha256', text, '', 'antiphon secrets at rest', 32));
    return { key, mark: createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES) };
  });
  return {
    seal(secret, owner) {
      const { key, mark } = known[0]!;
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(owner));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([mark, iv, cipher.getAuthTag(), text]);
    },
    open(sealed, owner) {
      const bytes = Buffer.from(sealed);
      const found = known.find(({ mark }) => mark.equals(bytes.subarray(0, KEY_ID_BYTES)));
      const textAt = KEY_ID_BYTES + IV_BYTES + TAG_BYTES;
      if (!found || bytes.length < textAt) return null;
      const iv = bytes.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES);
      try {
        const decipher = createDecipheriv('aes-256-gcm', found.key, iv, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(KEY_ID_BYTES + IV_BYTES, textAt));
        return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}

/**
 * Creates the box from the program's settings.
 *
 * @param setting keys with commas between them, the newest first.
 * @param fallback another secret of the program, used when the setting is empty.
 */
export function secretBoxFromSetting(setting: string, fallback: string): SecretBox {
  const [first = fallback, ...older] = setting.split(',').flatMap((key) => key.trim() || []);
  return createSecretBox([first, ...older]);
}
