import { keyedRoute, type PageRoute } from '../page-route.ts';

export const AGENT_TEST_ROUTES: readonly PageRoute[] = [
  keyedRoute(
    '/agents/:agent_id/tests',
    'agents.view',
    'agent_id',
    async () => (await import('./tests-page.tsx')).TestsPage,
  ),
  // Before the address of a scenario, of which it would be one otherwise.
  keyedRoute(
    '/agents/:agent_id/tests/new',
    'agents.edit',
    'agent_id',
    async () => (await import('./scenario-edit-page.tsx')).ScenarioEditPage,
  ),
  keyedRoute(
    '/agents/:agent_id/tests/:scenario_id',
    'agents.view',
    'scenario_id',
    async () => (await import('./scenario-page.tsx')).ScenarioPage,
  ),
  keyedRoute(
    '/agents/:agent_id/tests/:scenario_id/edit',
    'agents.edit',
    'scenario_id',
    async () => (await import('./scenario-edit-page.tsx')).ScenarioEditPage,
  ),
];
