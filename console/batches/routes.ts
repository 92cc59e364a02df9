import type { PageRoute } from '../page-route.ts';

export const BATCH_ROUTES: readonly PageRoute[] = [];
