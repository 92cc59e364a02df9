import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { deleteInvitesInvite, getInvites, type Invite, type NewInvite, postInvites } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { useConfirmed } from '../ui/confirmed.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { SelectField, TextField } from '../ui/fields.tsx';
import { timeText } from '../ui/format.ts';
import { Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { FormEnd, onSubmit } from './form-end.tsx';
import { ROLES, roleName } from './roles.ts';
import { useChange } from './use-change.ts';

interface NewInviteForm {
  email: string;
  role: Invite['role'];
}

const EMPTY: NewInviteForm = { email: '', role: 'developer' };

/** Inviting people, and who was invited and has not joined yet. */
export function InvitesSection() {
  const form = useForm(EMPTY);
  const [made, setMade] = useState<NewInvite | null>(null);
  const confirmed = useConfirmed();
  const invites = useQuery({ queryKey: ['invites'], queryFn: ({ signal }) => ok(getInvites({}, { signal })) });
  const inviting = useChange({
    change: () => confirmed.run(() => ok(postInvites(form.values))),
    reads: ['invites', 'workspace-limits'],
    what: t('the invites'),
    form,
    onDone: (invite) => {
      form.reset(EMPTY);
      setMade(invite);
    },
  });
  const { values, errors, set } = form;
  return (
    <section class="panel" aria-labelledby="invite-title">
      <h2 id="invite-title">{t('Invite somebody')}</h2>
      <form class="form" onSubmit={onSubmit(() => inviting.send())} noValidate>
        <div class="form-row">
          <TextField
            label={t('Email')}
            type="email"
            value={values.email}
            error={errors.email}
            onChange={(value) => set('email', value)}
          />
          <SelectField
            label={t('Role')}
            value={values.role}
            error={errors.role}
            options={ROLES.filter((role) => role !== 'owner').map((role) => ({ value: role, label: roleName(role) }))}
            onChange={(value) => set('role', value as Invite['role'])}
          />
        </div>
        <FormEnd
          action={t('Invite')}
          busy={inviting.busy}
          problem={inviting.problem}
          call={(opts) => postInvites(values, {}, opts)}
        />
      </form>
      {made && (
        <div class="notice shown-once" role="status">
          <p>
            {t(
              'An email with a link is on its way to {{email}}. You can also send the link yourself; it is shown only now.',
              {
                email: made.email,
              },
            )}
          </p>
          <p class="secret">
            <code>{made.link}</code> <CopyButton text={made.link}>{t('Copy the link')}</CopyButton>
          </p>
        </div>
      )}
      {invites.isError && (
        <Problem error={invites.error} what={t('the invites')} onRetry={() => void invites.refetch()} />
      )}
      {invites.data && invites.data.length > 0 && (
        <>
          <h3>{t('Invited')}</h3>
          <ul class="rows" aria-label={t('Invited')}>
            {invites.data.map((invite) => (
              <InviteRow key={invite.id} invite={invite} onRevoked={() => made?.id === invite.id && setMade(null)} />
            ))}
          </ul>
        </>
      )}
      {confirmed.dialog}
    </section>
  );
}

function InviteRow({ invite, onRevoked }: { invite: Invite; onRevoked: () => void }) {
  const { id, email, role, status, invited_by, expires_at } = invite;
  const revoking = useChange({
    change: () => ok(deleteInvitesInvite(id)),
    reads: ['invites', 'workspace-limits'],
    what: t('the invites'),
    onDone: () => {
      onRevoked();
      toast(t('The invite of {{email}} is taken back.', { email }));
    },
  });
  const time = timeText(expires_at, Date.now());
  return (
    <li>
      <div class="row-text">
        <span>{email}</span>
        <span class="quiet small">
          {roleName(role)} · {t('invited by {{name}}', { name: invited_by })} ·{' '}
          {status === 'expired' ? t('expired {{time}}', { time }) : t('until {{time}}', { time })}
        </span>
        <p class="error small" role="alert">
          {revoking.problem}
        </p>
      </div>
      {status === 'expired' && <span class="chip">{t('Expired')}</span>}
      <button
        type="button"
        class="plain"
        aria-disabled={revoking.busy}
        aria-label={t('Take back the invite of {{email}}', { email })}
        onClick={() => revoking.send()}
      >
        {t('Take back')}
      </button>
    </li>
  );
}
