import { keyedRoute, type PageRoute, pageRoute } from '../page-route.ts';

export const KNOWLEDGE_ROUTES: readonly PageRoute[] = [
  pageRoute('/knowledge', 'agents.view', async () => (await import('./bases-page.tsx')).BasesPage),
  keyedRoute('/knowledge/:kb_id', 'agents.view', 'kb_id', async () => (await import('./base-page.tsx')).BasePage),
];
