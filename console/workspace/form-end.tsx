import type { ComponentChildren } from 'preact';
import type { ApiCall } from '../data/curl.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';

interface FormEndProps {
  /** The verb on the button. */
  action: string;
  busy: boolean;
  problem: string;
  /** What the form would send. */
  call: ApiCall;
  /** Further buttons. */
  children?: ComponentChildren;
}

/** The last lines of a form: why it was refused, its button, and its request as a command line. */
export function FormEnd({ action, busy, problem, call, children }: FormEndProps) {
  return (
    <>
      <p class="error" role="alert">
        {problem}
      </p>
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled={busy}>
          {busy ? t('One moment…') : action}
        </button>
        {children}
        <CopyCurl call={call} />
      </div>
    </>
  );
}

/** Sends a form with a function in place of the browser. */
export const onSubmit = (send: () => void) => (event: SubmitEvent) => {
  event.preventDefault();
  send();
};
