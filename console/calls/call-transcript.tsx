import { useEffect, useRef } from 'preact/hooks';
import type { Call } from '../generated/api.ts';
import { lengthText } from '../ui/format.ts';
import { isLiveStatus } from './call-texts.ts';

interface CallTranscriptProps {
  call: Pick<Call, 'transcript' | 'started_at' | 'agent_name' | 'status'>;
  /** Where the recording plays, from its beginning. */
  playedSeconds: number;
  /** Plays from there; absent without a recording. */
  onSeek?: (seconds: number) => void;
}

/** What was said, in order; the line that plays is marked, and a click on a line plays it. */
export function CallTranscript({ call, playedSeconds, onSeek }: CallTranscriptProps) {
  const startMs = call.started_at === null ? Number.NaN : Date.parse(call.started_at);
  const lines = call.transcript.map((line) => ({
    ...line,
    seconds: Math.max(0, (Date.parse(line.at) - startMs) / 1_000),
  }));
  const playing = playedSeconds === 0 ? -1 : lines.findLastIndex(({ seconds }) => seconds <= playedSeconds);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.children[playing]?.scrollIntoView({ block: 'nearest' });
  }, [playing]);
  return (
    <section class="panel" aria-labelledby="transcript-title">
      <h2 id="transcript-title">Transcript</h2>
      {lines.length === 0 && (
        <p class="quiet">
          {isLiveStatus(call.status) ? 'What was said appears here after the call.' : 'Nothing was said.'}
        </p>
      )}
      <ol class="said" ref={list}>
        {lines.map(({ role, text, interrupted, seconds }, at) => (
          <li key={at} data-role={role} aria-current={at === playing ? 'true' : undefined}>
            <span class="speaker">
              {role === 'user' ? 'Caller' : call.agent_name}
              {Number.isFinite(seconds) &&
                (onSeek ? (
                  <button
                    type="button"
                    class="plain"
                    aria-label={`Play from ${lengthText(seconds)}`}
                    onClick={() => onSeek(seconds)}
                  >
                    {lengthText(seconds)}
                  </button>
                ) : (
                  <span class="quiet">{lengthText(seconds)}</span>
                ))}
              {interrupted && <span class="chip">interrupted</span>}
            </span>
            <p class="words">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
