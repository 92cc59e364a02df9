import { type PageRoute, pageRoute } from '../page-route.ts';

const VIEW = 'billing.view';

/** All within `/billing`, which is a document of its own. */
export const BILLING_ROUTES: readonly PageRoute[] = [
  pageRoute('/billing', VIEW, async () => (await import('./overview-page.tsx')).OverviewPage),
  pageRoute('/billing/plan', VIEW, async () => (await import('./plan-page.tsx')).PlanPage),
  pageRoute('/billing/payments', VIEW, async () => (await import('./payments-page.tsx')).PaymentsPage),
  pageRoute('/billing/ledger', VIEW, async () => (await import('./ledger-page.tsx')).LedgerPage),
  pageRoute('/billing/usage', VIEW, async () => (await import('./usage-page.tsx')).UsagePage),
];
