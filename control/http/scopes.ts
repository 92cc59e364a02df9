import type { Permission } from './permissions.ts';

/** What an API key can be limited to: to read or to write, by resource. */
export const SCOPES = [
  'agents:read',
  'agents:write',
  'agent_tests:read',
  'agent_tests:write',
  'batches:read',
  'batches:write',
  'billing:read',
  'calls:read',
  'calls:write',
  'catalog:read',
  'keys:read',
  'keys:write',
  'knowledge_bases:read',
  'knowledge_bases:write',
  'numbers:read',
  'observability:read',
  'tools:read',
  'tools:write',
  'webhooks:read',
  'webhooks:write',
  'workspace:read',
  'workspace:write',
] as const;
export type Scope = (typeof SCOPES)[number];

const RESOURCE_OF_TAG: Record<string, string> = {
  Agents: 'agents',
  'Agent tests': 'agent_tests',
  Batches: 'batches',
  Billing: 'billing',
  Calls: 'calls',
  Catalog: 'catalog',
  'Knowledge bases': 'knowledge_bases',
  Observability: 'observability',
  'Phone numbers': 'numbers',
  Tools: 'tools',
  Webhooks: 'webhooks',
  Workspace: 'workspace',
};

/** The parts of a route's declaration that its scope follows from. */
export interface ScopedOperation {
  method: string;
  path: string;
  tag: string;
  credential: string;
  permission: Permission | null;
  /** The resource, where it is another one than the tag's. */
  resource?: 'keys';
}

/**
 * Returns the scope that a limited key needs for an endpoint; null where keys are refused anyway, or any credential will do. An
 * endpoint reads when its method is GET or its permission only shows something.
 *
 * @throws when the resource has no such scope: it is added to `SCOPES`, or the tag to its resources.
 */
export function scopeOf(operation: ScopedOperation): Scope | null {
  const { method, path, tag, credential, permission } = operation;
  if (credential !== 'key') return null;
  const reads = method === 'GET' || permission?.endsWith('.view') === true;
  const resource = operation.resource ?? RESOURCE_OF_TAG[tag] ?? tag;
  const scope = SCOPES.find((each) => each === `${resource}:${reads ? 'read' : 'write'}`);
  if (!scope) throw new Error(`${method} ${path}: a key needs a scope for it, see control/http/scopes.ts`);
  return scope;
}
