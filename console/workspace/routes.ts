import { keyedRoute, type PageRoute, pageRoute } from '../page-route.ts';

export const WORKSPACE_ROUTES: readonly PageRoute[] = [
  pageRoute('/workspace', 'agents.view', async () => (await import('./settings-page.tsx')).SettingsPage),
  pageRoute('/workspace/members', 'members.view', async () => (await import('./members-page.tsx')).MembersPage),
  pageRoute('/workspace/keys', 'agents.view', async () => (await import('./keys-page.tsx')).KeysPage),
  pageRoute('/workspace/kyc', 'kyc.manage', async () => (await import('./kyc-page.tsx')).KycPage),
  pageRoute('/workspace/limits', 'agents.view', async () => (await import('./limits-page.tsx')).LimitsPage),
  pageRoute('/workspace/guardrails', 'agents.view', async () => (await import('./guardrails-page.tsx')).GuardrailsPage),
  keyedRoute(
    '/workspace/guardrails/:incident_id',
    'agents.view',
    'incident_id',
    async () => (await import('./incident-page.tsx')).IncidentPage,
  ),
  pageRoute('/workspace/apps', 'agents.view', async () => (await import('./apps-page.tsx')).AppsPage),
];
