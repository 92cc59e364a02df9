import { t } from '../texts/texts.ts';

/** The parts of the editor. */
export type GroupName =
  | 'words'
  | 'voice'
  | 'listening'
  | 'model'
  | 'tools'
  | 'knowledge'
  | 'transfers'
  | 'guardrails'
  | 'call'
  | 'after'
  | 'number';

export const groups = (): readonly { name: GroupName; title: string }[] => [
  { name: 'words', title: t('What it says') },
  { name: 'voice', title: t('Voice') },
  { name: 'listening', title: t('Listening') },
  { name: 'model', title: t('Model') },
  { name: 'tools', title: t('Tools') },
  { name: 'knowledge', title: t('Knowledge') },
  { name: 'transfers', title: t('Transfers') },
  { name: 'guardrails', title: t('Guardrails') },
  { name: 'call', title: t('Call') },
  { name: 'after', title: t('After the call') },
  { name: 'number', title: t('Number') },
];

/** Which group has a field; the first beginning that fits counts. */
const GROUP_OF: readonly [beginning: RegExp, group: GroupName][] = [
  [/^(name|status|avatar|welcome_message|system_prompt)\b/, 'words'],
  [/^call\.(hangup_(message|on_prompt|prompt|interruptible)|check_user_online|user_online_|filler_)/, 'words'],
  [/^voice\b/, 'voice'],
  [/^transcriber\b/, 'listening'],
  [/^call\.(allow_interruptions|interruption_|noise_|dtmf_)/, 'listening'],
  [/^llm\b/, 'model'],
  [/^(tools|mcp_servers)\b/, 'tools'],
  [/^knowledge_/, 'knowledge'],
  [/^call\.(transfer_|hold_music|handoffs)/, 'transfers'],
  [/^call\b/, 'call'],
  [/^(analytics|webhook_url)\b/, 'after'],
];

export const groupOf = (path: string): GroupName =>
  GROUP_OF.find(([beginning]) => beginning.test(path))?.[1] ?? 'words';
