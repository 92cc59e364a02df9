import { type PageRoute, pageRoute } from '../page-route.ts';

export const ACCOUNT_ROUTES: readonly PageRoute[] = [
  pageRoute('/account', null, async () => (await import('./profile-page.tsx')).ProfilePage),
  pageRoute('/account/security', null, async () => (await import('./security-page.tsx')).SecurityPage),
];
