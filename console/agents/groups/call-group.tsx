import { t } from '../../texts/texts.ts';
import { SelectField } from '../../ui/fields.tsx';
import { AmbientSettings } from '../ambient-settings.tsx';
import { Section, Setting, SettingsOf } from '../setting.tsx';
import { fieldLabel } from '../settings.ts';
import type { Editor } from '../use-draft.ts';

/** Limits, hours, recording, answering machines and the background. */
export function CallGroup({ editor }: { editor: Editor }) {
  const { call } = editor.draft;
  return (
    <>
      <Section title={t('Limits')}>
        <div class="form-row">
          <Setting editor={editor} path="call.max_duration_seconds" />
          <Setting editor={editor} path="call.hangup_after_silence_seconds" />
        </div>
        <Setting editor={editor} path="call.calling_hours" />
        {call.calling_hours && (
          <div class="sub-settings">
            <div class="form-row">
              <Setting editor={editor} path="call.call_start_hour" />
              <Setting editor={editor} path="call.call_end_hour" />
            </div>
            <SelectField
              label={fieldLabel('call.timezone')}
              value={call.timezone}
              options={timeZones(call.timezone)}
              error={editor.errors['call.timezone']}
              onChange={(zone) => editor.set('call.timezone', zone)}
            />
          </div>
        )}
      </Section>
      <Section title={t('Recording and privacy')}>
        <SettingsOf editor={editor} when="call.record" paths={['call.recording_notice']} />
        {call.record && (
          <SettingsOf editor={editor} when="call.recording_pause" paths={['call.recording_pause_seconds']} />
        )}
        <Setting editor={editor} path="call.redact_cards" />
        <Setting editor={editor} path="call.redact_identity_numbers" />
      </Section>
      <Section title={t('Calls that the agent makes')}>
        <SettingsOf
          editor={editor}
          when="call.voicemail_detection"
          paths={['call.voicemail_detection_seconds', 'call.voicemail_message']}
        />
        <SettingsOf editor={editor} when="call.auto_reschedule" paths={['call.reschedule_max_days']} />
        <Setting editor={editor} path="call.caller_verification_call_reason" />
      </Section>
      <Section title={t('Background')}>
        <AmbientSettings editor={editor} />
      </Section>
    </>
  );
}

const timeZones = (present: string) =>
  [...new Set([present, ...Intl.supportedValuesOf('timeZone')])].map((zone) => ({
    value: zone,
    label: zone.replaceAll('_', ' '),
  }));
