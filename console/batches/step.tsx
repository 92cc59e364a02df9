import type { ComponentChildren } from 'preact';

/** One step of a form on one page. */
export function Step({ number, title, children }: { number: number; title: string; children: ComponentChildren }) {
  return (
    <section class="panel step" aria-labelledby={`step-${number}`}>
      <h2 id={`step-${number}`}>
        <span class="step-number" aria-hidden="true">
          {number}
        </span>
        {title}
      </h2>
      {children}
    </section>
  );
}
