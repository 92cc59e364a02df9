import { t } from '../texts/texts.ts';
import { Tabs } from '../ui/tabs.tsx';

/** The pages about calls that are placed. */
export const BatchTabs = () => (
  <Tabs
    label={t('Outgoing calls')}
    tabs={[
      { href: '/batches', text: t('Batches') },
      { href: '/batches/queue', text: t('Queue') },
    ]}
  />
);
