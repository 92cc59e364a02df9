import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';

export interface Tab {
  href: string;
  text: string;
}

/** Pages that belong together, above what the chosen one shows. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const { path } = useLocation();
  // The longest address that fits: the first tab's often begins all others.
  const at = tabs
    .filter(({ href }) => path === href || path.startsWith(`${href}/`))
    .toSorted((a, b) => b.href.length - a.href.length)[0]?.href;
  // On a small screen it may be beside what is seen.
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const chosen = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (chosen) nav.current!.scrollLeft = chosen.offsetLeft - nav.current!.offsetLeft;
  }, [at]);
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      {tabs.map(({ href, text }) => (
        <a key={href} href={href} aria-current={href === at ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
