import { t } from '../texts/texts.ts';
import { callSettings } from './settings/call-settings.ts';
import { listeningSettings } from './settings/listening-settings.ts';
import type { Setting } from './settings/setting-kinds.ts';
import { wordsSettings } from './settings/words-settings.ts';

/** What an agent's settings are called, what they do, and how they are asked for. */

let texts: Record<string, Setting> | undefined;

/** Every setting by its path. Made once: the language changes with a new page only. */
export function settings(): Record<string, Setting> {
  texts ??= { ...wordsSettings(), ...listeningSettings(), ...callSettings(), ...otherSettings() };
  return texts;
}

/** What the field at the path is called; of what lies within a list, the list's name. */
export function fieldLabel(path: string): string {
  const names = path.split('.');
  for (let count = names.length; count > 0; count--) {
    const found = settings()[names.slice(0, count).join('.')];
    if (found) return found.label;
  }
  return path;
}

const own = (label: string): Setting => ({ kind: 'own', label });

const otherSettings = (): Record<string, Setting> => ({
  'llm.provider': own(t('Provider of the model')),
  'llm.model': own(t('Model')),
  'llm.temperature': {
    kind: 'number',
    label: t('Variety'),
    hint: t('0 gives nearly the same answer every time; up to 2 for more varied ones. 0.4 suits most calls.'),
    ...{ min: 0, max: 2, step: 0.1 },
  },
  'llm.max_tokens': {
    kind: 'number',
    label: t('Longest answer'),
    hint: t('A word has one to two tokens, in Indian scripts more. On the telephone short answers are better.'),
    ...{ min: 16, max: 4096, unit: t('tokens') },
  },
  'llm.realtime': own(t('Speech to speech')),
  'voice.provider': own(t('Provider of the voice')),
  'voice.model': own(t('Model of the voice')),
  'voice.voice_id': own(t('Voice')),
  'voice.voice_name': own(t('Name of the voice')),
  'voice.language': own(t('Language it speaks')),
  'voice.speed': {
    kind: 'number',
    label: t('Speed'),
    hint: t('1 is normal, 0.6 the slowest, 1.5 the fastest. Some voices take less.'),
    ...{ min: 0.6, max: 1.5, step: 0.05 },
  },
  'voice.pronunciations': own(t('Pronunciation')),
  'voice.fallbacks': own(t('Voices in reserve')),
  'voice.by_language': own(t('Other languages')),
  tools: own(t('Tools')),
  mcp_servers: own(t('MCP servers')),
  knowledge_base_ids: own(t('Knowledge bases')),
  knowledge_mode: {
    kind: 'choice',
    label: t('How it is used'),
    options: [
      { value: 'auto', label: t('Small ones stand in the prompt as a whole, larger ones are searched') },
      { value: 'search', label: t('All are searched when they are needed') },
    ],
  },
  'analytics.summarize': {
    kind: 'check',
    label: t('Write a summary'),
    hint: t('Two or three sentences on what was said and agreed.'),
  },
  'analytics.extractions': own(t('What to find out')),
  'analytics.extraction_prompt': {
    kind: 'area',
    label: t('Further instructions'),
    hint: t('What else is to be found out, in your words. The answer is saved as JSON with the call.'),
    ...{ maxLength: 4_000, rows: 4 },
  },
  webhook_url: {
    kind: 'text',
    label: t('Webhook'),
    hint: t('The events of this agent’s calls are sent to this https address.'),
    ...{ maxLength: 500, placeholder: 'https://' },
  },
});
