import { keyedRoute, type PageRoute, pageRoute } from '../page-route.ts';

export const BATCH_ROUTES: readonly PageRoute[] = [
  pageRoute('/batches', 'calls.view', async () => (await import('./batches-page.tsx')).BatchesPage),
  pageRoute('/batches/queue', 'calls.view', async () => (await import('./queue-page.tsx')).QueuePage),
  pageRoute('/batches/new', 'calls.place', async () => (await import('./new-batch-page.tsx')).NewBatchPage),
  keyedRoute('/batches/:batch_id', 'calls.view', 'batch_id', async () => (await import('./batch-page.tsx')).BatchPage),
];
