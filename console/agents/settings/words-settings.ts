import { t } from '../../texts/texts.ts';
import type { Setting } from './setting-kinds.ts';

/** What the agent says, by itself and at the end of a call. */
export const wordsSettings = (): Record<string, Setting> => ({
  name: { kind: 'text', label: t('Name'), hint: t('For you and your team. Callers do not see it.'), maxLength: 120 },
  status: {
    kind: 'choice',
    label: t('Status'),
    hint: t('A paused agent takes no calls and makes none.'),
    options: [
      { value: 'active', label: t('Active') },
      { value: 'paused', label: t('Paused') },
    ],
  },
  avatar: { kind: 'own', label: t('Picture') },
  welcome_message: {
    kind: 'area',
    label: t('Welcome'),
    hint: t(
      'What the agent says first. Empty: it waits for the caller. {name} stands for a value given with the call.',
    ),
    ...{ maxLength: 2_000, rows: 3 },
  },
  system_prompt: {
    kind: 'area',
    label: t('Prompt'),
    hint: t('Who the agent is, what it should achieve, what it must not say. Write as to a new colleague.'),
    ...{ maxLength: 60_000, rows: 16 },
  },
  'call.filler_after_ms': {
    kind: 'number',
    label: t('A phrase after'),
    hint: t(
      'Said when the model or a tool takes longer. 0: the agent waits in silence. 1,000 to 2,000 suit most calls.',
    ),
    ...{ min: 0, max: 10_000, step: 100, unit: t('ms') },
  },
  'call.filler_phrases': { kind: 'own', label: t('Phrases') },
  'call.check_user_online': {
    kind: 'check',
    label: t('Ask a silent caller'),
    hint: t('When the caller says nothing for a while, the agent asks once.'),
  },
  'call.user_online_message': { kind: 'text', label: t('Question to a silent caller'), maxLength: 2_000 },
  'call.user_online_after_seconds': {
    kind: 'number',
    label: t('Silence before the question'),
    ...{ min: 3, max: 60, unit: t('seconds') },
  },
  'call.hangup_message': {
    kind: 'area',
    label: t('Last words'),
    hint: t('Said before the agent hangs up because the conversation is over. Empty: the model chooses its words.'),
    ...{ maxLength: 2_000, rows: 2 },
  },
  'call.hangup_interruptible': {
    kind: 'check',
    label: t('The caller can talk over the last words'),
    hint: t('The call then goes on.'),
  },
  'call.hangup_on_prompt': {
    kind: 'check',
    label: t('Check after each answer whether the conversation is over'),
    hint: t('The agent also hangs up by itself when it thinks so. This check is stricter, and costs a little more.'),
  },
  'call.hangup_prompt': {
    kind: 'area',
    label: t('Question of the check'),
    hint: t('It must be answered by Yes or No, such as: Did the caller say goodbye?'),
    ...{ maxLength: 4_000, rows: 3 },
  },
});
