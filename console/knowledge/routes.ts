import type { PageRoute } from '../page-route.ts';

export const KNOWLEDGE_ROUTES: readonly PageRoute[] = [];
