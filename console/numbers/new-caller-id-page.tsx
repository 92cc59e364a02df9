import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { formProblemText } from '../data/problem-text.ts';
import { uploadFetch } from '../data/requests.ts';
import {
  postCallerId as postRequest,
  getNumbers as readNumbers,
  getCallerId as readRequests,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { BackIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { TextField } from '../ui/fields.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { dataUrlOf, LogoImage } from './logo.tsx';
import { LogoField } from './logo-field.tsx';
import { NumberChoices } from './number-choices.tsx';
import { isOpenRequest, logoError } from './number-texts.ts';
import './numbers.css';

/** Asks that phones show a name and a logo for numbers of the workspace. */
export function NewCallerIdPage() {
  const numbers = useQuery({ queryKey: ['numbers'], queryFn: ({ signal }) => ok(readNumbers({}, { signal })) });
  const requests = useQuery({ queryKey: ['caller-ids'], queryFn: ({ signal }) => ok(readRequests({}, { signal })) });
  const taken = new Set(requests.data?.filter(isOpenRequest).flatMap((request) => request.numbers));
  const active = numbers.data?.filter(({ status }) => status === 'active').map(({ number }) => number);
  return (
    <main class="wide-page">
      <a class="back" href="/numbers/caller-ids">
        <BackIcon /> {t('All caller ids')}
      </a>
      <Heading title={t('Request a caller id')} />
      {active && requests.data ? (
        active.length === 0 ? (
          <Nothing title={t('There is no active number that could show it.')}>
            <a href="/numbers/buy">{t('Buy a number')}</a>
          </Nothing>
        ) : (
          <RequestForm numbers={active} taken={taken} />
        )
      ) : numbers.isError || requests.isError ? (
        <Problem
          error={numbers.error ?? requests.error}
          what={t('the numbers')}
          onRetry={() => void Promise.all([numbers.refetch(), requests.refetch()])}
        />
      ) : (
        <Loading what={t('the numbers')} />
      )}
    </main>
  );
}

interface RequestFormProps {
  numbers: readonly string[];
  /** Those of other open requests. */
  taken: ReadonlySet<string>;
}

function RequestForm({ numbers, taken }: RequestFormProps) {
  const client = useQueryClient();
  const { route } = useLocation();
  const form = useForm({ numbers: [] as string[], display_name: '', call_reason: '' });
  const [logo, setLogo] = useState<File | null>(null);
  const [picture, setPicture] = useState('');
  const [wrongLogo, setWrongLogo] = useState('');
  useEffect(() => {
    setPicture('');
    if (logo && logoError(logo) === '') void dataUrlOf(logo).then(setPicture);
  }, [logo]);
  // Without a logo the part is left out, so that the API says what is missing.
  const body = () => ({ ...form.values, ...(logo && { logo }) }) as Parameters<typeof postRequest>[0];
  const sending = useMutation({
    mutationFn: () => ok(postRequest(body(), {}, { fetch: uploadFetch(() => {}) })),
    onSuccess: ({ display_name }) => {
      void client.invalidateQueries({ queryKey: ['caller-ids'] });
      toast(t('The request for {{name}} was sent.', { name: display_name }));
      route('/numbers/caller-ids');
    },
    onError: (error) => void form.showErrors(error),
  });
  function submit(event: SubmitEvent) {
    event.preventDefault();
    const wrong = logo ? logoError(logo) : t('Choose a PNG or JPG file.');
    setWrongLogo(wrong);
    if (wrong === '' && !sending.isPending) sending.mutate();
  }
  const numberError = Object.entries(form.errors).find(([path]) => /^numbers(\.|$)/.test(path))?.[1];
  return (
    <div class="caller-id-columns">
      <form class="form" noValidate onSubmit={submit}>
        <TextField
          label={t('Name')}
          hint={t('What the called person reads: at most 32 characters.')}
          value={form.values.display_name}
          onChange={(value) => form.set('display_name', value)}
          error={form.errors.display_name}
          maxLength={32}
        />
        <TextField
          label={t('Reason of the call')}
          hint={t('Shown beside the name: at most 200 characters.')}
          placeholder={t('About your appointment')}
          value={form.values.call_reason}
          onChange={(value) => form.set('call_reason', value)}
          error={form.errors.call_reason}
          maxLength={200}
        />
        <LogoField
          file={logo}
          onChange={(file) => {
            setLogo(file);
            sending.reset();
            setWrongLogo(file ? logoError(file) : '');
          }}
          error={wrongLogo || form.errors.logo}
        />
        <NumberChoices
          numbers={numbers}
          taken={taken}
          chosen={form.values.numbers}
          onChange={(chosen) => form.set('numbers', chosen)}
          error={numberError}
        />
        <p class="quiet hint">
          {t(
            'Our team looks at the request. A fee for 30 days is taken from the approval on, unless the plan includes it.',
          )}
        </p>
        <p class="error" role="alert">
          {formProblemText(sending.error)}
        </p>
        <div class="buttons">
          <button type="submit" class="primary" aria-disabled={sending.isPending}>
            {sending.isPending ? t('One moment…') : t('Send the request')}
          </button>
          <CopyCurl call={(opts) => postRequest(body(), {}, opts)} />
        </div>
      </form>
      <section class="panel" aria-labelledby="preview-title">
        <h2 id="preview-title">{t('How phones may show it')}</h2>
        <div class="caller-id-shown preview">
          <LogoImage src={picture} name={form.values.display_name} />
          <div class="row-text">
            <strong>{form.values.display_name || t('Name')}</strong>
            <span class="quiet">{form.values.call_reason || t('Reason of the call')}</span>
          </div>
        </div>
      </section>
      <LeaveGuard changed={(form.changed || logo !== null) && !sending.isPending && !sending.isSuccess} />
    </div>
  );
}
