import { useCallback, useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { hangUpCall, placeWebCall, readEvents } from '../api.ts';
import { type BrowserCall, startCall } from '../call/call-client.ts';
import { placeCallError } from '../error-messages.ts';
import { type AudioLevels, createAudioLevels } from './audio-levels.ts';
import { canStart, isLive, READY, reduceCallState, timelineIsComplete } from './call-state.ts';
import { listMicrophones, type Microphone, openMicrophone, storeMicrophone } from './microphone.ts';

const POLL_INTERVAL_MS = 500;
/** The last events come after the end; then nobody waits any longer. */
const POLL_AFTER_END_MS = 30_000;

/** One agent's call on this page: microphone, sound, messages and timeline, brought together. */
export function useCall(agentId: string, onSignedOut: () => void) {
  const [state, dispatch] = useReducer(reduceCallState, READY);
  const [microphones, setMicrophones] = useState<Microphone[]>([]);
  const [microphone, setMicrophone] = useState('');
  const call = useRef<BrowserCall | null>(null);
  const track = useRef<MediaStreamTrack | null>(null);
  const levels = useRef<AudioLevels | null>(null);
  const voice = useRef<HTMLAudioElement>(null);
  /** Of the press that is being carried out: what comes of an earlier one is not wanted any more. */
  const attempt = useRef(0);

  const release = useCallback(() => {
    track.current?.stop();
    track.current = null;
    levels.current?.close();
    levels.current = null;
    if (voice.current) voice.current.srcObject = null;
    call.current = null;
  }, []);

  const useTrack = useCallback((opened: MediaStreamTrack) => {
    track.current?.stop();
    track.current = opened;
    levels.current?.listen('user', opened);
    setMicrophone(opened.getSettings().deviceId ?? '');
    opened.onended = () => dispatch({ type: 'told', trouble: 'The microphone went away. Choose another one below.' });
  }, []);

  const begin = useCallback(
    async (values: Record<string, string>) => {
      if (!canStart(state)) return;
      attempt.current += 1;
      const own = attempt.current;
      const gone = () => attempt.current !== own;
      dispatch({ type: 'pressed' });
      // First: a refused microphone must not hold a slot.
      const opened = await openMicrophone();
      if (typeof opened === 'string') {
        if (!gone()) dispatch({ type: 'refused', trouble: opened });
        return;
      }
      if (gone()) {
        opened.stop();
        return;
      }
      levels.current = createAudioLevels();
      useTrack(opened);
      void listMicrophones().then(setMicrophones);
      dispatch({ type: 'placing' });
      const placed = await placeWebCall(agentId, values);
      if (gone()) {
        // Not wanted any more: its slot is for the next one.
        if (placed.ok) void hangUpCall(placed.value.call.id);
        return;
      }
      if (!placed.ok) {
        release();
        dispatch({ type: 'refused', trouble: placeCallError(placed) });
        if (placed.status === 401) onSignedOut();
        return;
      }
      dispatch({ type: 'placed', call_id: placed.value.call.id });
      const { id } = placed.value.call;
      const { url, ice_servers } = placed.value.session;
      call.current = startCall({
        url,
        iceServers: ice_servers,
        track: opened,
        onEvent(news) {
          if (gone()) return;
          if (news.type === 'agent_sound') {
            levels.current?.listen('agent', news.track);
            if (voice.current) {
              voice.current.srcObject = new MediaStream([news.track]);
              voice.current.play().catch(() => {
                dispatch({
                  type: 'told',
                  trouble: 'This browser plays no sound by itself: press anywhere on the page.',
                });
                addEventListener('pointerdown', () => void voice.current?.play(), { once: true });
              });
            }
          }
          dispatch({ type: 'news', news, now_ms: Date.now() });
          if (news.type === 'ended') {
            release();
            // The engine may never have heard of it.
            if (news.reason === 'could not connect') void hangUpCall(id);
          }
        },
      });
    },
    [agentId, release, onSignedOut, state, useTrack],
  );

  const hangUp = useCallback(() => {
    if (call.current) {
      call.current.hangUp();
      return;
    }
    // Before there is a call: whatever comes of the press is dropped.
    attempt.current += 1;
    release();
    dispatch({ type: 'news', news: { type: 'ended', reason: 'caller hung up' }, now_ms: Date.now() });
  }, [release]);

  const mute = useCallback((muted: boolean) => {
    call.current?.mute(muted);
    dispatch({ type: 'muted', muted });
  }, []);

  const chooseMicrophone = useCallback(
    async (id: string) => {
      storeMicrophone(id);
      setMicrophone(id);
      if (!call.current) return;
      const own = attempt.current;
      const opened = await openMicrophone(id);
      if (typeof opened === 'string') {
        dispatch({ type: 'told', trouble: opened });
        return;
      }
      if (attempt.current !== own || !call.current) {
        opened.stop();
        return;
      }
      // The new one first: the old track must not end before it is replaced.
      await call.current.replaceMicrophone(opened);
      useTrack(opened);
      dispatch({ type: 'told', trouble: null });
    },
    [useTrack],
  );

  useEffect(() => {
    const refresh = () => void listMicrophones().then(setMicrophones);
    refresh();
    navigator.mediaDevices?.addEventListener('devicechange', refresh);
    return () => {
      navigator.mediaDevices?.removeEventListener('devicechange', refresh);
      attempt.current += 1;
      call.current?.hangUp();
      release();
    };
  }, [release]);

  const { callId, phase: stage } = state;
  const live = isLive(stage);
  const complete = timelineIsComplete(state.events);
  useEffect(() => {
    if (!callId || complete) return;
    const until = live ? Number.POSITIVE_INFINITY : performance.now() + POLL_AFTER_END_MS;
    let timer: ReturnType<typeof setTimeout>;
    let stopped = false;
    const poll = async () => {
      const answer = await readEvents(callId);
      if (stopped) return;
      if (answer.ok) dispatch({ type: 'events', items: answer.value });
      if (performance.now() < until) timer = setTimeout(poll, POLL_INTERVAL_MS);
    };
    void poll();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [callId, live, complete]);

  const press = useCallback((digit: string) => call.current?.sendDigit(digit), []);
  return { state, begin, hangUp, mute, press, microphones, microphone, chooseMicrophone, levels, voice };
}
