import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Waterfall } from '../call-page/waterfall.tsx';
import { useMay } from '../data/session.ts';
import {
  type Call,
  getCallsCallId as readCall,
  getCallsCallIdEvents as readEvents,
  type TimelineItem,
} from '../generated/api.ts';
import { BackIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { CallDeliveries } from './call-deliveries.tsx';
import { CallFacts, CallHead } from './call-head.tsx';
import { backchannelsIn, marksOfEvents } from './call-marks.ts';
import { CallOutcome } from './call-outcome.tsx';
import { isOpen } from './call-texts.ts';
import { CallTimeline } from './call-timeline.tsx';
import { CallTranscript } from './call-transcript.tsx';
import { CostPanel } from './cost-panel.tsx';
import { LiveControl } from './live-control.tsx';
import { createPlayhead } from './playhead.ts';
import { type Peaks, readPeaks, stretchesOf } from './read-peaks.ts';
import { Recording, type RecordingPlayer, useRecording } from './recording.tsx';
import { spokenLines } from './spoken-lines.ts';
import { ToolPanel } from './tool-panel.tsx';
import './calls.css';
import './call-record.css';
import '../call-page/record.css';

/** A call that goes on changes all the time, one that is being analysed soon. */
const REFRESH_MS = 2_000;

/** One call: what was said, how long every reply took, what happened, what it cost. */
export function CallRecordPage() {
  const { call_id = '' } = useRoute().params;
  const call = useQuery({
    queryKey: ['call', call_id],
    queryFn: ({ signal }) => ok(readCall(call_id, {}, { signal })),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data.status) ? REFRESH_MS : false),
  });
  const open = call.data !== undefined && isOpen(call.data.status);
  const events = useQuery({
    queryKey: ['call-events', call_id, open],
    queryFn: ({ signal }) => ok(readEvents(call_id, {}, { signal })),
    refetchInterval: open ? REFRESH_MS : false,
    placeholderData: (before) => before,
  });
  return (
    <main class="wide-page">
      <a class="back" href="/calls">
        <BackIcon /> {t('All calls')}
      </a>
      {call.data ? (
        <CallRecord call={call.data} events={events.data ?? NO_EVENTS} />
      ) : call.isError ? (
        <Problem error={call.error} what={t('this call')} onRetry={() => void call.refetch()} />
      ) : (
        <Loading what={t('the call')} />
      )}
      {call.data && events.isError && (
        <Problem error={events.error} what={t('the timeline')} onRetry={() => void events.refetch()} />
      )}
    </main>
  );
}

const NO_EVENTS: TimelineItem[] = [];

function CallRecord({ call, events }: { call: Call; events: readonly TimelineItem[] }) {
  const may = useMay();
  const player = useRef<RecordingPlayer | null>(null);
  const playhead = useMemo(createPlayhead, []);
  const recording = useRecording(call.id, call.recorded);
  const peaks = usePeaks(recording.data);
  const voices = useMemo(() => {
    if (peaks === null || peaks === 'failed') return { caller: [], agent: [] };
    const [caller = [], agent = []] = peaks.voices.map((voice) => stretchesOf(voice, peaks.windowSeconds));
    return { caller, agent };
  }, [peaks]);
  const lines = useMemo(() => spokenLines(call.transcript, events, voices.caller), [call.transcript, events, voices]);
  const marks = useMemo(() => {
    const seconds = peaks === null || peaks === 'failed' ? call.duration_seconds : peaks.seconds;
    const ofEvents = marksOfEvents(events, seconds);
    const interruptions = ofEvents.filter(({ kind }) => kind === 'interruption');
    return [...ofEvents, ...backchannelsIn(voices.caller, voices.agent, lines, interruptions)];
  }, [events, peaks, voices, lines, call.duration_seconds]);
  const onSeek = call.recorded ? (seconds: number) => player.current?.playFrom(seconds) : undefined;
  const fileName = `call-${call.created_at.slice(0, 10)}-${call.id.slice(0, 8)}`;
  return (
    <>
      <CallHead call={call} events={events} />
      <CallFacts call={call} />
      {call.recorded && (
        <Recording {...{ recording, peaks, lines, marks, player, playhead, fileName }} callId={call.id} />
      )}
      <div class="call-columns">
        <div class="call-side">
          <CallTranscript {...{ call, lines, playhead, onSeek, fileName }} />
          <CallOutcome call={call} events={events} />
        </div>
        <div class="call-side">
          {call.status === 'in-progress' && may('calls.place') && <LiveControl {...{ call, events }} />}
          <Waterfall events={events} />
          <ToolPanel events={events} />
          <CallTimeline events={events} onSeek={onSeek} />
          <CostPanel call={call} />
          {may('keys.manage') && <CallDeliveries callId={call.id} open={isOpen(call.status)} />}
        </div>
      </div>
    </>
  );
}

/** How loud the recording is, once it was read. */
function usePeaks(file: Blob | undefined): Peaks | 'failed' | null {
  const [peaks, setPeaks] = useState<Peaks | 'failed' | null>(null);
  useEffect(() => {
    if (!file) return;
    let over = false;
    readPeaks(file)
      .catch(() => 'failed' as const)
      .then((read) => {
        if (!over) setPeaks(read);
      });
    return () => {
      over = true;
    };
  }, [file]);
  return peaks;
}
