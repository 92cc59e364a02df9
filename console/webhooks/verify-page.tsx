import { useLocation } from 'preact-iso';
import { withFilter } from '../calls/call-filters.ts';
import { Heading } from '../heading.tsx';
import { t } from '../texts/texts.ts';
import { CopyButton } from '../ui/copy.tsx';
import { CodeText } from './code-text.tsx';
import { VERIFY_EXAMPLES } from './verify-examples.ts';
import { WebhookTabs } from './webhook-tabs.tsx';
import './webhooks.css';

/** How a server finds out that a request comes from the service, with code for it. */
export function VerifyPage() {
  const { path, query, route } = useLocation();
  const chosen = VERIFY_EXAMPLES.find(({ name }) => name === query.language) ?? VERIFY_EXAMPLES[0]!;
  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={t('Check signatures')} />
      </div>
      <WebhookTabs />
      <section class="panel" aria-labelledby="rules-title">
        <h2 id="rules-title">{t('How a request is signed')}</h2>
        <ol class="rules">
          <li>
            {t('The header is')} <code>X-Svc-Signature: t=1764147600,v1=5f2b…</code>
          </li>
          <li>
            {t(
              'v1 is the HMAC-SHA256, in hex, of t, a full stop and the body as it arrived, before it is read as JSON. The key is the whole secret, with whsec_ at its beginning.',
            )}
          </li>
          <li>{t('Refuse what is older than five minutes, and compare in constant time.')}</li>
          <li>{t('Answer with 2xx within 10 seconds, and do the work after.')}</li>
        </ol>
      </section>
      <section class="panel" aria-labelledby="code-title">
        <div class="page-head code-head">
          <h2 id="code-title">{t('Code that checks it')}</h2>
          <CopyButton text={chosen.code}>{t('Copy the code')}</CopyButton>
        </div>
        <fieldset class="languages">
          <legend class="hidden-title">{t('Language')}</legend>
          {VERIFY_EXAMPLES.map(({ name, title }) => (
            <label key={name}>
              <input
                type="radio"
                name="language"
                checked={name === chosen.name}
                onChange={() => route(withFilter(path, query, 'language', name), true)}
              />
              {title}
            </label>
          ))}
        </fieldset>
        <CodeText label={t('Code in {{language}}', { language: chosen.title })} text={chosen.code} />
      </section>
    </main>
  );
}
