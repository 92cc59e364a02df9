import { keyedRoute, type PageRoute, pageRoute } from '../page-route.ts';

export const CALL_ROUTES: readonly PageRoute[] = [
  pageRoute('/calls', 'calls.view', async () => (await import('./calls-page.tsx')).CallsPage),
  keyedRoute(
    '/calls/:call_id',
    'calls.view',
    'call_id',
    async () => (await import('./call-record-page.tsx')).CallRecordPage,
  ),
];
