import { ownerOfAuthenticator } from '../accounts/two-factor.ts';
import { ownerOfDefaultSecret, ownerOfEndpointSecret } from '../webhooks/webhook-secrets.ts';

/** Every place in the database with sealed secrets. `test/control/operators/secrets.test.ts` finds one that is missing here. */

export interface SealedColumn {
  table: string;
  column: string;
  /** Columns of the primary key. */
  key: readonly string[];
  /** SQL of the value as a text. */
  asText: string;
  /** SQL of the value made of a text. */
  fromText: (text: string) => string;
  /** The value with what `change` makes of each secret in it. */
  replace(text: string, key: readonly string[], change: Change): string;
}

/** Takes a sealed secret with its owner and returns what is to be stored in its place. */
export type Change = (sealed: Buffer, owner: string) => Buffer;

const base64 = (owner: (key: readonly string[]) => string): Pick<SealedColumn, 'replace'> => ({
  replace: (text, key, change) => change(Buffer.from(text, 'base64'), owner(key)).toString('base64'),
});

const bytes = (owner: (key: readonly string[]) => string) => ({
  ...base64(owner),
  asText: "replace(encode(secret, 'base64'), E'\\n', '')",
  fromText: (text: string) => `decode(${text}, 'base64')`,
});

const authenticator = (column: string): SealedColumn => ({
  ...base64(([id]) => ownerOfAuthenticator(id!)),
  ...{ table: 'users', column, key: ['id'], asText: column, fromText: (text) => text },
});

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    ...bytes(([workspaceId, id]) => ownerOfEndpointSecret(workspaceId!, id!)),
    ...{ table: 'webhook_endpoints', column: 'secret', key: ['workspace_id', 'id'] },
  },
  {
    ...bytes(([workspaceId]) => ownerOfDefaultSecret(workspaceId!)),
    ...{ table: 'webhook_default_secrets', column: 'secret', key: ['workspace_id'] },
  },
  authenticator('two_factor_secret'),
  authenticator('two_factor_offered_secret'),
];
