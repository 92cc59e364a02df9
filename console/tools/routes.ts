import { keyedRoute, type PageRoute, pageRoute } from '../page-route.ts';

export const TOOL_ROUTES: readonly PageRoute[] = [
  pageRoute('/tools', 'agents.view', async () => (await import('./tools-page.tsx')).ToolsPage),
  pageRoute('/tools/new', 'agents.edit', async () => (await import('./tool-page.tsx')).NewToolPage),
  keyedRoute('/tools/:tool_id', 'agents.view', 'tool_id', async () => (await import('./tool-page.tsx')).ToolPage),
];
