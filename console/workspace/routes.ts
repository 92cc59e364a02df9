import type { PageRoute } from '../page-route.ts';

export const WORKSPACE_ROUTES: readonly PageRoute[] = [];
