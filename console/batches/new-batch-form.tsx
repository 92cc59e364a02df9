import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { formProblemText } from '../data/problem-text.ts';
import { type Agent, type ContactUpload, postBatches } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { SelectField, TextField } from '../ui/fields.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { CallerNumbers } from './caller-numbers.tsx';
import { ContactFile } from './contact-file.tsx';
import { CostPanel } from './cost-panel.tsx';
import { bodyOf, emptyBatch, type NewBatchValues } from './new-batch-values.ts';
import { RetryFields } from './retry-fields.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import { Step } from './step.tsx';

interface NewBatchFormProps {
  agents: readonly Agent[];
  /** Of the workspace. */
  zone: string;
}

export function NewBatchForm({ agents, zone }: NewBatchFormProps) {
  const { query, route } = useLocation();
  const client = useQueryClient();
  const asked = agents.find(({ id }) => id === query.agent) ?? agents.find(({ status }) => status === 'active');
  const form = useForm<NewBatchValues>(emptyBatch((asked ?? agents[0]!).id, zone));
  const [upload, setUpload] = useState<ContactUpload | null>(null);
  const [missing, setMissing] = useState<{ upload?: string; time?: string }>({});
  const { values, set, errors } = form;
  const agent = agents.find(({ id }) => id === values.agent_id)!;
  const sent = useRef({ body: '', key: '' });
  const body = () => bodyOf(values, upload?.id ?? 'UPLOAD_ID');

  const making = useMutation({
    mutationFn: () => {
      // The same request that is sent again, because no answer came, makes no second batch.
      const text = JSON.stringify(body());
      if (sent.current.body !== text) sent.current = { body: text, key: crypto.randomUUID() };
      return ok(postBatches(body(), { idempotencyKey: sent.current.key }));
    },
    onSuccess: (batch) => {
      client.setQueryData(['batch', batch.id], batch);
      void client.invalidateQueries({ queryKey: ['batches'] });
      form.reset(values);
      toast(batch.status === 'scheduled' ? t('The batch is scheduled.') : t('The batch has started.'));
      route(`/batches/${batch.id}`);
    },
    onError: (error) => form.showErrors(error),
  });

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (making.isPending) return;
    const later = values.when === 'later' && values.scheduled_at === '';
    const found = {
      ...(!upload && { upload: t('Choose the file with the contacts first.') }),
      ...(later && { time: t('Choose when the calls begin.') }),
    };
    setMissing(found);
    if (Object.keys(found).length === 0) making.mutate();
  }

  const isIncomplete = (missing.upload && !upload) || (missing.time && values.scheduled_at === '');
  return (
    <form class="batch-form" onSubmit={submit} noValidate>
      <LeaveGuard changed={(form.changed || upload !== null) && !making.isSuccess} />
      <Step number={1} title={t('Who calls')}>
        <div class="form-row">
          <SelectField
            label={t('Agent')}
            value={values.agent_id}
            onChange={(id) => set('agent_id', id)}
            options={agents.map(({ id, name, status }) => ({
              value: id,
              label: status === 'active' ? name : t('{{name}} (does not call now)', { name }),
            }))}
            error={errors.agent_id}
          />
          <TextField
            label={t('Name of the batch')}
            hint={t('Only you see it. Without one it is called after the day.')}
            value={values.name}
            onChange={(name) => set('name', name)}
            maxLength={120}
            error={errors.name}
          />
        </div>
        <CallerNumbers
          agent={agent}
          chosen={values.from_numbers}
          onChange={(numbers) => set('from_numbers', numbers)}
          error={errors.from_numbers}
        />
      </Step>
      <Step number={2} title={t('Whom')}>
        <ContactFile
          upload={upload}
          onUpload={setUpload}
          variables={agent.variables}
          error={upload ? undefined : (missing.upload ?? errors.upload_id)}
        />
      </Step>
      <Step number={3} title={t('When')}>
        <ScheduleFields form={form} agent={agent} missing={values.scheduled_at === '' ? missing.time : undefined} />
      </Step>
      <Step number={4} title={t('How often')}>
        <RetryFields form={form} />
      </Step>
      <Step number={5} title={t('Start')}>
        <TextField
          label={t('Webhook of this batch')}
          hint={t('Gets the events of its calls, signed with the default secret. May be empty.')}
          type="url"
          placeholder="https://"
          value={values.webhook_url}
          onChange={(url) => set('webhook_url', url)}
          error={errors.webhook_url}
        />
        <CostPanel agentId={agent.id} contacts={upload?.valid_rows ?? 0} attempts={values.max_attempts ?? 1} />
        <p class="error" role="alert">
          {formProblemText(making.error)}
          {(isIncomplete || Object.keys(errors).length > 0) && t('Something above is missing or wrong.')}
        </p>
        <div class="buttons">
          <button type="submit" class="primary" aria-disabled={making.isPending}>
            {making.isPending
              ? t('One moment…')
              : values.when === 'later'
                ? t('Schedule the calls')
                : t('Start calling')}
          </button>
          <CopyCurl call={(opts) => postBatches(body(), {}, opts)} />
        </div>
      </Step>
    </form>
  );
}
