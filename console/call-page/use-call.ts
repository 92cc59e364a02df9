import { HttpError, ok } from '@oazapfts/runtime';
import { useCallback, useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { detailOf } from '../api.ts';
import { type BrowserCall, startCall } from '../call/call-client.ts';
import { placeCallError } from '../call/call-errors.ts';
import {
  type Call,
  postCallsCallIdHangup as hangUpCall,
  postAgentsAgentIdWebCall as placeWebCall,
  getCallsCallIdEvents as readEvents,
  type WebCall,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { type AudioLevels, createAudioLevels } from './audio-levels.ts';
import { canStart, isLive, READY, reduceCallState, timelineIsComplete } from './call-state.ts';
import { listMicrophones, type Microphone, openMicrophone, storeMicrophone } from './microphone.ts';

const POLL_INTERVAL_MS = 500;
/** The last events arrive after the end; polling stops after this time. */
const POLL_AFTER_END_MS = 30_000;

const isPlaced = (answer: unknown): answer is WebCall => !(answer instanceof Error);

interface CallOptions {
  agentId: string;
  onSignedOut: () => void;
  /** The call has its id. */
  onPlaced: (callId: string) => void;
}

/** The call of one agent: microphone, audio, signalling and timeline. */
export function useCall({ agentId, onSignedOut, onPlaced }: CallOptions) {
  const [state, dispatch] = useReducer(reduceCallState, READY);
  const [microphones, setMicrophones] = useState<Microphone[]>([]);
  const [microphone, setMicrophone] = useState('');
  const call = useRef<BrowserCall | null>(null);
  const track = useRef<MediaStreamTrack | null>(null);
  const levels = useRef<AudioLevels | null>(null);
  const agentAudio = useRef<HTMLAudioElement>(null);
  /** Number of the current attempt; results of an earlier one are dropped. */
  const attempt = useRef(0);

  const release = useCallback(() => {
    track.current?.stop();
    track.current = null;
    levels.current?.close();
    levels.current = null;
    if (agentAudio.current) agentAudio.current.srcObject = null;
    call.current = null;
  }, []);

  const useTrack = useCallback((opened: MediaStreamTrack) => {
    track.current?.stop();
    track.current = opened;
    levels.current?.listen('user', opened);
    setMicrophone(opened.getSettings().deviceId ?? '');
    opened.onended = () =>
      dispatch({ type: 'message', error: t('The microphone went away. Choose another one below.') });
  }, []);

  const start = useCallback(
    async (values: Record<string, string>) => {
      if (!canStart(state)) return;
      attempt.current += 1;
      const own = attempt.current;
      const gone = () => attempt.current !== own;
      dispatch({ type: 'pressed' });
      // The microphone comes first: a denied one must not hold a call slot.
      const opened = await openMicrophone('', t);
      if (typeof opened === 'string') {
        if (!gone()) dispatch({ type: 'failed', error: opened });
        return;
      }
      if (gone()) {
        opened.stop();
        return;
      }
      levels.current = createAudioLevels();
      useTrack(opened);
      void listMicrophones(t).then(setMicrophones);
      dispatch({ type: 'placing' });
      const placed = await ok(placeWebCall(agentId, { user_data: values })).catch((error: unknown) => error);
      if (gone()) {
        // The attempt was canceled: free its call slot.
        if (isPlaced(placed)) void hangUpCall(placed.call.id).catch(() => null);
        return;
      }
      if (!isPlaced(placed)) {
        release();
        const status = placed instanceof HttpError ? placed.status : 0;
        const detail = placed instanceof HttpError ? detailOf(placed.data?.detail) : '';
        dispatch({ type: 'failed', error: placeCallError({ status, detail }, t) });
        if (status === 401) onSignedOut();
        return;
      }
      const { id } = placed.call;
      dispatch({ type: 'placed', call_id: id });
      onPlaced(id);
      const { url, ice_servers } = placed.session;
      call.current = startCall({
        url,
        iceServers: ice_servers as RTCIceServer[],
        track: opened,
        onEvent(event) {
          if (gone()) return;
          if (event.type === 'agent_audio') {
            levels.current?.listen('agent', event.track);
            if (agentAudio.current) {
              agentAudio.current.srcObject = new MediaStream([event.track]);
              agentAudio.current.play().catch(() => {
                dispatch({
                  type: 'message',
                  error: t('This browser does not play audio by itself: press anywhere on the page.'),
                });
                addEventListener('pointerdown', () => void agentAudio.current?.play(), { once: true });
              });
            }
          }
          dispatch({ type: 'call_event', event, now_ms: Date.now() });
          if (event.type === 'ended') {
            release();
            // The engine may not know the call, and then cannot end it.
            if (event.reason === 'could not connect') void hangUpCall(id).catch(() => null);
          }
        },
      });
    },
    [agentId, release, onPlaced, onSignedOut, state, useTrack],
  );

  const hangUp = useCallback(() => {
    if (call.current) {
      call.current.hangUp();
      return;
    }
    // The call is not placed yet: its attempt is dropped.
    attempt.current += 1;
    release();
    dispatch({ type: 'call_event', event: { type: 'ended', reason: 'caller hung up' }, now_ms: Date.now() });
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
      const opened = await openMicrophone(id, t);
      if (typeof opened === 'string') {
        dispatch({ type: 'message', error: opened });
        return;
      }
      if (attempt.current !== own || !call.current) {
        opened.stop();
        return;
      }
      // Replace first: the old track must not end before it is replaced.
      await call.current.replaceMicrophone(opened);
      useTrack(opened);
      dispatch({ type: 'message', error: null });
    },
    [useTrack],
  );

  useEffect(() => {
    const refresh = () => void listMicrophones(t).then(setMicrophones);
    refresh();
    navigator.mediaDevices?.addEventListener('devicechange', refresh);
    return () => {
      navigator.mediaDevices?.removeEventListener('devicechange', refresh);
      attempt.current += 1;
      call.current?.hangUp();
      release();
    };
  }, [release]);

  const { callId, phase } = state;
  const live = isLive(phase);
  const complete = timelineIsComplete(state.events);
  useEffect(() => {
    if (!callId || complete) return;
    const until = live ? Number.POSITIVE_INFINITY : performance.now() + POLL_AFTER_END_MS;
    let timer: ReturnType<typeof setTimeout>;
    let stopped = false;
    const poll = async () => {
      const items = await ok(readEvents(callId)).catch(() => null);
      if (stopped) return;
      if (items) dispatch({ type: 'events', items });
      if (performance.now() < until) timer = setTimeout(poll, POLL_INTERVAL_MS);
    };
    void poll();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [callId, live, complete]);

  const sendDigit = useCallback((digit: string) => call.current?.sendDigit(digit), []);
  const showPast = useCallback(
    (past: Pick<Call, 'id' | 'transcript'>) => dispatch({ type: 'past_call', call: past }),
    [],
  );
  return {
    state,
    start,
    hangUp,
    showPast,
    mute,
    sendDigit,
    microphones,
    microphone,
    chooseMicrophone,
    levels,
    agentAudio,
  };
}
