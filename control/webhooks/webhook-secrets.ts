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
import { newWebhookSecret, secretHint } from './webhook-signature.ts';

/** A new secret: as it is told once, and as it is kept. */
export interface NewSecret {
  plain: string;
  stored: SealedSecret;
}

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

/** The secrets of endpoints, and each workspace's default one. */
export function createWebhookSecrets({ box, clock }: { box: SecretBox; clock: Clock }) {
  const make = (owner: string): NewSecret => {
    const plain = newWebhookSecret();
    return { plain, stored: { secret: box.seal(plain, owner), secret_hint: secretHint(plain) } };
  };
  const ofEndpoint = (workspaceId: string, id: string) => `${workspaceId} ${id}`;
  const ofWorkspace = (workspaceId: string) => `${workspaceId} default`;

  return {
    newForEndpoint: (workspaceId: string, id: string): NewSecret => make(ofEndpoint(workspaceId, id)),

    /** Null when it cannot be read: the key of the settings is another one now. */
    openEndpoint: (workspaceId: string, id: string, sealed: Uint8Array) =>
      box.open(sealed, ofEndpoint(workspaceId, id)),

    openDefault: (workspaceId: string, sealed: Uint8Array) => box.open(sealed, ofWorkspace(workspaceId)),

    /** Made with the workspace, or when it is first needed. */
    async ensureDefault(sql: AnySql, workspaceId: string): Promise<DefaultSecretRow> {
      const known = await findDefaultSecret(sql, workspaceId);
      if (known) return known;
      const { stored: kept } = make(ofWorkspace(workspaceId));
      await insertDefaultSecret(sql, workspaceId, { ...kept, created_at: new Date(clock.wall()) });
      return (await findDefaultSecret(sql, workspaceId))!;
    },

    async rotateDefault(tx: Transaction, workspaceId: string): Promise<{ plain: string; row: DefaultSecretRow }> {
      const { plain, stored: kept } = make(ofWorkspace(workspaceId));
      const row = { ...kept, created_at: new Date(clock.wall()) };
      await replaceDefaultSecret(tx, workspaceId, row);
      return { plain, row };
    },
  };
}
