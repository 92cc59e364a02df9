import { keyedRoute, type PageRoute, pageRoute } from '../page-route.ts';

export const AGENT_ROUTES: readonly PageRoute[] = [
  pageRoute('/agents', 'agents.view', async () => (await import('./agents-page.tsx')).AgentsPage),
  keyedRoute(
    '/agents/:agent_id',
    'agents.view',
    'agent_id',
    async () => (await import('./editor-page.tsx')).EditorPage,
  ),
  keyedRoute(
    '/agents/:agent_id/talk',
    'agents.view',
    'agent_id',
    async () => (await import('../call-page/call-page.tsx')).CallPage,
  ),
  keyedRoute(
    '/shared-agents/:token',
    null,
    'token',
    async () => (await import('../agent-versions/shared-agent-page.tsx')).SharedAgentPage,
  ),
];
