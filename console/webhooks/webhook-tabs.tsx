import { t } from '../texts/texts.ts';
import { Tabs } from '../ui/tabs.tsx';

export const WebhookTabs = () => (
  <Tabs
    label={t('About webhooks')}
    tabs={[
      { href: '/webhooks', text: t('Endpoints') },
      { href: '/webhooks/deliveries', text: t('Deliveries') },
      { href: '/webhooks/events', text: t('Events') },
      { href: '/webhooks/verify', text: t('Check signatures') },
    ]}
  />
);
