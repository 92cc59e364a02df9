import { keyedRoute, type PageRoute, pageRoute } from '../page-route.ts';

export const WEBHOOK_ROUTES: readonly PageRoute[] = [
  pageRoute('/webhooks', 'keys.manage', async () => (await import('./webhooks-page.tsx')).WebhooksPage),
  pageRoute('/webhooks/deliveries', 'keys.manage', async () => (await import('./deliveries-page.tsx')).DeliveriesPage),
  keyedRoute(
    '/webhooks/deliveries/:delivery_id',
    'keys.manage',
    'delivery_id',
    async () => (await import('./delivery-page.tsx')).DeliveryPage,
  ),
  pageRoute('/webhooks/events', 'keys.manage', async () => (await import('./events-page.tsx')).EventsPage),
  pageRoute('/webhooks/verify', 'keys.manage', async () => (await import('./verify-page.tsx')).VerifyPage),
];
