import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { decrypt, encrypt, OVERHEAD_BYTES } from '../../shared/aes-gcm.ts';

/**
 * Seals secrets that have to be read again, such as signing secrets and those of authenticators: each with a data key of its own,
 * which is sealed by a key-encryption key whose id stands in front. Both with AES-256-GCM, bound to the owner. So a new
 * key-encryption key seals the data keys again (`reseal`), and the secrets themselves stay as they are.
 *
 * A data key for each value, and not for each workspace: a value then holds all that is needed to open it, in a backup too, and no
 * data key has to be looked up, locked or made first.
 */
export interface SecretBox {
  /** Ids of the keys, in hex: the first seals. */
  readonly keyIds: readonly string[];
  seal(secret: string, owner: string): Buffer;
  /** Returns null when the key is not known, the owner is another one, or the bytes were changed. */
  open(sealed: Uint8Array, owner: string): string | null;
  /** Seals for the first key what another one, or an earlier format, has sealed; null when it cannot be opened. */
  reseal(sealed: Uint8Array, owner: string): Buffer | null;
  /** The key that a value needs, by its id; null when it is none of these. */
  keyIdOf(sealed: Uint8Array): string | null;
  /** False for what `reseal` would change. */
  isCurrent(sealed: Uint8Array): boolean;
}

interface Key {
  id: Buffer;
  key: Buffer;
}

/** First bytes of the present format. What was sealed before it begins with the key's id, and has no data key. */
const ENVELOPE = Buffer.from('env1');
const KEY_ID_BYTES = 4;
const KEY_BYTES = 32;
const SEALED_KEY_BYTES = OVERHEAD_BYTES + KEY_BYTES;

/** @param keys texts of any length: the first seals, all of them open. */
export function createSecretBox(keys: readonly [string, ...string[]]): SecretBox {
  const known = [...new Set(keys)].map(keyOf);
  const newest = known[0]!;
  const withId = (id: Buffer) => known.find((key) => key.id.equals(id)) ?? null;

  /** The parts of a sealed value; null when its key is not known. */
  const partsOf = (sealed: Uint8Array) => {
    const bytes = Buffer.from(sealed);
    const isEnvelope = bytes.subarray(0, ENVELOPE.length).equals(ENVELOPE);
    const idAt = isEnvelope ? ENVELOPE.length : 0;
    const key = withId(bytes.subarray(idAt, idAt + KEY_ID_BYTES));
    return key && { key, isEnvelope, rest: bytes.subarray(idAt + KEY_ID_BYTES) };
  };

  /** The data key of an envelope, and its encrypted text; null when the key is not known or it was changed. */
  const dataKeyOf = (sealed: Uint8Array, owner: string): { dataKey: Buffer; text: Buffer } | null => {
    const parts = partsOf(sealed);
    if (!parts?.isEnvelope) return null;
    const dataKey = decrypt(parts.key.key, parts.rest.subarray(0, SEALED_KEY_BYTES), dataKeyOwner(owner));
    return dataKey?.length === KEY_BYTES ? { dataKey, text: parts.rest.subarray(SEALED_KEY_BYTES) } : null;
  };

  const envelope = (dataKey: Buffer, text: Buffer, owner: string) =>
    Buffer.concat([ENVELOPE, newest.id, encrypt(newest.key, dataKey, dataKeyOwner(owner)), text]);

  const box: SecretBox = {
    keyIds: known.map(({ id }) => id.toString('hex')),

    seal(secret, owner) {
      const dataKey = randomBytes(KEY_BYTES);
      return envelope(dataKey, encrypt(dataKey, Buffer.from(secret), owner), owner);
    },

    open(sealed, owner) {
      const parts = partsOf(sealed);
      if (!parts) return null;
      if (!parts.isEnvelope) return decrypt(parts.key.key, parts.rest, owner)?.toString('utf8') ?? null;
      const opened = dataKeyOf(sealed, owner);
      return (opened && decrypt(opened.dataKey, opened.text, owner)?.toString('utf8')) ?? null;
    },

    reseal(sealed, owner) {
      const opened = dataKeyOf(sealed, owner);
      if (opened) return envelope(opened.dataKey, opened.text, owner);
      const secret = box.open(sealed, owner);
      return secret === null ? null : box.seal(secret, owner);
    },

    keyIdOf: (sealed) => partsOf(sealed)?.key.id.toString('hex') ?? null,

    isCurrent(sealed) {
      const parts = partsOf(sealed);
      return parts?.isEnvelope === true && parts.key === newest;
    },
  };
  return box;
}

function keyOf(text: string): Key {
  const key = Buffer.from(hkdfSync('sha256', text, '', 'antiphon secrets at rest', KEY_BYTES));
  return { key, id: createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES) };
}

/** A sealed data key is never taken for a secret of the same owner. */
const dataKeyOwner = (owner: string) => `data key of ${owner}`;
