import { useMutation, useQuery } from '@tanstack/preact-query';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { download, readRecording } from '../api.ts';
import { saveFile } from '../data/save-file.ts';
import { PauseIcon, PlayIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { lengthText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import type { Mark } from './call-marks.ts';
import type { Playhead } from './playhead.ts';
import type { Peaks } from './read-peaks.ts';
import type { SpokenLine } from './spoken-lines.ts';
import { VoiceTrack } from './voice-track.tsx';

/** Reads the recording once; the browser keeps it while the page is open. */
export const useRecording = (callId: string, recorded: boolean) =>
  useQuery({
    queryKey: ['recording', callId],
    queryFn: ({ signal }) => readRecording(callId, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    enabled: recorded,
  });

export interface RecordingPlayer {
  playFrom(seconds: number): void;
}

interface RecordingProps {
  recording: ReturnType<typeof useRecording>;
  /** Null while they are read; `failed` when the file is none that they can be read from. */
  peaks: Peaks | 'failed' | null;
  lines: readonly SpokenLine[];
  marks: readonly Mark[];
  player: { current: RecordingPlayer | null };
  playhead: Playhead;
  callId: string;
  fileName: string;
}

/** The recording: both voices over time, what happened meanwhile on the same axis, and what plays it. */
export function Recording({ recording, ...player }: RecordingProps) {
  return (
    <section class="panel recording" aria-labelledby="recording-title">
      <h2 id="recording-title">{t('Recording')}</h2>
      {recording.data ? (
        <Player file={recording.data} {...player} />
      ) : recording.isError ? (
        <Problem error={recording.error} what={t('the recording')} onRetry={() => void recording.refetch()} />
      ) : (
        <Loading what={t('the recording')} />
      )}
    </section>
  );
}

const SPEEDS = [1, 1.25, 1.5, 2];

function Player({
  file,
  peaks,
  lines,
  marks,
  player,
  playhead,
  callId,
  fileName,
}: { file: Blob } & Omit<RecordingProps, 'recording'>) {
  const audio = useRef<HTMLAudioElement>(null);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [seconds, setSeconds] = useState(0);
  const url = useMemo(() => URL.createObjectURL(file), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);

  const smaller = useMutation({
    mutationFn: async () => {
      const saved = await download(`/calls/${callId}/recording?format=opus`, `${fileName}.ogg`);
      if (!saved) toast(t('The file could not be made. Try again in a moment.'), { tone: 'error' });
    },
  });

  const play = () => {
    // Refused only where the browser wants a click first, which this is.
    void audio.current?.play().catch(() => setPlaying(false));
  };
  const seek = (to: number) => {
    if (!audio.current) return;
    audio.current.currentTime = Math.max(0, Math.min(to, audio.current.duration || to));
    playhead.move(audio.current.currentTime);
  };
  const toggle = () => (audio.current?.paused ? play() : audio.current?.pause());

  useEffect(() => {
    player.current = {
      playFrom(from) {
        seek(from);
        play();
      },
    };
    return () => {
      player.current = null;
    };
  });

  useEffect(() => {
    let frame = 0;
    const follow = () => {
      const { currentTime = 0 } = audio.current ?? {};
      if (currentTime !== playhead.seconds) playhead.move(currentTime);
      frame = requestAnimationFrame(follow);
    };
    frame = requestAnimationFrame(follow);
    return () => cancelAnimationFrame(frame);
  }, [playhead]);

  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript below is its caption */}
      <audio
        ref={audio}
        src={url}
        preload="auto"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPlaying(false)}
        onLoadedMetadata={(event) => setSeconds(event.currentTarget.duration)}
      />
      <div class="player">
        <button type="button" class="round" aria-label={playing ? t('Pause') : t('Play')} onClick={toggle}>
          {playing ? <PauseIcon /> : <PlayIcon />}
        </button>
        <PlayedTime playhead={playhead} seconds={seconds} />
        <label class="speed">
          <span>{t('Speed')}</span>
          <select
            value={String(speed)}
            onChange={(event) => {
              const chosen = Number(event.currentTarget.value);
              setSpeed(chosen);
              if (audio.current) audio.current.playbackRate = chosen;
            }}
          >
            {SPEEDS.map((each) => (
              <option key={each} value={String(each)}>
                {each}×
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="plain" onClick={() => saveFile(file, `${fileName}.wav`)}>
          {t('Download recording')}
        </button>
        <button type="button" class="plain" aria-disabled={smaller.isPending} onClick={() => smaller.mutate()}>
          {smaller.isPending ? t('One moment…') : t('As a small file (Opus)')}
        </button>
      </div>
      {seconds > 0 && <VoiceTrack {...{ peaks, lines, marks, seconds, playhead }} onSeek={seek} onToggle={toggle} />}
    </>
  );
}

function PlayedTime({ playhead, seconds }: { playhead: Playhead; seconds: number }) {
  const [shown, setShown] = useState(Math.floor(playhead.seconds));
  useEffect(() => playhead.follow((at) => setShown(Math.floor(at))), [playhead]);
  return (
    <span class="played">
      {lengthText(shown)} / {lengthText(seconds)}
    </span>
  );
}
