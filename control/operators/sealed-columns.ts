import { ownerOfAuthenticator } from '../accounts/two-factor.ts';
import {
  bytesOfSealedHeader,
  isSealedHeader,
  ownerOfToolHeaders,
  sealedHeaderOf,
  type WithHeaderLists,
  type WithHeaders,
} from '../tools/seal-tool-headers.ts';
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
  /** The value with what `change` makes of each secret in it; null leaves it. */
  replace(text: string, key: readonly string[], change: Change): string;
}

/** Takes a secret with its owner, sealed or as it was stored by earlier versions, and returns what is to be stored in its place. */
export type Change = (secret: Buffer | { clear: string }, owner: string) => Buffer | null;

const base64 = (owner: (key: readonly string[]) => string): Pick<SealedColumn, 'replace'> => ({
  replace: (text, key, change) => change(Buffer.from(text, 'base64'), owner(key))?.toString('base64') ?? text,
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

/** @param toolsIn finds the tools in the column's JSON */
function toolHeaders<Json>(
  table: string,
  column: string,
  key: readonly string[],
  toolsIn: (json: Json) => readonly WithHeaders[],
): SealedColumn {
  return {
    ...{ table, column, key, asText: `${column}::text`, fromText: (text) => `${text}::jsonb` },
    replace(text, [workspaceId], change) {
      const json: Json = JSON.parse(text);
      const owner = ownerOfToolHeaders(workspaceId!);
      for (const { headers } of toolsIn(json)) {
        for (const [name, value] of Object.entries(headers)) {
          if (value === '') continue;
          const sealed = change(isSealedHeader(value) ? bytesOfSealedHeader(value) : { clear: value }, owner);
          if (sealed) headers[name] = sealedHeaderOf(sealed);
        }
      }
      return JSON.stringify(json);
    },
  };
}

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
  toolHeaders('tools', 'headers', ['workspace_id', 'id'], (headers: WithHeaders['headers']) => [{ headers }]),
  toolHeaders('agents', 'tools', ['workspace_id', 'id'], (tools: WithHeaders[]) => tools),
  toolHeaders('agents', 'mcp_servers', ['workspace_id', 'id'], (servers: WithHeaders[]) => servers),
  toolHeaders(
    'agent_versions',
    'config',
    ['workspace_id', 'agent_id', 'version'],
    ({ tools, mcp_servers = [] }: WithHeaderLists) => [...tools, ...mcp_servers],
  ),
  toolHeaders(
    'agent_canaries',
    'config',
    ['workspace_id', 'agent_id'],
    ({ tools, mcp_servers = [] }: WithHeaderLists) => [...tools, ...mcp_servers],
  ),
];
