import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { lengthText } from '../ui/format.ts';
import type { Mark, MarkKind } from './call-marks.ts';
import type { Playhead } from './playhead.ts';
import type { Peaks } from './read-peaks.ts';
import type { SpokenLine } from './spoken-lines.ts';
import { drawWaveform, slicesIn, slicesOf } from './waveform.ts';

interface VoiceTrackProps {
  peaks: Peaks | 'failed' | null;
  lines: readonly SpokenLine[];
  marks: readonly Mark[];
  /** The length of the recording. */
  seconds: number;
  playhead: Playhead;
  onSeek: (seconds: number) => void;
  onToggle: () => void;
}

const MAX_ZOOM = 64;
/** At the closest, so much is in the window. */
const LEAST_SHOWN_SECONDS = 5;
const STEP_SECONDS = 5;
const LONG_STEP_SECONDS = 30;

/** Both voices over time, and under them on the same axis what happened; clicks, drags and arrow keys go to another place. */
export function VoiceTrack({ peaks, lines, marks, seconds, playhead, onSeek, onToggle }: VoiceTrackProps) {
  const [zoom, setZoom] = useState(1);
  const scroller = useRef<HTMLDivElement>(null);
  const track = useRef<HTMLDivElement>(null);
  const cursor = useRef<HTMLDivElement>(null);
  const mayZoomIn = zoom < MAX_ZOOM && seconds / zoom > 2 * LEAST_SHOWN_SECONDS;

  useLayoutEffect(() => {
    const show = (at: number) => {
      const { current: slider } = track;
      if (!slider || !cursor.current) return;
      cursor.current.style.left = `${(100 * at) / seconds}%`;
      slider.setAttribute('aria-valuenow', String(Math.floor(at)));
      slider.setAttribute(
        'aria-valuetext',
        t('{{at}} of {{length}}', { at: lengthText(at), length: lengthText(seconds) }),
      );
    };
    show(playhead.seconds);
    return playhead.follow((at) => {
      show(at);
      if (zoom > 1 && scroller.current) keepInView(scroller.current, at / seconds);
    });
  }, [playhead, seconds, zoom]);

  // What was in the middle stays there.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element) element.scrollLeft = (playhead.seconds / seconds) * element.scrollWidth - element.clientWidth / 2;
  }, [zoom, playhead, seconds]);

  const seekTo = (clientX: number) => {
    const { left, width } = track.current!.getBoundingClientRect();
    onSeek(Math.max(0, Math.min(1, (clientX - left) / width)) * seconds);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, () => void> = {
      ArrowLeft: () => onSeek(playhead.seconds - STEP_SECONDS),
      ArrowDown: () => onSeek(playhead.seconds - STEP_SECONDS),
      ArrowRight: () => onSeek(playhead.seconds + STEP_SECONDS),
      ArrowUp: () => onSeek(playhead.seconds + STEP_SECONDS),
      PageDown: () => onSeek(playhead.seconds - LONG_STEP_SECONDS),
      PageUp: () => onSeek(playhead.seconds + LONG_STEP_SECONDS),
      Home: () => onSeek(0),
      End: () => onSeek(seconds),
      ' ': onToggle,
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  };

  return (
    <>
      <div class="track-scroll" ref={scroller}>
        <div
          class="track"
          ref={track}
          role="slider"
          tabIndex={0}
          aria-label={t('Position in the recording')}
          aria-valuemin={0}
          aria-valuemax={Math.floor(seconds)}
          aria-valuenow={0}
          style={{ width: `${100 * zoom}%` }}
          onKeyDown={onKeyDown}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            seekTo(event.clientX);
          }}
          onPointerMove={(event) => {
            if (event.currentTarget.hasPointerCapture(event.pointerId)) seekTo(event.clientX);
          }}
        >
          <Waveform peaks={peaks} seconds={seconds} scroller={scroller} zoom={zoom} />
          <Strip lines={lines} marks={marks} seconds={seconds} />
          <div class="cursor" ref={cursor} />
        </div>
      </div>
      <div class="track-foot">
        <Legend marks={marks} />
        <div class="zoom">
          <button type="button" aria-label={t('Zoom out')} disabled={zoom === 1} onClick={() => setZoom(zoom / 2)}>
            −
          </button>
          <button type="button" aria-label={t('Zoom in')} disabled={!mayZoomIn} onClick={() => setZoom(zoom * 2)}>
            +
          </button>
        </div>
      </div>
    </>
  );
}

/** Scrolls on when the cursor leaves what is seen. */
function keepInView(element: HTMLElement, share: number): void {
  const at = share * element.scrollWidth;
  const { scrollLeft, clientWidth } = element;
  if (at < scrollLeft || at > scrollLeft + clientWidth) element.scrollLeft = at - clientWidth / 10;
}

interface WaveformProps {
  peaks: Peaks | 'failed' | null;
  seconds: number;
  scroller: { current: HTMLElement | null };
  zoom: number;
}

/** Draws only what is in the window, since no browser draws a canvas of an hour. */
function Waveform({ peaks, seconds, scroller, zoom }: WaveformProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const [element, window] = [canvas.current, scroller.current];
    if (!element || !window || peaks === null || peaks === 'failed') return;
    let frame = 0;
    const draw = () => {
      frame = 0;
      const from = (window.scrollLeft / window.scrollWidth) * seconds;
      const until = from + (window.clientWidth / window.scrollWidth) * seconds;
      const slices = slicesIn(element.clientWidth);
      const colour = (name: string) => getComputedStyle(element).getPropertyValue(name);
      drawWaveform(
        element,
        peaks.voices.map((_, voice) => slicesOf(peaks, voice, from, until, slices)),
        [colour('--voice-caller'), colour('--voice-agent')],
      );
    };
    const drawSoon = () => {
      frame ||= requestAnimationFrame(draw);
    };
    const sizes = new ResizeObserver(drawSoon);
    sizes.observe(element);
    window.addEventListener('scroll', drawSoon);
    const theme = matchMedia('(prefers-color-scheme: dark)');
    theme.addEventListener('change', drawSoon);
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      window.removeEventListener('scroll', drawSoon);
      theme.removeEventListener('change', drawSoon);
    };
  }, [peaks, seconds, scroller, zoom]);

  if (peaks === 'failed') {
    return <p class="quiet no-waveform">{t('The waveform of this recording cannot be drawn here.')}</p>;
  }
  return <canvas class="waveform" ref={canvas} style={{ width: `${100 / zoom}%` }} />;
}

interface StripProps {
  lines: readonly SpokenLine[];
  marks: readonly Mark[];
  seconds: number;
}

/** Turns of both sides, and below them the events. The timeline has the same in words. */
function Strip({ lines, marks, seconds }: StripProps) {
  const place = (from: number, until: number) => ({
    left: `${(100 * from) / seconds}%`,
    width: `${(100 * Math.max(0, until - from)) / seconds}%`,
  });
  return (
    <div class="strip" aria-hidden="true">
      {lines.map(({ role, text, fromSeconds, untilSeconds }, at) =>
        fromSeconds === null || untilSeconds === null ? null : (
          <i key={at} class="turn-mark" data-role={role} title={text} style={place(fromSeconds, untilSeconds)} />
        ),
      )}
      {marks.map(({ kind, text, fromSeconds, untilSeconds }, at) => (
        <i
          key={at}
          class="event-mark"
          data-mark={kind}
          title={[markTexts()[kind], text].filter(Boolean).join(': ')}
          style={place(fromSeconds, untilSeconds)}
        />
      ))}
    </div>
  );
}

const markTexts = (): Record<MarkKind, string> => ({
  interruption: t('Interruption'),
  backchannel: t('Short word meanwhile'),
  tool: t('Tool'),
  transfer: t('Transfer'),
  keys: t('Keys pressed'),
  pause: t('Recording paused'),
  problem: t('Problem'),
});

/** What the colours mean, of what there is on this call. */
function Legend({ marks }: { marks: readonly Mark[] }) {
  const texts = markTexts();
  const seen = (Object.keys(texts) as MarkKind[]).filter((kind) => marks.some((mark) => mark.kind === kind));
  return (
    <ul class="legend" aria-hidden="true">
      <li>
        <i class="swatch" data-voice="caller" />
        {t('Caller')}
      </li>
      <li>
        <i class="swatch" data-voice="agent" />
        {t('Agent')}
      </li>
      {seen.map((kind) => (
        <li key={kind}>
          <i class="swatch" data-mark={kind} />
          {texts[kind]}
        </li>
      ))}
    </ul>
  );
}
