import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { type Currency, money } from '../billing/money.ts';
import { changeProblemText } from '../data/problem-text.ts';
import { useMay } from '../data/session.ts';
import {
  postCallsCallIdAnalyze as analyze,
  type Call,
  postCallsCallIdHangup as hangUp,
  postCallsCallIdRecordingPause as pauseRecording,
  postCallsCallIdRecordingResume as resumeRecording,
  type TimelineItem,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { HangUpIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Fact } from '../ui/fact.tsx';
import { latencyText, lengthText, timeText } from '../ui/format.ts';
import { toast } from '../ui/toasts.tsx';
import { directionText, endText, isLiveStatus, otherEnd, statusText } from './call-texts.ts';

interface CallHeadProps {
  call: Call;
  events: readonly TimelineItem[];
}

/** With whom, how it stands, and what can be done about it now. */
export function CallHead({ call, events }: CallHeadProps) {
  const status = statusText(call);
  const may = useMay();
  const [analysing, setAnalysing] = useState(false);
  const client = useQueryClient();
  const readAgain = () =>
    Promise.all(
      [
        ['call', call.id],
        ['call-events', call.id],
      ].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  const change = {
    onSettled: readAgain,
    onError: (error: Error) => toast(changeProblemText(error), { tone: 'error' }),
  };
  const ending = useMutation({ ...change, mutationFn: () => ok(hangUp(call.id)) });
  const pausing = useMutation({
    ...change,
    mutationFn: async (paused: boolean) => ok((paused ? pauseRecording : resumeRecording)(call.id)),
  });
  const again = useMutation({
    mutationFn: () => ok(analyze(call.id)),
    onSuccess: () => {
      setAnalysing(false);
      toast(t('The call was analysed again.'));
    },
    onSettled: readAgain,
  });
  const isLive = isLiveStatus(call.status);
  const mayEnd = (isLive || call.status === 'queued') && may('calls.place');
  const paused = events.findLast(({ type }) => type.startsWith('recording.'))?.type === 'recording.paused';
  const connected = call.started_at !== null && (call.status === 'completed' || call.status === 'failed');

  return (
    <div class="page-head">
      <Heading title={t('Call with {{person}}', { person: otherEnd(call) })} />
      <span class="chip" data-tone={status.tone} role="status">
        {status.text}
      </span>
      {call.status === 'queued' && call.queue_position !== null && (
        <span class="quiet">{t('Number {{count}} in the queue', { count: call.queue_position })}</span>
      )}
      <div class="head-buttons">
        {call.status === 'in-progress' && may('calls.place') && (
          <button
            type="button"
            class="secondary"
            aria-disabled={pausing.isPending}
            onClick={() => !pausing.isPending && pausing.mutate(!paused)}
          >
            {paused ? t('Resume recording') : t('Pause recording')}
          </button>
        )}
        {mayEnd && (
          <button
            type="button"
            class="danger hang-up"
            aria-disabled={ending.isPending}
            onClick={() => !ending.isPending && ending.mutate()}
          >
            <HangUpIcon /> {isLive ? t('Hang up') : t('Cancel call')}
          </button>
        )}
        {connected && may('agents.edit') && (
          <button type="button" class="secondary" onClick={() => setAnalysing(true)}>
            {t('Analyse again')}
          </button>
        )}
      </div>
      {analysing && (
        <ConfirmDialog
          title={t('Analyse this call again?')}
          action={t('Analyse')}
          busy={again.isPending}
          error={again.isError ? changeProblemText(again.error) : undefined}
          onConfirm={() => again.mutate()}
          onClose={() => setAnalysing(false)}
        >
          {t('Summary and values are replaced by what the agent now asks for. It is charged like the first analysis.')}
        </ConfirmDialog>
      )}
    </div>
  );
}

/** What is known of the call, at a glance. */
export function CallFacts({ call }: { call: Call }) {
  const end = endText(call);
  return (
    <dl class="facts">
      <Fact name={t('Agent')}>
        {call.agent_id ? <a href={`/agents/${call.agent_id}`}>{call.agent_name}</a> : call.agent_name || '–'}
        <span class="quiet"> {t('version {{version}}', { version: call.agent_version })}</span>
      </Fact>
      <Fact name={t('When')}>{timeText(call.created_at, Date.now())}</Fact>
      <Fact name={t('Direction')}>{directionText(call)}</Fact>
      {call.channel === 'phone' && (
        <Fact name={t('Numbers')}>
          {call.from_number || '–'} → {call.to_number || '–'}
        </Fact>
      )}
      {call.started_by !== '' && (
        <Fact name={t('Started by')}>
          {call.batch_id ? <a href={`/batches/${call.batch_id}`}>{call.started_by}</a> : call.started_by}
        </Fact>
      )}
      <Fact name={t('Length')}>{isLiveStatus(call.status) ? '–' : lengthText(call.duration_seconds)}</Fact>
      {call.avg_first_audio_ms !== null && <Fact name={t('Reply after')}>{latencyText(call.avg_first_audio_ms)}</Fact>}
      <Fact name={t('Cost')}>
        {isLiveStatus(call.status) ? '–' : money(call.cost_paise, call.currency as Currency)}
      </Fact>
      {call.answered_by !== null && (
        <Fact name={t('Answered by')}>{call.answered_by === 'human' ? t('A person') : t('Voicemail')}</Fact>
      )}
      {call.not_before_at !== null && call.status === 'queued' && (
        <Fact name={t('Not before')}>{timeText(call.not_before_at, Date.now())}</Fact>
      )}
      {end !== '' && <Fact name={t('Ended')}>{end}</Fact>}
      {call.transfer && (
        <Fact name={t('Transferred to')}>
          {[call.transfer.name, call.transfer.number].filter(Boolean).join(', ')}
          <span class="quiet"> {transferText(call.transfer.status)}</span>
        </Fact>
      )}
      {call.rescheduled_from && (
        <Fact name={t('Call back of')}>
          <a href={`/calls/${call.rescheduled_from}`}>{t('The call before')}</a>
        </Fact>
      )}
      {call.rescheduled_to && (
        <Fact name={t('Call back')}>
          <a href={`/calls/${call.rescheduled_to}`}>{t('The next call')}</a>
        </Fact>
      )}
    </dl>
  );
}

function transferText(status: string): string {
  const texts: Record<string, string> = {
    ringing: t('rings'),
    answered: t('answered'),
    'no-answer': t('not answered'),
    busy: t('was busy'),
    failed: t('could not be reached'),
    canceled: t('was canceled'),
  };
  return texts[status] ?? status;
}
