/** Code or JSON, which scrolls by itself; with the keyboard too. */
export const CodeText = ({ label, text }: { label: string; text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus, the keyboard could not scroll it
  <section class="body-text" aria-label={label} tabIndex={0}>
    <pre>{text}</pre>
  </section>
);
