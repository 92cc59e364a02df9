import { ok } from '@oazapfts/runtime';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type BrowserCall, startCall } from '../call/call-client.ts';
import { openMicrophone } from '../call-page/microphone.ts';
import { changeProblemText } from '../data/problem-text.ts';
import {
  postCallsCallIdListen as listen,
  postCallsCallIdTakeOver as takeOver,
  postCallsCallIdWhisper as whisper,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { toast } from '../ui/toasts.tsx';

export type Part = 'listen' | 'take_over' | 'join' | 'whisper';

/** The person's own part in the call, over this browser: it ends with the page, with the call, or by `leave`. */
export function useLiveAudio(callId: string) {
  const [part, setPart] = useState<Part | null>(null);
  const call = useRef<BrowserCall | null>(null);
  const track = useRef<MediaStreamTrack | null>(null);
  const audio = useRef<HTMLAudioElement>(null);

  function release(): void {
    track.current?.stop();
    track.current = null;
    call.current = null;
    if (audio.current) audio.current.srcObject = null;
    setPart(null);
  }

  async function begin(wanted: Part): Promise<void> {
    const microphone = wanted === 'listen' ? null : await openMicrophone('', t);
    if (typeof microphone === 'string') {
      toast(microphone, { tone: 'error' });
      return;
    }
    track.current = microphone;
    setPart(wanted);
    try {
      const open = { listen: () => listen(callId), whisper: () => whisper(callId) }[wanted as 'listen' | 'whisper'];
      const session = await ok(open ? open() : takeOver(callId, { keep_agent: wanted === 'join' }));
      call.current = startCall({
        url: session.url,
        iceServers: session.ice_servers as RTCIceServer[],
        track: microphone,
        onEvent(event) {
          if (event.type === 'agent_audio' && audio.current) {
            audio.current.srcObject = new MediaStream([event.track]);
            void audio.current.play();
          }
          if (event.type === 'ended') release();
        },
      });
    } catch (error) {
      release();
      toast(changeProblemText(error), { tone: 'error' });
    }
  }

  useEffect(
    () => () => {
      call.current?.hangUp();
      track.current?.stop();
    },
    [],
  );
  return { part, begin, leave: () => call.current?.hangUp(), audio };
}

interface LiveAudioButtonsProps {
  callId: string;
  /** Somebody of the team speaks to the caller: others can whisper to them. */
  isTaken: boolean;
  onHandBack: () => void;
}

/** Listens in, takes over, joins or whispers, and leaves again. */
export function LiveAudioButtons({ callId, isTaken, onHandBack }: LiveAudioButtonsProps) {
  const { part, begin, leave, audio } = useLiveAudio(callId);
  const [asking, setAsking] = useState(false);
  return (
    <div class="buttons">
      {/* biome-ignore lint/a11y/useMediaCaption: it is a live call, whose transcript is beside it */}
      <audio ref={audio} />
      {part === null && (
        <>
          <button type="button" class="secondary" onClick={() => void begin('listen')}>
            {t('Listen in')}
          </button>
          <button type="button" class="secondary" onClick={() => setAsking(true)}>
            {t('Take over')}
          </button>
          <button type="button" class="secondary" onClick={() => void begin('join')}>
            {t('Join')}
          </button>
          {isTaken && (
            <button type="button" class="secondary" onClick={() => void begin('whisper')}>
              {t('Whisper')}
            </button>
          )}
        </>
      )}
      {part === 'listen' && (
        <button type="button" class="secondary" onClick={leave}>
          {t('Stop listening')}
        </button>
      )}
      {part === 'whisper' && (
        <button type="button" class="secondary" onClick={leave}>
          {t('Stop whispering')}
        </button>
      )}
      {(part === 'take_over' || part === 'join') && (
        <button type="button" class="primary" onClick={onHandBack}>
          {t('Hand back to the agent')}
        </button>
      )}
      {asking && (
        <ConfirmDialog
          title={t('Take over this call?')}
          action={t('Take over')}
          onConfirm={() => {
            setAsking(false);
            void begin('take_over');
          }}
          onClose={() => setAsking(false)}
        >
          {t('The agent falls silent, and the caller hears your microphone until you hand back.')}
        </ConfirmDialog>
      )}
    </div>
  );
}
