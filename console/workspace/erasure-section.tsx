import { ok } from '@oazapfts/runtime';
import { useState } from 'preact/hooks';
import { postWorkspaceErasures } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { useConfirmed } from '../ui/confirmed.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { FormEnd, onSubmit } from './form-end.tsx';
import { useChange } from './use-change.ts';

/** Erases the calls with a person who asks for that; only for owners. */
export function ErasureSection() {
  const form = useForm({ number: '' });
  const [asking, setAsking] = useState(false);
  const confirmed = useConfirmed();
  const { number } = form.values;
  const erasing = useChange({
    change: () => confirmed.run(() => ok(postWorkspaceErasures({ number }))),
    reads: ['calls', 'workspace-exports'],
    what: t('the calls'),
    form,
    onDone: ({ calls }) => {
      form.reset({ number: '' });
      toast(tn('{{count}} call is being erased.', '{{count}} calls are being erased.', calls));
    },
  });
  return (
    <section class="panel" aria-labelledby="erasure-title">
      <h2 id="erasure-title">{t('Erase the calls with a person')}</h2>
      <p class="quiet">
        {t(
          'Recordings, transcripts, timelines, deliveries and logs of all calls with this number. What they cost stays.',
        )}
      </p>
      <form class="form" onSubmit={onSubmit(() => setAsking(true))}>
        <TextField
          label={t('Number of the person')}
          hint={t('With its country code, such as +919811112222.')}
          type="tel"
          value={number}
          onChange={(value) => form.set('number', value.trim())}
          error={form.errors.number}
        />
        <FormEnd
          action={t('Erase')}
          busy={erasing.busy}
          problem={erasing.problem}
          call={(opts) => postWorkspaceErasures({ number }, {}, opts)}
        />
      </form>
      {asking && (
        <ConfirmDialog
          title={t('Erase all calls with {{number}}?', { number })}
          action={t('Erase')}
          onConfirm={() => {
            setAsking(false);
            erasing.send();
          }}
          onClose={() => setAsking(false)}
        >
          {t('This cannot be undone. Archives of the workspace are removed too, because the calls are in them.')}
        </ConfirmDialog>
      )}
      {confirmed.dialog}
    </section>
  );
}
