import { type PageRoute, pageRoute } from '../page-route.ts';

export const NUMBER_ROUTES: readonly PageRoute[] = [
  pageRoute('/numbers', 'agents.view', async () => (await import('./numbers-page.tsx')).NumbersPage),
  pageRoute('/numbers/buy', 'numbers.manage', async () => (await import('./buy-page.tsx')).BuyPage),
  pageRoute('/numbers/caller-ids', 'agents.view', async () => (await import('./caller-ids-page.tsx')).CallerIdsPage),
  pageRoute(
    '/numbers/caller-ids/new',
    'numbers.manage',
    async () => (await import('./new-caller-id-page.tsx')).NewCallerIdPage,
  ),
];
