import type { ComponentChildren } from 'preact';

interface ScrollAreaProps {
  label: string;
  class: string;
  children: ComponentChildren;
}

/** What scrolls by itself, such as a wide table; with the keyboard too. */
export const ScrollArea = ({ label, class: name, children }: ScrollAreaProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus, the keyboard could not scroll it
  <section class={name} aria-label={label} tabIndex={0}>
    {children}
  </section>
);
