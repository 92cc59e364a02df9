import { keyedRoute, type PageRoute } from '../page-route.ts';

export const AGENT_VERSION_ROUTES: readonly PageRoute[] = [
  keyedRoute(
    '/agents/:agent_id/versions',
    'agents.view',
    'agent_id',
    async () => (await import('./versions-page.tsx')).VersionsPage,
  ),
  keyedRoute(
    '/agents/:agent_id/figures',
    'calls.view',
    'agent_id',
    async () => (await import('./figures-page.tsx')).FiguresPage,
  ),
];
