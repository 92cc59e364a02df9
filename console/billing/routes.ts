import { BILLING_PATH } from '../address.ts';
import { type PageRoute, pageRoute } from '../page-route.ts';

const VIEW = 'billing.view';

/** All within `/billing`, which is a document of its own. */
export const BILLING_ROUTES: readonly PageRoute[] = [
  pageRoute(BILLING_PATH, VIEW, async () => (await import('./overview-page.tsx')).OverviewPage),
  pageRoute(`${BILLING_PATH}/plan`, VIEW, async () => (await import('./plan-page.tsx')).PlanPage),
  pageRoute(`${BILLING_PATH}/payments`, VIEW, async () => (await import('./payments-page.tsx')).PaymentsPage),
  pageRoute(`${BILLING_PATH}/ledger`, VIEW, async () => (await import('./ledger-page.tsx')).LedgerPage),
  pageRoute(`${BILLING_PATH}/usage`, VIEW, async () => (await import('./usage-page.tsx')).UsagePage),
];
