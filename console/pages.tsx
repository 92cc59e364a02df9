import type { ComponentType } from 'preact';
import { Route, Router } from 'preact-iso';
import { ACCOUNT_ROUTES } from './account/routes.ts';
import { AGENT_TEST_ROUTES } from './agent-tests/routes.ts';
import { AGENT_VERSION_ROUTES } from './agent-versions/routes.ts';
import { AGENT_ROUTES } from './agents/routes.ts';
import { BATCH_ROUTES } from './batches/routes.ts';
import { BILLING_ROUTES } from './billing/routes.ts';
import { CALL_ROUTES } from './calls/routes.ts';
import { useMay } from './data/session.ts';
import { Heading } from './heading.tsx';
import { HOME_ROUTES } from './home/routes.ts';
import { KNOWLEDGE_ROUTES } from './knowledge/routes.ts';
import { LOG_ROUTES } from './logs/routes.ts';
import { NUMBER_ROUTES } from './numbers/routes.ts';
import type { PageRoute } from './page-route.ts';
import { t } from './texts/texts.ts';
import { TOOL_ROUTES } from './tools/routes.ts';
import { WEBHOOK_ROUTES } from './webhooks/routes.ts';
import { WORKSPACE_ROUTES } from './workspace/routes.ts';

/** Every page of the console, by area. */
export const PAGE_ROUTES: readonly PageRoute[] = [
  ...HOME_ROUTES,
  ...AGENT_ROUTES,
  ...AGENT_TEST_ROUTES,
  ...AGENT_VERSION_ROUTES,
  ...CALL_ROUTES,
  ...BATCH_ROUTES,
  ...KNOWLEDGE_ROUTES,
  ...TOOL_ROUTES,
  ...NUMBER_ROUTES,
  ...WEBHOOK_ROUTES,
  ...LOG_ROUTES,
  ...WORKSPACE_ROUTES,
  ...BILLING_ROUTES,
  ...ACCOUNT_ROUTES,
];

/** Its type would want to know the parts of each address. */
const AnyRoute = Route as unknown as ComponentType<Pick<PageRoute, 'path' | 'component'>>;

/** The page at the browser's address, of those that the person may see. */
export function Pages() {
  const may = useMay();
  return (
    <Router>
      {PAGE_ROUTES.filter(({ permission }) => permission === null || may(permission)).map(({ path, component }) => (
        <AnyRoute key={path} path={path} component={component} />
      ))}
      <Route default component={NoSuchPage} />
    </Router>
  );
}

function NoSuchPage() {
  return (
    <main class="narrow">
      <Heading title={t('There is no such page')} />
      <p class="quiet">{t('Or you may not see it in this workspace.')}</p>
      <a href="/">{t('To the first page')}</a>
    </main>
  );
}
