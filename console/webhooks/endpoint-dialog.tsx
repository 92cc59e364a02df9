import { ok, type RequestOpts } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { formProblemText } from '../data/problem-text.ts';
import {
  getWebhooksEvents,
  patchWebhooksEndpointId as patchEndpoint,
  postWebhooks,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { useConfirmed } from '../ui/confirmed.tsx';
import { CopyCurl } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, TextField } from '../ui/fields.tsx';
import { Problem } from '../ui/states.tsx';
import { useForm } from '../ui/use-form.ts';
import { eventText } from './event-texts.ts';

type Body = Required<Pick<Parameters<typeof postWebhooks>[0], 'url' | 'description' | 'events'>>;
type Subscription = Body['events'][number];

interface EndpointDialogProps {
  /** Null: a new one. */
  endpoint: WebhookEndpoint | null;
  onSaved: (endpoint: WebhookEndpoint | WebhookEndpointWithSecret) => void;
  onClose: () => void;
}

/** URL, description and events of an endpoint. */
export function EndpointDialog({ endpoint, onSaved, onClose }: EndpointDialogProps) {
  const client = useQueryClient();
  const confirmed = useConfirmed();
  const form = useForm<Body>({
    url: endpoint?.url ?? 'https://',
    description: endpoint?.description ?? '',
    events: (endpoint?.events as Subscription[] | undefined) ?? ['*'],
  });
  const { values, set, errors } = form;
  const send = (opts?: RequestOpts) =>
    endpoint ? patchEndpoint(endpoint.id, values, {}, opts) : postWebhooks(values, {}, opts);
  const saving = useMutation({
    mutationFn: () =>
      confirmed.run<WebhookEndpoint | WebhookEndpointWithSecret>(() =>
        endpoint ? ok(patchEndpoint(endpoint.id, values)) : ok(postWebhooks(values)),
      ),
    onSuccess: (saved) => {
      void client.invalidateQueries({ queryKey: ['webhooks'] });
      onSaved(saved);
    },
    onError: (error) => form.showErrors(error),
  });
  return (
    <>
      <Dialog title={endpoint ? t('Edit the endpoint') : t('New endpoint')} onClose={onClose}>
        <form
          class="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!saving.isPending) saving.mutate();
          }}
        >
          <TextField
            label={t('URL')}
            hint={t('With https, on the public internet.')}
            type="url"
            value={values.url}
            onChange={(url) => set('url', url)}
            maxLength={500}
            error={errors.url}
          />
          <TextField
            label={t('Description')}
            hint={t('For you, such as the name of the system behind it.')}
            value={values.description}
            onChange={(description) => set('description', description)}
            maxLength={200}
            error={errors.description}
          />
          <EventChoice
            chosen={values.events}
            onChange={(events) => set('events', events as Subscription[])}
            error={errors.events}
          />
          <p class="error" role="alert">
            {formProblemText(saving.error)}
          </p>
          <div class="buttons">
            <button type="submit" class="primary" aria-disabled={saving.isPending}>
              {saving.isPending ? t('One moment…') : endpoint ? t('Save') : t('Create')}
            </button>
            <button type="button" class="secondary" onClick={onClose}>
              {t('Cancel')}
            </button>
            <CopyCurl call={send} />
          </div>
        </form>
      </Dialog>
      {confirmed.dialog}
    </>
  );
}

interface EventChoiceProps {
  chosen: readonly string[];
  onChange: (events: string[]) => void;
  error?: string | undefined;
}

function EventChoice({ chosen, onChange, error }: EventChoiceProps) {
  const types = useQuery({
    queryKey: ['webhook-events'],
    queryFn: ({ signal }) => ok(getWebhooksEvents({}, { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const all = chosen.includes('*');
  const toggle = (type: string, on: boolean) =>
    onChange(on ? [...chosen, type] : chosen.filter((each) => each !== type));
  return (
    <fieldset class="event-choice">
      <legend>{t('Events')}</legend>
      <CheckField
        label={t('The life of every call')}
        hint={t('Queued, placed, started, ended and completed.')}
        checked={all}
        onChange={(on) => toggle('*', on)}
      />
      {error && <p class="error">{error}</p>}
      <details open={chosen.some((type) => type !== '*')}>
        <summary>{t('Choose single events')}</summary>
        {types.isError && <Problem error={types.error} what={t('the events')} onRetry={() => void types.refetch()} />}
        <ul>
          {(types.data ?? []).map(({ type, lifecycle, description }) => (
            <li key={type}>
              <CheckField
                label={type}
                hint={eventText(type, description)}
                checked={chosen.includes(type) || (all && lifecycle)}
                disabled={all && lifecycle}
                onChange={(on) => toggle(type, on)}
              />
            </li>
          ))}
        </ul>
      </details>
    </fieldset>
  );
}
