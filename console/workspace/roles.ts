import type { Me, Member } from '../generated/api.ts';
import { t } from '../texts/texts.ts';

/** What roles are called, and what each may do; `control/http/permissions.ts` has the same, by which it is tested. */

export type Role = Member['role'];
type Permission = Me['permissions'][number];

export const ROLES: readonly Role[] = ['viewer', 'developer', 'admin', 'owner'];

export const roleName = (role: Role): string =>
  ({ viewer: t('Viewer'), developer: t('Developer'), admin: t('Admin'), owner: t('Owner') })[role];

/** The lowest role that may do it, and all above it. */
export interface Ability {
  text: string;
  permissions: readonly Permission[];
  from: Role;
}

export const abilities = (): readonly Ability[] => [
  {
    text: t('See agents, calls, logs and members'),
    permissions: ['agents.view', 'calls.view', 'logs.view', 'members.view'],
    from: 'viewer',
  },
  { text: t('Make, change and delete agents, knowledge and tools'), permissions: ['agents.edit'], from: 'developer' },
  { text: t('Place and end calls'), permissions: ['calls.place'], from: 'developer' },
  { text: t('Manage API keys and webhooks'), permissions: ['keys.manage'], from: 'developer' },
  { text: t('See billing and invoices'), permissions: ['billing.view'], from: 'admin' },
  { text: t('Buy, connect and give back numbers'), permissions: ['numbers.manage'], from: 'admin' },
  {
    text: t('Manage members, apps and settings, and ask for higher limits'),
    permissions: ['members.manage'],
    from: 'admin',
  },
  { text: t('Buy credits and choose the plan'), permissions: ['billing.manage'], from: 'owner' },
  {
    text: t('Submit business details, export all data, change security'),
    permissions: ['kyc.manage'],
    from: 'owner',
  },
];

export const isAble = (role: Role, { from }: Ability): boolean => ROLES.indexOf(role) >= ROLES.indexOf(from);
