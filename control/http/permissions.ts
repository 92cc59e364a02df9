/** The permissions of the specification, in the order of its table. */
export const PERMISSIONS = [
  'agents.view',
  'calls.view',
  'logs.view',
  'members.view',
  'agents.edit',
  'calls.place',
  'keys.manage',
  'billing.view',
  'numbers.manage',
  'members.manage',
  'billing.manage',
  'kyc.manage',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

const SPENDING: ReadonlySet<Permission> = new Set<Permission>([
  ...(['calls.place', 'keys.manage', 'numbers.manage', 'members.manage', 'billing.manage'] as const),
]);

/** Whether such a request spends the workspace's money or the service's, or lets others do so; to remove something does not. */
export const spends = (method: string, permission: Permission): boolean =>
  !['GET', 'DELETE'].includes(method) && SPENDING.has(permission);

export type MemberRole = 'viewer' | 'developer' | 'admin' | 'owner';
export type Role = MemberRole | 'api_key';

const VIEWER: Permission[] = ['agents.view', 'calls.view', 'logs.view', 'members.view'];
const DEVELOPER: Permission[] = [...VIEWER, 'agents.edit', 'calls.place', 'keys.manage'];
const ADMIN: Permission[] = [...DEVELOPER, 'billing.view', 'numbers.manage', 'members.manage'];

const GRANTS: Record<Role, ReadonlySet<Permission>> = {
  viewer: new Set(VIEWER),
  developer: new Set(DEVELOPER),
  admin: new Set(ADMIN),
  owner: new Set(PERMISSIONS),
  // A developer of its own workspace who can also read balance and billing.
  api_key: new Set<Permission>([...DEVELOPER, 'billing.view']),
};

export function hasPermission(role: Role, permission: Permission): boolean {
  return GRANTS[role].has(permission);
}
