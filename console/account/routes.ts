import { type PageRoute, pageRoute } from '../page-route.ts';

export const ACCOUNT_ROUTES: readonly PageRoute[] = [
  pageRoute('/account', null, async () => (await import('./account-page.tsx')).AccountPage),
];
