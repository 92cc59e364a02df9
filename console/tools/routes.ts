import type { PageRoute } from '../page-route.ts';

export const TOOL_ROUTES: readonly PageRoute[] = [];
