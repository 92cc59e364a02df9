import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { type Currency, money } from '../billing/money.ts';
import { Timeline } from '../call-page/timeline.tsx';
import { Waterfall } from '../call-page/waterfall.tsx';
import { problemText } from '../data/problem-text.ts';
import {
  type Call,
  postCallsCallIdHangup as hangUp,
  getCallsCallId as readCall,
  getCallsCallIdEvents as readEvents,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { BackIcon, HangUpIcon } from '../icons.tsx';
import { latencyText, lengthText, timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { directionText, endText, isLiveStatus, isOpen, otherEnd, statusText } from './call-texts.ts';
import { CallTranscript } from './call-transcript.tsx';
import { Recording, type RecordingPlayer } from './recording.tsx';
import './calls.css';
import '../call-page/record.css';

/** A call that goes on changes all the time, one that is being analysed soon. */
const REFRESH_MS = 2_000;

/** One call: what was said and heard, how long every reply took, what happened, what it cost. */
export function CallRecordPage() {
  const { call_id = '' } = useRoute().params;
  const call = useQuery({
    queryKey: ['call', call_id],
    queryFn: ({ signal }) => ok(readCall(call_id, {}, { signal })),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data.status) ? REFRESH_MS : false),
  });
  const open = call.data !== undefined && isOpen(call.data.status);
  const events = useQuery({
    queryKey: ['call-events', call_id],
    queryFn: ({ signal }) => ok(readEvents(call_id, {}, { signal })),
    refetchInterval: open ? REFRESH_MS : false,
  });
  return (
    <main class="wide-page">
      <a class="back" href="/calls">
        <BackIcon /> All calls
      </a>
      {call.data ? (
        <CallRecord call={call.data} events={events.data ?? []} />
      ) : call.isError ? (
        <Problem error={call.error} what="this call" onRetry={() => void call.refetch()} />
      ) : (
        <Loading what="the call" />
      )}
    </main>
  );
}

interface CallRecordProps {
  call: Call;
  events: readonly Parameters<typeof Timeline>[0]['events'][number][];
}

function CallRecord({ call, events }: CallRecordProps) {
  const status = statusText(call);
  const player = useRef<RecordingPlayer | null>(null);
  const [playedSeconds, setPlayedSeconds] = useState(0);
  return (
    <>
      <div class="page-head">
        <Heading title={`Call with ${otherEnd(call)}`} />
        <span class="chip" data-tone={status.tone}>
          {status.text}
        </span>
        {isLiveStatus(call.status) && <HangUpButton callId={call.id} />}
      </div>
      <dl class="facts">
        <Fact name="Agent">
          {call.agent_id ? <a href={`/agents/${call.agent_id}`}>{call.agent_name}</a> : call.agent_name || '–'}
        </Fact>
        <Fact name="When">{timeText(call.created_at, Date.now())}</Fact>
        <Fact name="Direction">{directionText(call)}</Fact>
        <Fact name="Length">{lengthText(call.duration_seconds)}</Fact>
        <Fact name="Reply after">{call.avg_first_audio_ms === null ? '–' : latencyText(call.avg_first_audio_ms)}</Fact>
        <Fact name="Cost">{money(call.cost_paise, call.currency as Currency)}</Fact>
        <Fact name="End">{endText(call) || '–'}</Fact>
      </dl>
      {call.summary !== '' && (
        <section class="panel" aria-labelledby="summary-title">
          <h2 id="summary-title">Summary</h2>
          <p>{call.summary}</p>
        </section>
      )}
      {call.recorded && <Recording callId={call.id} player={player} onTime={setPlayedSeconds} />}
      <div class="call-columns">
        <CallTranscript
          call={call}
          playedSeconds={playedSeconds}
          {...(call.recorded && { onSeek: (seconds: number) => player.current?.playFrom(seconds) })}
        />
        <div class="call-side">
          <Waterfall events={events} />
          <Timeline events={events} />
        </div>
      </div>
    </>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function HangUpButton({ callId }: { callId: string }) {
  const client = useQueryClient();
  const hangingUp = useMutation({
    mutationFn: () => ok(hangUp(callId)),
    onSettled: () => client.invalidateQueries({ queryKey: ['call', callId] }),
  });
  return (
    <>
      <button type="button" class="secondary" disabled={hangingUp.isPending} onClick={() => hangingUp.mutate()}>
        <HangUpIcon /> Hang up
      </button>
      <p class="error" role="alert">
        {hangingUp.isError && problemText(hangingUp.error, 'this call')}
      </p>
    </>
  );
}
