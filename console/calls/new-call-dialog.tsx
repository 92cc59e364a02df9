import { HttpError, ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { changeProblemText } from '../data/problem-text.ts';
import { getAgents, getNumbers, postAgentsAgentIdCall as placeCall } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/fields.tsx';
import { useForm } from '../ui/use-form.ts';

/** Places one call: who calls whom, and what the agent knows. It opens the call. */
export function NewCallDialog({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const client = useQueryClient();
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => ok(getAgents({}, { signal })) });
  const numbers = useQuery({ queryKey: ['numbers'], queryFn: ({ signal }) => ok(getNumbers({}, { signal })) });
  const form = useForm({ agent_id: '', to_number: '', from_number: '', user_data: {} as Record<string, string> });
  const { values, set, errors } = form;
  const active = (agents.data ?? []).filter(({ status }) => status === 'active');
  const agent = active.find(({ id }) => id === values.agent_id) ?? active[0];
  // One click is one call, also when its answer is lost and it is sent again.
  const idempotencyKey = useMemo(() => crypto.randomUUID(), [values]);
  const body = () => ({
    to_number: values.to_number.replace(/[\s().-]/g, ''),
    ...(values.from_number && { from_number: values.from_number }),
    user_data: filledIn(values.user_data, agent?.variables ?? []),
  });
  const placing = useMutation({
    mutationFn: () => ok(placeCall(agent?.id ?? '', body(), { idempotencyKey })),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: ['calls'] });
      route(`/calls/${id}`);
    },
    onError: (error) => form.showErrors(error),
  });
  const placed = Object.keys(errors).length > 0;

  return (
    <Dialog title={t('Call a number')} onClose={onClose}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (agent && !placing.isPending) placing.mutate();
        }}
      >
        {agents.data && active.length === 0 && <p class="notice">{t('No agent is active. Set one active to call.')}</p>}
        <SelectField
          label={t('Agent')}
          value={agent?.id ?? ''}
          onChange={(id) => set('agent_id', id)}
          options={active.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <TextField
          label={t('Number to call')}
          hint={t('With the country code, such as +919811112222.')}
          type="tel"
          value={values.to_number}
          onChange={(value) => set('to_number', value)}
          error={errors.to_number && t('Enter a number with its country code, such as +919811112222.')}
        />
        <SelectField
          label={t('From')}
          value={values.from_number}
          onChange={(value) => set('from_number', value)}
          options={[
            { value: '', label: t('The number of the agent') },
            ...(numbers.data ?? [])
              .filter(({ status }) => status === 'active')
              .map(({ number }) => ({ value: number, label: number })),
          ]}
          error={errors.from_number}
        />
        {(agent?.variables ?? []).map((name) => (
          <TextField
            key={name}
            label={name}
            value={values.user_data[name] ?? ''}
            onChange={(value) => set('user_data', { ...values.user_data, [name]: value })}
            error={errors[`user_data.${name}`]}
          />
        ))}
        <p class="error" role="alert">
          {placing.isError && !placed && placingProblemText(placing.error)}
        </p>
        <div class="buttons">
          <button type="submit" class="primary" aria-disabled={placing.isPending || !agent}>
            {placing.isPending ? t('One moment…') : t('Call')}
          </button>
          <button type="button" class="secondary" onClick={onClose}>
            {t('Cancel')}
          </button>
          {agent && <CopyCurl call={(opts) => placeCall(agent.id, body(), {}, opts)} />}
        </div>
      </form>
    </Dialog>
  );
}

/** The API answers 400 only where there is no number to call from. */
const placingProblemText = (error: unknown): string =>
  error instanceof HttpError && error.status === 400
    ? t('There is no number to call from. Connect one to the agent, or choose one above.')
    : changeProblemText(error);

/** Only the variables of this agent that have a value. */
const filledIn = (values: Record<string, string>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (values[name]?.trim() ? [[name, values[name]]] : [])));
