import { t } from '../texts/texts.ts';
import { Tabs } from '../ui/tabs.tsx';

export const LogTabs = () => (
  <Tabs
    label={t('Kinds of logs')}
    tabs={[
      { href: '/logs', text: t('What the service did') },
      { href: '/logs/audit', text: t('Who changed what') },
    ]}
  />
);
