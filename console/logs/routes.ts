import { type PageRoute, pageRoute } from '../page-route.ts';

export const LOG_ROUTES: readonly PageRoute[] = [
  pageRoute('/logs', 'logs.view', async () => (await import('./logs-page.tsx')).LogsPage),
  pageRoute('/logs/audit', 'logs.view', async () => (await import('./audit-page.tsx')).AuditPage),
];
