import { useQuery } from '@tanstack/preact-query';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { readRecording } from '../api.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { drawWaveform, peaksOf, slicesIn } from './waveform.ts';

export interface RecordingPlayer {
  playFrom(seconds: number): void;
}

interface RecordingProps {
  callId: string;
  player: { current: RecordingPlayer | null };
  /** Called at every frame that is drawn while it plays. */
  onTime: (seconds: number) => void;
}

/** The recording as waveforms of both voices, the caller's above the agent's; a click plays from there. */
export function Recording({ callId, player, onTime }: RecordingProps) {
  const recording = useQuery({
    queryKey: ['recording', callId],
    queryFn: ({ signal }) => readRecording(callId, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section class="panel recording" aria-labelledby="recording-title">
      <h2 id="recording-title">Recording</h2>
      {recording.data ? (
        <Player file={recording.data} player={player} onTime={onTime} />
      ) : recording.isError ? (
        <Problem error={recording.error} what="the recording" onRetry={() => void recording.refetch()} />
      ) : (
        <Loading what="the recording" />
      )}
    </section>
  );
}

function Player({ file, player, onTime }: { file: Blob } & Omit<RecordingProps, 'callId'>) {
  const audio = useRef<HTMLAudioElement>(null);
  const cursor = useRef<HTMLDivElement>(null);
  const url = useMemo(() => URL.createObjectURL(file), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);

  useEffect(() => {
    player.current = {
      playFrom(seconds) {
        if (!audio.current) return;
        audio.current.currentTime = seconds;
        void audio.current.play();
      },
    };
    return () => {
      player.current = null;
    };
  }, [player]);

  useEffect(() => {
    let frame = 0;
    let shown = -1;
    const follow = () => {
      const { currentTime = 0, duration = 0 } = audio.current ?? {};
      if (currentTime !== shown && cursor.current) {
        shown = currentTime;
        cursor.current.style.left = `${duration > 0 ? (100 * currentTime) / duration : 0}%`;
        onTime(currentTime);
      }
      frame = requestAnimationFrame(follow);
    };
    frame = requestAnimationFrame(follow);
    return () => cancelAnimationFrame(frame);
  }, [onTime]);

  return (
    <>
      <div
        class="waveform"
        aria-hidden="true"
        onPointerDown={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const duration = audio.current?.duration ?? Number.NaN;
          if (Number.isFinite(duration)) player.current?.playFrom(((event.clientX - left) / width) * duration);
        }}
      >
        <Waveform file={file} />
        <div class="cursor" ref={cursor} />
      </div>
      <p class="quiet voices" aria-hidden="true">
        <span data-voice="caller">Caller</span>
        <span data-voice="agent">Agent</span>
      </p>
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript beside it is its caption */}
      <audio ref={audio} src={url} controls preload="auto" />
    </>
  );
}

/** Any rate does: only how loud it is counts. */
const DECODING_HZ = 8_000;

function Waveform({ file }: { file: Blob }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [channels, setChannels] = useState<Float32Array[] | null>(null);
  const [failed, setFailed] = useState(false);

  useEffect(() => {
    let over = false;
    void (async () => {
      try {
        const context = new OfflineAudioContext(2, 1, DECODING_HZ);
        const decoded = await context.decodeAudioData(await file.arrayBuffer());
        const voices = Array.from({ length: decoded.numberOfChannels }, (_, each) => decoded.getChannelData(each));
        if (!over) setChannels(voices);
      } catch {
        if (!over) setFailed(true);
      }
    })();
    return () => {
      over = true;
    };
  }, [file]);

  useEffect(() => {
    const element = canvas.current;
    if (!element || !channels) return;
    const draw = () => {
      const colour = (name: string) => getComputedStyle(element).getPropertyValue(name);
      drawWaveform(element, peaksOf(channels, slicesIn(element.clientWidth)), {
        voices: [colour('--voice-caller'), colour('--voice-agent')],
      });
    };
    const sizes = new ResizeObserver(draw);
    sizes.observe(element);
    const theme = matchMedia('(prefers-color-scheme: dark)');
    theme.addEventListener('change', draw);
    return () => {
      sizes.disconnect();
      theme.removeEventListener('change', draw);
    };
  }, [channels]);

  if (failed) return <p class="quiet">The waveform of this recording cannot be drawn here.</p>;
  return <canvas ref={canvas} />;
}
