import type { PageRoute } from '../page-route.ts';

export const NUMBER_ROUTES: readonly PageRoute[] = [];
