import { t } from '../texts/texts.ts';
import type { TranscriptLine } from './call-state.ts';
import { useAutoScroll } from './use-auto-scroll.ts';

interface TranscriptProps {
  lines: readonly TranscriptLine[];
  agentName: string;
}

/** The live transcript. Screen readers get final lines only; interim text would be read repeatedly. */
export function Transcript({ lines, agentName }: TranscriptProps) {
  const follow = useAutoScroll<HTMLDivElement>(lines);

  return (
    <section class="transcript" aria-labelledby="transcript-title">
      <h2 id="transcript-title" class="hidden-title">
        {t('Transcript')}
      </h2>
      <div
        class="lines"
        {...follow}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
        tabIndex={0}
        role="log"
        aria-live="polite"
        aria-labelledby="transcript-title"
      >
        {lines.length === 0 && <p class="quiet waiting">{t('What is said appears here.')}</p>}
        {lines.map(({ key, role, text, final, interrupted }) => (
          <p key={key} class="line" data-role={role} data-final={final} aria-hidden={!final}>
            <span class="speaker">
              {role === 'user' ? t('You') : role === 'agent' ? agentName : t('Human agent')}
              {interrupted && <span class="chip">{t('talked over')}</span>}
            </span>
            <span class="words">
              {text}
              {interrupted && ' …'}
            </span>
          </p>
        ))}
      </div>
    </section>
  );
}
