import type { PageRoute } from '../page-route.ts';

export const AGENT_TEST_ROUTES: readonly PageRoute[] = [];
