import type { RequestOpts } from '@oazapfts/runtime';
import { ok } from '@oazapfts/runtime';
import { useSession } from '../data/session.ts';
import { patchWorkspace, patchWorkspaceProfile, type Workspace, type WorkspaceProfile } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { SelectField, TextField } from '../ui/fields.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { FormEnd, onSubmit } from './form-end.tsx';
import { useReferenceData } from './reference-data.ts';
import { useChange } from './use-change.ts';
import { choicesOf, listOf, MONTHLY_CALLS } from './workspace-texts.ts';

/** Name, time zone, and who gets emails about what needs attention. */
export function BasicsForm({ workspace }: { workspace: Workspace }) {
  const { refresh } = useSession();
  const masters = useReferenceData();
  const { name, timezone, alert_emails } = workspace;
  const form = useForm({ name, timezone, alert_emails: alert_emails.join(', ') });
  const { values, errors, set } = form;
  const call = (opts?: RequestOpts) =>
    patchWorkspace({ ...values, alert_emails: listOf(values.alert_emails) }, {}, opts);
  const saving = useChange({
    change: () => ok(call()),
    reads: ['workspace'],
    what: t('the workspace'),
    form,
    onDone: () => {
      form.reset(values);
      toast(t('Saved.'));
      // Its name stands at the side of every page.
      void refresh();
    },
  });
  const zones = masters.data ? choicesOf(masters.data.timezones, timezone) : [{ value: timezone, label: timezone }];
  const emailError = Object.entries(errors).find(([path]) => path.startsWith('alert_emails'))?.[1];
  return (
    <section class="panel" aria-labelledby="basics-title">
      <h2 id="basics-title">{t('Name and time zone')}</h2>
      <form class="form" onSubmit={onSubmit(() => saving.send())} noValidate>
        <TextField
          label={t('Name')}
          value={values.name}
          error={errors.name}
          maxLength={120}
          onChange={(value) => set('name', value)}
        />
        <SelectField
          label={t('Time zone')}
          hint={t('Days of statistics and reports begin at its midnight.')}
          value={values.timezone}
          error={errors.timezone}
          options={zones}
          onChange={(value) => set('timezone', value)}
        />
        <TextField
          label={t('Emails for alerts')}
          hint={t('Up to five, with commas between them. Without any, the owner gets them.')}
          value={values.alert_emails}
          error={emailError}
          onChange={(value) => set('alert_emails', value)}
        />
        <FormEnd action={t('Save')} busy={saving.busy} problem={saving.problem} call={call} />
      </form>
      <LeaveGuard changed={form.changed} />
    </section>
  );
}

/** What the workspace says of its business. */
export function ProfileForm({ profile }: { profile: WorkspaceProfile }) {
  const masters = useReferenceData().data;
  const form = useForm(profile);
  const { values, errors, set } = form;
  const call = (opts?: RequestOpts) => patchWorkspaceProfile(values, {}, opts);
  const saving = useChange({
    change: () => ok(call()),
    reads: ['workspace'],
    what: t('the workspace'),
    form,
    onDone: () => {
      form.reset(values);
      toast(t('Saved.'));
    },
  });
  const text = (name: keyof WorkspaceProfile, label: string, type: 'text' | 'url' | 'tel' = 'text') => (
    <TextField
      label={label}
      type={type}
      value={values[name]}
      error={errors[name]}
      maxLength={200}
      onChange={(value) => set(name, value)}
    />
  );
  const choice = (name: keyof WorkspaceProfile, label: string, list: Parameters<typeof choicesOf>[0]) => (
    <SelectField
      label={label}
      value={values[name]}
      error={errors[name]}
      options={[{ value: '', label: t('Not said') }, ...choicesOf(list, values[name])]}
      onChange={(value) => set(name, value)}
    />
  );
  return (
    <section class="panel" aria-labelledby="profile-title">
      <h2 id="profile-title">{t('About the business')}</h2>
      <form class="form" onSubmit={onSubmit(() => saving.send())} noValidate>
        <div class="form-row">
          {text('company_name', t('Company'))}
          {text('website', t('Website'), 'url')}
          {choice('industry', t('Industry'), masters?.industries ?? [])}
          {choice('use_case', t('What the calls are for'), masters?.use_cases ?? [])}
          {choice('team_size', t('Size of the team'), masters?.team_sizes ?? [])}
          {choice('monthly_calls', t('Calls in a month'), MONTHLY_CALLS)}
          {text('phone', t('Phone'), 'tel')}
          {choice('country', t('Country'), masters?.countries ?? [])}
        </div>
        <FormEnd action={t('Save profile')} busy={saving.busy} problem={saving.problem} call={call} />
      </form>
      <LeaveGuard changed={form.changed} />
    </section>
  );
}
