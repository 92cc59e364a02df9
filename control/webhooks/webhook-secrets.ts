import { createHmac, randomInt } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import type { SecretBox } from '../db/secret-box.ts';
import {
  type DefaultSecretRow,
  findDefaultSecret,
  insertDefaultSecret,
  replaceDefaultSecret,
  type SealedSecret,
} from './store.ts';

/** A new secret in plain text, and as it is stored. */
export interface NewSecret {
  plain: string;
  stored: SealedSecret;
}

export const ownerOfEndpointSecret = (workspaceId: string, id: string): string => `${workspaceId} ${id}`;
export const ownerOfDefaultSecret = (workspaceId: string): string => `${workspaceId} default`;

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

/** The secrets of endpoints, and the default secret of each workspace. */
export function createWebhookSecrets({ box, clock }: { box: SecretBox; clock: Clock }) {
  const make = (owner: string): NewSecret => {
    const plain = newWebhookSecret();
    return { plain, stored: { secret: box.seal(plain, owner), secret_hint: secretHint(plain) } };
  };
  return {
    newForEndpoint: (workspaceId: string, id: string): NewSecret => make(ownerOfEndpointSecret(workspaceId, id)),

    /** Null when it cannot be decrypted with the configured keys. */
    openEndpoint: (workspaceId: string, id: string, sealed: Uint8Array) =>
      box.open(sealed, ownerOfEndpointSecret(workspaceId, id)),

    openDefault: (workspaceId: string, sealed: Uint8Array) => box.open(sealed, ownerOfDefaultSecret(workspaceId)),

    /** Finds the default secret, or creates it when it is first needed. */
    async ensureDefault(sql: AnySql, workspaceId: string): Promise<DefaultSecretRow> {
      const known = await findDefaultSecret(sql, workspaceId);
      if (known) return known;
      const { stored } = make(ownerOfDefaultSecret(workspaceId));
      await insertDefaultSecret(sql, workspaceId, { ...stored, created_at: new Date(clock.wall()) });
      return (await findDefaultSecret(sql, workspaceId))!;
    },

    async rotateDefault(tx: Transaction, workspaceId: string): Promise<{ plain: string; row: DefaultSecretRow }> {
      const { plain, stored } = make(ownerOfDefaultSecret(workspaceId));
      const row = { ...stored, created_at: new Date(clock.wall()) };
      await replaceDefaultSecret(tx, workspaceId, row);
      return { plain, row };
    },
  };
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'whsec_';
const SECRET_CHARACTERS = 43;

/** Returns `whsec_` and 43 random characters of base62, 256 bits. */
export function newWebhookSecret(): string {
  return PREFIX + Array.from({ length: SECRET_CHARACTERS }, () => BASE62[randomInt(BASE62.length)]).join('');
}

/** The part of a secret that may be shown: its first and last four characters. */
export function secretHint(secret: string): string {
  const random = secret.slice(PREFIX.length);
  return `${PREFIX}${random.slice(0, 4)}…${random.slice(-4)}`;
}

/**
 * Returns the header `X-Svc-Signature`: `t=<unix seconds>,v1=<hex>`, where v1 is the HMAC-SHA256 of `<t>.<body>` with the whole
 * secret as key, its prefix included. It is Stripe's scheme (docs.stripe.com/webhooks, "Verify manually"), so that Stripe's
 * libraries can verify it.
 */
export function signatureHeader(secret: string, body: string, wallMs: number): string {
  const t = Math.floor(wallMs / 1_000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return `t=${t},v1=${v1}`;
}
