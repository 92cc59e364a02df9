import { BILLING_PATH } from './address.ts';
import { t } from './texts/texts.ts';

export interface PageLink {
  href: string;
  text: string;
  permission: string | null;
  /** Pressed after `g`, it leads there. */
  key: string;
}

/** The pages that are linked at the side, in groups, for those who may see them. */
export const pageLinks = (): readonly (readonly PageLink[])[] => [
  [{ href: '/', text: t('Home'), permission: 'calls.view', key: 'h' }],
  [
    { href: '/agents', text: t('Agents'), permission: 'agents.view', key: 'a' },
    { href: '/knowledge', text: t('Knowledge'), permission: 'agents.view', key: 'k' },
    { href: '/tools', text: t('Tools'), permission: 'agents.view', key: 't' },
    { href: '/numbers', text: t('Numbers'), permission: 'agents.view', key: 'n' },
  ],
  [
    { href: '/calls', text: t('Calls'), permission: 'calls.view', key: 'c' },
    { href: '/batches', text: t('Batches'), permission: 'calls.view', key: 'b' },
  ],
  [
    { href: '/webhooks', text: t('Webhooks'), permission: 'keys.manage', key: 'w' },
    { href: '/logs', text: t('Logs'), permission: 'logs.view', key: 'l' },
  ],
  [
    { href: '/workspace', text: t('Workspace'), permission: 'agents.view', key: 's' },
    { href: BILLING_PATH, text: t('Billing'), permission: 'billing.view', key: 'p' },
    // Everybody's own.
    { href: '/account', text: t('Account'), permission: null, key: 'u' },
  ],
];
