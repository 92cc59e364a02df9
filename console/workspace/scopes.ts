import type { postKeys } from '../generated/api.ts';
import { t } from '../texts/texts.ts';

/** What API keys and apps can be limited to. */

export type Scope = NonNullable<Parameters<typeof postKeys>[0]['scopes']>[number];

export interface ScopeGroup {
  name: string;
  read: Scope;
  /** Missing where keys only read. */
  write?: Scope;
}

export const scopeGroups = (): readonly ScopeGroup[] => [
  { name: t('Agents'), read: 'agents:read', write: 'agents:write' },
  { name: t('Tests of agents'), read: 'agent_tests:read', write: 'agent_tests:write' },
  { name: t('Calls'), read: 'calls:read', write: 'calls:write' },
  { name: t('Batches'), read: 'batches:read', write: 'batches:write' },
  { name: t('Knowledge'), read: 'knowledge_bases:read', write: 'knowledge_bases:write' },
  { name: t('Tools'), read: 'tools:read', write: 'tools:write' },
  { name: t('Numbers'), read: 'numbers:read' },
  { name: t('Voices and models'), read: 'catalog:read' },
  { name: t('Webhooks'), read: 'webhooks:read', write: 'webhooks:write' },
  { name: t('API keys'), read: 'keys:read', write: 'keys:write' },
  { name: t('Logs and statistics'), read: 'observability:read' },
  { name: t('Workspace'), read: 'workspace:read', write: 'workspace:write' },
  { name: t('Billing'), read: 'billing:read' },
];

/** Returns such as `Agents, Calls (change)`; of a key without limits, that it may do everything. */
export function scopesText(scopes: readonly Scope[] | null): string {
  if (scopes === null) return t('Everything that keys may do');
  return scopeGroups()
    .flatMap(({ name, read, write }) => {
      const [reads, writes] = [scopes.includes(read), write !== undefined && scopes.includes(write)];
      if (reads && writes) return [t('{{name}} (read and change)', { name })];
      if (writes) return [t('{{name}} (change)', { name })];
      return reads ? [t('{{name}} (read)', { name })] : [];
    })
    .join(', ');
}
