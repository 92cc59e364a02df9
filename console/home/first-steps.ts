import { BILLING_PATH } from '../address.ts';
import { t } from '../texts/texts.ts';

/** From an empty workspace to a number that answers. */

export interface FirstStep {
  title: string;
  text: string;
  href: string;
  done: boolean;
}

export interface Workspace {
  /** Of the first agent; empty: there is none. */
  agentId: string;
  hasCalls: boolean;
  hasCredits: boolean;
  /** A number that an agent answers. */
  hasNumber: boolean;
}

export function firstSteps({ agentId, hasCalls, hasCredits, hasNumber }: Workspace): FirstStep[] {
  return [
    {
      title: t('Make an agent'),
      text: t('Say in a few words what it should do; you can change everything later.'),
      href: '/agents',
      done: agentId !== '',
    },
    {
      title: t('Talk to it'),
      text: t('Here in the browser, with your microphone.'),
      href: agentId === '' ? '/agents' : `/agents/${agentId}/talk`,
      done: hasCalls,
    },
    {
      title: t('Add credits'),
      text: t('Calls are paid from them, by the second.'),
      href: BILLING_PATH,
      done: hasCredits,
    },
    {
      title: t('Connect a number'),
      text: t('Your agent answers when somebody calls it.'),
      href: '/numbers',
      done: hasNumber,
    },
  ];
}
