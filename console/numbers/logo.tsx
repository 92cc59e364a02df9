import { useQuery } from '@tanstack/preact-query';
import { readFile } from '../api.ts';
import { t } from '../texts/texts.ts';

/** Pictures come as data: the page may show no others, and a plain address could not name the workspace. */
export const dataUrlOf = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/** The logo of a caller-id request. */
export function Logo({ requestId, name }: { requestId: string; name: string }) {
  const logo = useQuery({
    queryKey: ['caller-id-logo', requestId],
    queryFn: async ({ signal }) => dataUrlOf(await readFile(`/caller-id/${requestId}/logo`, signal)),
    // It never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <LogoImage src={logo.data ?? ''} name={name} />;
}

export function LogoImage({ src, name }: { src: string; name: string }) {
  if (src === '') {
    return (
      <span class="logo logo-missing" aria-hidden="true">
        {name.slice(0, 1) || '?'}
      </span>
    );
  }
  return <img class="logo" src={src} alt={t('Logo of {{name}}', { name })} />;
}
