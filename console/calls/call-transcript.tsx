import { useEffect, useRef, useState } from 'preact/hooks';
import { saveFile } from '../data/save-file.ts';
import type { Call } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { lengthText } from '../ui/format.ts';
import { isLiveStatus } from './call-texts.ts';
import type { Playhead } from './playhead.ts';
import { lineAt, type SpokenLine } from './spoken-lines.ts';

interface CallTranscriptProps {
  call: Pick<Call, 'agent_name' | 'status'>;
  lines: readonly SpokenLine[];
  playhead: Playhead;
  /** Plays from there; absent without a recording. */
  onSeek: ((seconds: number) => void) | undefined;
  fileName: string;
}

/** What was said, in order; the line that plays is marked, and a click on a line plays it. */
export function CallTranscript({ call, lines, playhead, onSeek, fileName }: CallTranscriptProps) {
  const playing = usePlayingLine(lines, playhead);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const [box, line] = [list.current, list.current?.children[playing] as HTMLElement | undefined];
    // Only the list scrolls, not the page under the waveform.
    if (box && line) box.scrollTop = line.offsetTop - box.clientHeight / 3;
  }, [playing]);
  const nameOf = (role: SpokenLine['role']) =>
    role === 'user' ? t('Caller') : role === 'agent' ? call.agent_name || t('Agent') : t('Human agent');
  const download = () => {
    const text = lines.map(({ role, text, fromSeconds }) => {
      const time = fromSeconds === null ? '' : `${lengthText(fromSeconds)} `;
      return `${time}${nameOf(role)}: ${text}\n`;
    });
    saveFile(new Blob(text, { type: 'text/plain;charset=utf-8' }), `${fileName}.txt`);
  };
  return (
    <section class="panel" aria-labelledby="transcript-title">
      <div class="panel-head">
        <h2 id="transcript-title">{t('Transcript')}</h2>
        {lines.length > 0 && (
          <button type="button" class="plain" onClick={download}>
            {t('Download transcript')}
          </button>
        )}
      </div>
      {lines.length === 0 && (
        <p class="quiet">{isLiveStatus(call.status) ? t('What is said appears here.') : t('Nothing was said.')}</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <ol class="said" ref={list} tabIndex={0} aria-labelledby="transcript-title">
        {lines.map(({ role, text, interrupted, fromSeconds }, at) => (
          <li key={at} data-role={role} aria-current={at === playing ? 'true' : undefined}>
            <span class="speaker">
              {nameOf(role)}
              {fromSeconds !== null &&
                (onSeek ? (
                  <button
                    type="button"
                    class="plain"
                    aria-label={t('Play from {{at}}', { at: lengthText(fromSeconds) })}
                    onClick={() => onSeek(fromSeconds)}
                  >
                    {lengthText(fromSeconds)}
                  </button>
                ) : (
                  <span class="quiet">{lengthText(fromSeconds)}</span>
                ))}
              {interrupted && <span class="chip">{t('interrupted')}</span>}
            </span>
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button with the time does the same */}
            <p class="words" onClick={() => fromSeconds !== null && onSeek?.(fromSeconds)}>
              {text}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Draws anew only when another line plays. */
function usePlayingLine(lines: readonly SpokenLine[], playhead: Playhead): number {
  const [playing, setPlaying] = useState(-1);
  useEffect(() => {
    const show = (seconds: number) => setPlaying(seconds === 0 ? -1 : lineAt(lines, seconds));
    show(playhead.seconds);
    return playhead.follow(show);
  }, [lines, playhead]);
  return playing;
}
