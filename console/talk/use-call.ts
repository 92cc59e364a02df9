import { useCallback, useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { hangUpCall, placeWebCall, readEvents } from '../api.ts';
import { type BrowserCall, startCall } from '../call/call-client.ts';
import { createLevels, type Levels } from './levels.ts';
import { listMicrophones, type Microphone, openMicrophone, rememberMicrophone } from './microphone.ts';
import { isLive, mayBegin, READY, talkAfter, timelineIsWhole } from './talk-state.ts';
import { placingTrouble } from './trouble.ts';

const POLL_MS = 500;
/** The last events come after the end; then nobody waits any longer. */
const AFTER_END_MS = 30_000;

/** One agent's call on this page: microphone, sound, messages and timeline, brought together. */
export function useCall(agentId: string, onSignedOut: () => void) {
  const [state, happen] = useReducer(talkAfter, READY);
  const [microphones, setMicrophones] = useState<Microphone[]>([]);
  const [microphone, setMicrophone] = useState('');
  const call = useRef<BrowserCall | null>(null);
  const track = useRef<MediaStreamTrack | null>(null);
  const levels = useRef<Levels | null>(null);
  const voice = useRef<HTMLAudioElement>(null);
  /** Of the press that is being carried out: what comes of an earlier one is not wanted any more. */
  const attempt = useRef(0);

  const letGo = useCallback(() => {
    track.current?.stop();
    track.current = null;
    levels.current?.close();
    levels.current = null;
    if (voice.current) voice.current.srcObject = null;
    call.current = null;
  }, []);

  const take = useCallback((opened: MediaStreamTrack) => {
    track.current?.stop();
    track.current = opened;
    levels.current?.listen('user', opened);
    setMicrophone(opened.getSettings().deviceId ?? '');
    opened.onended = () => happen({ type: 'told', trouble: 'The microphone went away. Choose another one below.' });
  }, []);

  const begin = useCallback(
    async (values: Record<string, string>) => {
      if (!mayBegin(state)) return;
      attempt.current += 1;
      const own = attempt.current;
      const gone = () => attempt.current !== own;
      happen({ type: 'pressed' });
      // First: a refused microphone must not hold a slot.
      const opened = await openMicrophone();
      if (typeof opened === 'string') {
        if (!gone()) happen({ type: 'refused', trouble: opened });
        return;
      }
      if (gone()) {
        opened.stop();
        return;
      }
      levels.current = createLevels();
      take(opened);
      void listMicrophones().then(setMicrophones);
      happen({ type: 'placing' });
      const placed = await placeWebCall(agentId, values);
      if (gone()) {
        // Not wanted any more: its slot is for the next one.
        if (placed.ok) void hangUpCall(placed.value.call.id);
        return;
      }
      if (!placed.ok) {
        letGo();
        happen({ type: 'refused', trouble: placingTrouble(placed) });
        if (placed.status === 401) onSignedOut();
        return;
      }
      happen({ type: 'placed', call_id: placed.value.call.id });
      const { id } = placed.value.call;
      const { url, ice_servers } = placed.value.session;
      call.current = startCall({
        url,
        iceServers: ice_servers,
        track: opened,
        onNews(news) {
          if (gone()) return;
          if (news.type === 'agent_sound') {
            levels.current?.listen('agent', news.track);
            if (voice.current) {
              voice.current.srcObject = new MediaStream([news.track]);
              voice.current.play().catch(() => {
                happen({ type: 'told', trouble: 'This browser plays no sound by itself: press anywhere on the page.' });
                addEventListener('pointerdown', () => void voice.current?.play(), { once: true });
              });
            }
          }
          happen({ type: 'news', news, now_ms: Date.now() });
          if (news.type === 'ended') {
            letGo();
            // The engine may never have heard of it.
            if (news.reason === 'could not connect') void hangUpCall(id);
          }
        },
      });
    },
    [agentId, letGo, onSignedOut, state, take],
  );

  const hangUp = useCallback(() => {
    if (call.current) {
      call.current.hangUp();
      return;
    }
    // Before there is a call: whatever comes of the press is dropped.
    attempt.current += 1;
    letGo();
    happen({ type: 'news', news: { type: 'ended', reason: 'caller hung up' }, now_ms: Date.now() });
  }, [letGo]);

  const mute = useCallback((muted: boolean) => {
    call.current?.mute(muted);
    happen({ type: 'muted', muted });
  }, []);

  const chooseMicrophone = useCallback(
    async (id: string) => {
      rememberMicrophone(id);
      setMicrophone(id);
      if (!call.current) return;
      const own = attempt.current;
      const opened = await openMicrophone(id);
      if (typeof opened === 'string') {
        happen({ type: 'told', trouble: opened });
        return;
      }
      if (attempt.current !== own || !call.current) {
        opened.stop();
        return;
      }
      // The new one first: the old track must not end before it is replaced.
      await call.current.speakWith(opened);
      take(opened);
      happen({ type: 'told', trouble: null });
    },
    [take],
  );

  useEffect(() => {
    const refresh = () => void listMicrophones().then(setMicrophones);
    refresh();
    navigator.mediaDevices?.addEventListener('devicechange', refresh);
    return () => {
      navigator.mediaDevices?.removeEventListener('devicechange', refresh);
      attempt.current += 1;
      call.current?.hangUp();
      letGo();
    };
  }, [letGo]);

  const { callId, stage } = state;
  const live = isLive(stage);
  const whole = timelineIsWhole(state.events);
  useEffect(() => {
    if (!callId || whole) return;
    const until = live ? Number.POSITIVE_INFINITY : performance.now() + AFTER_END_MS;
    let timer: ReturnType<typeof setTimeout>;
    let stopped = false;
    const look = async () => {
      const answer = await readEvents(callId);
      if (stopped) return;
      if (answer.ok) happen({ type: 'events', items: answer.value });
      if (performance.now() < until) timer = setTimeout(look, POLL_MS);
    };
    void look();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [callId, live, whole]);

  const press = useCallback((digit: string) => call.current?.press(digit), []);
  return { state, begin, hangUp, mute, press, microphones, microphone, chooseMicrophone, levels, voice };
}
