import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiCall, curlOf } from '../data/curl.ts';
import { t } from '../texts/texts.ts';

const SHOWN_MS = 2_000;

interface CopyButtonProps {
  text: string | (() => Promise<string>);
  children?: ComponentChildren;
}

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, children }: CopyButtonProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
      setState('copied');
    } catch {
      setState('failed');
    }
    setTimeout(() => setState('ready'), SHOWN_MS);
  };
  return (
    <button type="button" class="plain copy" onClick={copy}>
      <span role="status">{state === 'copied' ? t('Copied') : state === 'failed' ? t('Could not be copied') : ''}</span>
      {state === 'ready' && (children ?? t('Copy'))}
    </button>
  );
}

/** Copies what a form would send, as a command line; on every form. */
export const CopyCurl = ({ call }: { call: ApiCall }) => (
  <CopyButton text={() => curlOf(call, location.origin)}>{t('Copy as curl')}</CopyButton>
);

/** A secret that is shown once: it can be copied, and goes with a click. */
export function ShownOnce({ title, secret, onStored }: { title: string; secret: string; onStored: () => void }) {
  return (
    <section class="notice shown-once" aria-label={title}>
      <p>
        <strong>{title}</strong> {t('It is shown only now: keep it in a safe place.')}
      </p>
      <p class="secret">
        <code>{secret}</code> <CopyButton text={secret} />
      </p>
      <button type="button" class="secondary" onClick={onStored}>
        {t('I have stored it')}
      </button>
    </section>
  );
}
