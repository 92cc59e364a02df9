import { type PageRoute, pageRoute } from '../page-route.ts';

export const HOME_ROUTES: readonly PageRoute[] = [
  pageRoute('/', 'calls.view', async () => (await import('./home-page.tsx')).HomePage),
];
