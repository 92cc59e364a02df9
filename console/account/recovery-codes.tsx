import { t } from '../texts/texts.ts';
import { CopyButton } from '../ui/copy.tsx';

/** The codes of two-step sign-in, which are shown once. */
export function RecoveryCodes({ codes, onStored }: { codes: readonly string[]; onStored: () => void }) {
  return (
    <section class="card recovery-codes" aria-labelledby="codes-title">
      <h2 id="codes-title">{t('Your recovery codes')}</h2>
      <p>
        {t('Each signs you in once, when your second step is not at hand.')}{' '}
        {t('They are shown only now: keep them in a safe place.')}
      </p>
      <ul>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="buttons">
        <button type="button" class="primary" onClick={onStored}>
          {t('I have stored them')}
        </button>
        <CopyButton text={codes.join('\n')} />
      </div>
    </section>
  );
}
