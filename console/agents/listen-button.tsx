import { useEffect, useRef, useState } from 'preact/hooks';
import { changeProblemText } from '../data/problem-text.ts';
import { t } from '../texts/texts.ts';
import { toast } from '../ui/toasts.tsx';
import { readAudio } from './read-audio.ts';

/** What plays now; another button stops it. */
let playing: (() => void) | null = null;

/** Plays an audio file of the API; pressed again, it stops. `name` is what is listened to. */
export function ListenButton({ path, name }: { path: string; name: string }) {
  const [state, setState] = useState<'ready' | 'loading' | 'playing'>('ready');
  const stop = useRef<(() => void) | null>(null);
  useEffect(() => () => stop.current?.(), []);

  async function play() {
    playing?.();
    const ending = new AbortController();
    const audio = new Audio();
    const end = () => {
      ending.abort();
      audio.pause();
      URL.revokeObjectURL(audio.src);
      if (playing === end) playing = null;
      stop.current = null;
      setState('ready');
    };
    playing = end;
    stop.current = end;
    setState('loading');
    try {
      const file = await readAudio(path, ending.signal);
      if (ending.signal.aborted) return;
      audio.src = URL.createObjectURL(file);
      audio.onended = end;
      await audio.play();
      setState('playing');
    } catch (error) {
      if (ending.signal.aborted) return;
      end();
      toast(changeProblemText(error), { tone: 'error' });
    }
  }

  const seen = { ready: t('Listen'), loading: t('One moment…'), playing: t('Stop') }[state];
  const does = state === 'ready' ? t('Listen to {{name}}', { name }) : t('Stop {{name}}', { name });
  return (
    <button
      type="button"
      class="plain listen"
      aria-label={state === 'loading' ? `${seen} ${does}` : does}
      onClick={() => (stop.current ? stop.current() : void play())}
    >
      {seen}
    </button>
  );
}
