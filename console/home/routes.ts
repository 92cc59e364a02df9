import type { PageRoute } from '../page-route.ts';

export const HOME_ROUTES: readonly PageRoute[] = [];
