import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The page's heading: takes the focus of a new page, for screen readers, and sets the tab's title. */
export function Heading({ title, children }: { title: string; children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Antiphon`;
  }, [title]);
  useEffect(() => {
    // A form's first field may have the focus already, and a dialog keeps it.
    const within = document.activeElement?.closest('main, dialog');
    if (!within) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  );
}
