import { useQuery } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import { readFile } from '../api.ts';
import { money } from '../billing/money.ts';
import type { TestRun, TestRunVoice } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { latencyText, lengthText, timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { isUnfinished, noiseText, runStatus } from './run-texts.ts';

/** One run: the verdict of each criterion, what was measured aloud, the recording, and what was said. */
export function RunView({ run, agentName }: { run: TestRun; agentName: string }) {
  const { status, criteria, voice, recording_url, error, transcript } = run;
  const { text, tone } = runStatus(status);
  return (
    <div class="test-side">
      <section class="panel" aria-labelledby="result-title">
        <div class="page-head">
          <h2 id="result-title">{t('Result')}</h2>
          <span class="chip" data-tone={tone} role="status">
            {text}
          </span>
        </div>
        {isUnfinished(status) && (
          <>
            <progress aria-label={t('The run goes on')} />
            <p class="quiet">
              {status === 'queued'
                ? t('The run waits for its turn. Two run at once.')
                : t('The caller and the agent are talking. The result comes by itself.')}
            </p>
          </>
        )}
        {error && <p class="notice urgent">{error}</p>}
        <ul class="rows criteria">
          {criteria.map(({ text: criterion, passed, reason, quote }) => (
            <li key={criterion}>
              <span class="chip" data-tone={passed ? 'good' : 'bad'}>
                {passed ? t('Met') : t('Not met')}
              </span>
              <div class="row-text">
                <span>{criterion}</span>
                <span class="quiet small">{reason}</span>
                {quote && <q class="small">{quote}</q>}
              </div>
            </li>
          ))}
        </ul>
        <RunFacts run={run} />
      </section>
      {voice && <VoiceFigures voice={voice} />}
      {recording_url && <RunRecording runId={run.id} />}
      {transcript.length > 0 && <Transcript transcript={transcript} agentName={agentName} />}
    </div>
  );
}

function Facts({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function RunFacts({ run }: { run: TestRun }) {
  const { queued_at, started_by, agent_version, cost_paise, currency, usage, finished_at } = run;
  return (
    <Facts
      facts={[
        [t('Started'), timeText(queued_at, Date.now())],
        [t('By'), started_by || '–'],
        [t('Version'), String(agent_version)],
        ...(finished_at === null
          ? []
          : ([
              [t('Cost'), money(cost_paise, currency)],
              [t('Tokens'), (usage.llm_input_tokens + usage.llm_output_tokens).toLocaleString()],
            ] as const)),
      ]}
    />
  );
}

function VoiceFigures({ voice }: { voice: TestRunVoice }) {
  const ms = (value: number | null) => (value === null ? '–' : latencyText(value));
  return (
    <section class="panel" aria-labelledby="measured-title">
      <h2 id="measured-title">{t('Measured')}</h2>
      <Facts
        facts={[
          [t('Answers after'), ms(voice.first_audio_p50_ms)],
          [t('95 % within'), ms(voice.first_audio_p95_ms)],
          [t('Length'), lengthText(voice.duration_seconds)],
          [t('Both spoke at once'), latencyText(voice.talk_over_ms)],
          [t('Interruptions'), String(voice.interruptions)],
          [t('Replies broken off'), String(voice.replies_interrupted)],
          [t('Silent after'), ms(voice.stopped_after_p50_ms)],
          [t('At most'), ms(voice.stopped_after_max_ms)],
          [t('Noise'), noiseText(voice.background_noise)],
        ]}
      />
    </section>
  );
}

function RunRecording({ runId }: { runId: string }) {
  const recording = useQuery({
    queryKey: ['run-recording', runId],
    queryFn: ({ signal }) => readFile(`/test-runs/${runId}/recording`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const file = recording.data;
  const url = useMemo(() => (file ? URL.createObjectURL(file) : ''), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return (
    <section class="panel recording" aria-labelledby="recording-title">
      <h2 id="recording-title">{t('Recording')}</h2>
      {recording.isError ? (
        <Problem error={recording.error} what={t('the recording')} onRetry={() => void recording.refetch()} />
      ) : url === '' ? (
        <Loading what={t('the recording')} />
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: the transcript below is its caption
        <audio src={url} controls preload="auto" />
      )}
    </section>
  );
}

function Transcript({ transcript, agentName }: { transcript: TestRun['transcript']; agentName: string }) {
  return (
    <section class="panel" aria-labelledby="transcript-title">
      <h2 id="transcript-title">{t('Transcript')}</h2>
      <ol class="test-transcript">
        {transcript.map((line, at) =>
          line.role === 'tool' ? (
            <li key={at} data-role="tool">
              <details>
                <summary>{t('The agent called {{tool}}', { tool: line.name })}</summary>
                <pre>{JSON.stringify(line.args, null, 2)}</pre>
                {line.result && <pre>{line.result}</pre>}
              </details>
            </li>
          ) : (
            <li key={at} data-role={line.role}>
              <span class="quiet small">
                {line.role === 'agent' ? agentName : t('Caller')}{' '}
                {line.interrupted && <span class="chip">{t('interrupted')}</span>}
              </span>
              <p>{line.text}</p>
              {line.transcribed !== undefined && line.transcribed !== line.text && (
                <span class="quiet small">
                  {line.transcribed === ''
                    ? t('The transcriber wrote nothing.')
                    : t('The transcriber wrote: {{text}}', { text: line.transcribed })}
                </span>
              )}
            </li>
          ),
        )}
      </ol>
    </section>
  );
}
