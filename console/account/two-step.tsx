import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import { encode } from 'uqr';
import {
  type Account,
  postAccount2FaDisable as disable,
  postAccount2FaEnable as enable,
  postAccount2FaSetup as setUp,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CopyButton } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields.tsx';
import { toast } from '../ui/toasts.tsx';
import { isWrongCode, keyText, passwordProblemText, qrPath, twoStepText } from './account-texts.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { useAccountChanged } from './use-account.ts';

/** Two-step sign-in with an authenticator app: on, with its recovery codes, and off. */
export function TwoStep({ account }: { account: Account }) {
  const changed = useAccountChanged();
  const [open, setOpen] = useState<'on' | 'off' | null>(null);
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <>
      <section class="card" aria-labelledby="two-step-title">
        <h2 id="two-step-title">{t('Two-step sign-in')}</h2>
        <p>{twoStepText(account)}</p>
        <div class="buttons">
          {!account.authenticator && (
            <button type="button" class="primary" onClick={() => setOpen('on')}>
              {t('Set up an authenticator')}
            </button>
          )}
          {account.two_factor && (
            <button type="button" class="secondary" onClick={() => setOpen('off')}>
              {t('Switch off')}
            </button>
          )}
        </div>
      </section>
      {codes.length > 0 && <RecoveryCodes codes={codes} onStored={() => setCodes([])} />}
      {open === 'on' && (
        <SetUp
          onClose={() => setOpen(null)}
          onDone={(made) => {
            setCodes(made);
            setOpen(null);
            changed();
          }}
        />
      )}
      {open === 'off' && <SwitchOff onClose={() => setOpen(null)} />}
    </>
  );
}

interface SetUpProps {
  onDone: (codes: readonly string[]) => void;
  onClose: () => void;
}

/** Asks for the password, shows the key as a QR code, and takes the first code. */
function SetUp({ onDone, onClose }: SetUpProps) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  // What is entered is passed along: a mutation keeps the function of the drawing before for a moment.
  const begin = useMutation({ mutationFn: (body: { password: string }) => ok(setUp(body)) });
  const finish = useMutation({
    mutationFn: (body: { code: string }) => ok(enable(body)),
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
  });
  const step = begin.data ? finish : begin;

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (step.isPending) return;
    if (begin.data) finish.mutate({ code: code.trim() });
    else begin.mutate({ password });
  }

  const error = step.isError ? passwordProblemText(step.error) : undefined;
  return (
    <Dialog title={t('Set up an authenticator')} onClose={onClose}>
      <form class="form" onSubmit={submit} noValidate>
        {begin.data ? (
          <>
            <p>{t('Scan this with your authenticator app, or enter the key in it.')}</p>
            <QrCode text={begin.data.otpauth_url} />
            <p class="secret">
              <code>{keyText(begin.data.secret)}</code> <CopyButton text={begin.data.secret} />
            </p>
            <TextField
              key="code"
              label={t('Code')}
              hint={t('The six digits that the app shows now.')}
              autocomplete="one-time-code"
              maxLength={40}
              value={code}
              onChange={setCode}
              error={error}
            />
          </>
        ) : (
          <TextField
            key="password"
            label={t('Your password')}
            type="password"
            autocomplete="current-password"
            value={password}
            onChange={setPassword}
            error={error}
          />
        )}
        <div class="buttons">
          <button type="submit" class="primary" aria-disabled={step.isPending}>
            {step.isPending ? t('One moment…') : begin.data ? t('Switch on') : t('Continue')}
          </button>
          <button type="button" class="plain" onClick={onClose}>
            {t('Cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Dark on white in both themes, since not every app reads the reverse. */
function QrCode({ text }: { text: string }) {
  const { data, size } = useMemo(() => encode(text, { border: 3, ecc: 'M' }), [text]);
  return (
    <svg
      class="qr-code"
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
      role="img"
      aria-label={t('QR code')}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={qrPath(data)} fill="#000" />
    </svg>
  );
}

/** Takes the password and a code; passkeys go with it. */
function SwitchOff({ onClose }: { onClose: () => void }) {
  const changed = useAccountChanged();
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const off = useMutation({
    mutationFn: (body: { password: string; code: string }) => ok(disable(body)),
    onSuccess: () => {
      changed();
      void client.invalidateQueries({ queryKey: ['passkeys'] });
      toast(t('Two-step sign-in is off.'));
      onClose();
    },
  });

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (!off.isPending) off.mutate({ password, code: code.trim() });
  }

  const wrongCode = off.isError && isWrongCode(off.error);
  const error = off.isError ? passwordProblemText(off.error) : undefined;
  return (
    <Dialog title={t('Switch two-step sign-in off')} onClose={onClose}>
      <form class="form" onSubmit={submit} noValidate>
        <p>{t('Your password is enough to sign in then. Your passkeys and recovery codes are removed.')}</p>
        <TextField
          label={t('Your password')}
          type="password"
          autocomplete="current-password"
          value={password}
          onChange={setPassword}
          error={wrongCode ? undefined : error}
        />
        <TextField
          label={t('Code')}
          hint={t('Of your authenticator, or one of your recovery codes.')}
          autocomplete="one-time-code"
          maxLength={40}
          value={code}
          onChange={setCode}
          error={wrongCode ? error : undefined}
        />
        <div class="buttons">
          <button type="submit" class="danger" aria-disabled={off.isPending}>
            {off.isPending ? t('One moment…') : t('Switch off')}
          </button>
          <button type="button" class="plain" onClick={onClose}>
            {t('Cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
