import type { PageRoute } from '../page-route.ts';

export const LOG_ROUTES: readonly PageRoute[] = [];
