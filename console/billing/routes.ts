import { BILLING_PATH } from '../address.ts';
import { type PageRoute, pageRoute } from '../page-route.ts';

export const BILLING_ROUTES: readonly PageRoute[] = [
  pageRoute(BILLING_PATH, 'billing.view', async () => (await import('./billing-page.tsx')).BillingPage),
];
