import { t } from '../texts/texts.ts';
import { Tabs } from '../ui/tabs.tsx';

/** The pages about numbers. */
export const NumbersTabs = () => (
  <Tabs
    label={t('Numbers')}
    tabs={[
      { href: '/numbers', text: t('Numbers') },
      { href: '/numbers/caller-ids', text: t('Caller ids') },
    ]}
  />
);
