import { Heading } from '../heading.tsx';
import { t } from '../texts/texts.ts';

/** In place of a page whose program could not be loaded: the browser was offline, or the service has a newer one. */
export function PageNotLoaded() {
  return (
    <main class="narrow">
      <Heading title={t('The page could not be loaded')} />
      <p class="quiet">{t('Check your connection. A newer version may also have taken its place.')}</p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        {t('Load again')}
      </button>
    </main>
  );
}
