import type { PageRoute } from '../page-route.ts';

export const WEBHOOK_ROUTES: readonly PageRoute[] = [];
