import { t } from '../../texts/texts.ts';
import type { Setting } from './setting-kinds.ts';

/** How the agent listens, and when it takes its turn. */
export const listeningSettings = (): Record<string, Setting> => ({
  'transcriber.provider': { kind: 'own', label: t('Provider of the transcriber') },
  'transcriber.model': { kind: 'own', label: t('Model of the transcriber') },
  'transcriber.language': { kind: 'own', label: t('Language of the caller') },
  'transcriber.turn_detection': {
    kind: 'choice',
    label: t('When the caller pauses'),
    hint: t('How soon the agent takes a pause for the end of what the caller says.'),
    options: [
      { value: 'responsive', label: t('Answer quickly') },
      { value: 'balanced', label: t('Balanced') },
      { value: 'patient', label: t('Wait for slow speakers') },
    ],
  },
  'transcriber.endpointing_ms': {
    kind: 'number',
    label: t('Silence that ends a turn'),
    hint: t('Less makes the agent faster, and it interrupts more often. 300 suits most calls.'),
    ...{ min: 10, max: 3000, unit: 'ms' },
  },
  'transcriber.keyterms': { kind: 'own', label: t('Words to expect') },
  'transcriber.fallbacks': { kind: 'own', label: t('Transcribers in reserve') },
  'call.allow_interruptions': {
    kind: 'check',
    label: t('The caller can talk over the agent'),
    hint: t('The agent then stops and listens.'),
  },
  'call.interruption_min_words': {
    kind: 'number',
    label: t('Words that stop the agent'),
    hint: t('With 2, a short “yes” or a cough does not stop it.'),
    ...{ min: 1, max: 10 },
  },
  'call.noise_cancellation': {
    kind: 'check',
    label: t('Take noise out of the caller’s audio'),
    hint: t('For callers in traffic or in loud rooms.'),
  },
  'call.noise_cancellation_strength': {
    kind: 'number',
    label: t('Strength'),
    hint: t('Too much makes voices less clear.'),
    ...{ min: 0, max: 100, unit: '%' },
  },
  'call.dtmf_input': {
    kind: 'check',
    label: t('Take keys that the caller presses'),
    hint: t('Such as an order number, or 1 for yes.'),
  },
  'call.dtmf_wait_seconds': {
    kind: 'number',
    label: t('Pause after the last key'),
    ...{ min: 0.5, max: 10, step: 0.5, unit: t('seconds') },
  },
});
