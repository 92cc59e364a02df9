import { t } from '../../texts/texts.ts';
import type { Setting } from './setting-kinds.ts';

const check = (label: string, hint?: string): Setting => ({ kind: 'check', label, ...(hint && { hint }) });

/** The course of a call: limits, hours, recording, voicemail, background, transfers. */
export const callSettings = (): Record<string, Setting> => ({
  'call.max_duration_seconds': {
    kind: 'number',
    label: t('Longest call'),
    hint: t('The call ends after this long, whatever is being said.'),
    ...{ min: 30, max: 3600, unit: t('seconds') },
  },
  'call.hangup_after_silence_seconds': {
    kind: 'number',
    label: t('Hang up after silence'),
    hint: t('When nobody speaks for so long.'),
    ...{ min: 5, max: 120, unit: t('seconds') },
  },
  'call.follow_language': check(
    t('Go on in the caller’s language'),
    t('When the caller changes to another language that the service knows.'),
  ),
  'call.calling_hours': check(
    t('Call only in these hours'),
    t('For calls that the agent makes. Calls of other hours wait.'),
  ),
  'call.call_start_hour': { kind: 'number', label: t('From'), min: 0, max: 23, unit: t('o’clock') },
  'call.call_end_hour': { kind: 'number', label: t('Until'), min: 1, max: 24, unit: t('o’clock') },
  'call.timezone': { kind: 'own', label: t('Time zone of the hours') },
  'call.record': check(t('Record calls'), t('In stereo: the caller left, the agent right.')),
  'call.recording_notice': {
    kind: 'area',
    label: t('Notice of the recording'),
    hint: t('Said before the welcome. The recording begins once it was said. Empty: no notice.'),
    ...{ maxLength: 500, rows: 2 },
  },
  'call.recording_pause': check(
    t('The agent may pause the recording'),
    t('While the caller says a card number, for example.'),
  ),
  'call.recording_pause_seconds': {
    kind: 'number',
    label: t('Longest pause'),
    hint: t('The recording then goes on by itself.'),
    ...{ min: 10, max: 900, unit: t('seconds') },
  },
  'call.redact_cards': check(
    t('Remove card numbers'),
    t('With expiry dates and security codes, from transcript, events and summary. Not from the recording.'),
  ),
  'call.redact_identity_numbers': check(
    t('Remove identity numbers'),
    t('Aadhaar, PAN and US social security numbers, from the same places.'),
  ),
  'call.voicemail_detection': check(
    t('Notice answering machines'),
    t('The call ends when a machine answers, and costs little.'),
  ),
  'call.voicemail_detection_seconds': {
    kind: 'number',
    label: t('How long it listens for a machine'),
    ...{ min: 2, max: 10, unit: t('seconds') },
  },
  'call.voicemail_message': {
    kind: 'area',
    label: t('Message for the machine'),
    hint: t('Empty: nothing is left.'),
    ...{ maxLength: 1_000, rows: 2 },
  },
  'call.ambient_sound': { kind: 'own', label: t('Played below the call') },
  'call.ambient_volume': { kind: 'number', label: t('Volume'), min: 0, max: 100, unit: '%' },
  'call.caller_verification_call_reason': {
    kind: 'text',
    label: t('Reason shown to the called person'),
    hint: t('On telephones that show why somebody calls. It needs a caller ID that was approved.'),
    maxLength: 200,
  },
  'call.auto_reschedule': check(
    t('Call back when the caller asks for it'),
    t('Such as “call me tomorrow at ten”. The agent books that call.'),
  ),
  'call.reschedule_max_days': {
    kind: 'number',
    label: t('Book at most so far ahead'),
    ...{ min: 1, max: 30, unit: t('days') },
  },
  'call.transfer_enabled': check(
    t('The agent may hand the call to a person'),
    t('It does so when the caller asks, or when one of the people below fits better.'),
  ),
  'call.transfer_targets': { kind: 'own', label: t('People and teams') },
  'call.handoffs': { kind: 'own', label: t('Other agents') },
  'call.transfer_message': {
    kind: 'text',
    label: t('Said before the transfer'),
    maxLength: 300,
  },
  'call.transfer_summary': check(
    t('The person gets a summary first'),
    t('Spoken to them before the caller is connected.'),
  ),
  'call.hold_music': check(t('Music while the caller waits'), t('Instead of silence while it rings at the person.')),
});
