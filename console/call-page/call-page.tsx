import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { AgentHead, useAgent } from '../agents/agent-head.tsx';
import { endReasonText } from '../call/call-errors.ts';
import { clockTime } from '../call/clock-time.ts';
import { isOpen } from '../calls/call-texts.ts';
import { useMay, useSession } from '../data/session.ts';
import { type Agent, type Call, getCallsCallId as readCall } from '../generated/api.ts';
import { HangUpIcon, KeypadIcon, MicrophoneIcon, MutedIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Loading, Problem } from '../ui/states.tsx';
import { type CallState, isLive } from './call-state.ts';
import { Keypad } from './keypad.tsx';
import { Meters } from './meters.tsx';
import { Timeline } from './timeline.tsx';
import { Transcript } from './transcript.tsx';
import { useCall } from './use-call.ts';
import { Waterfall } from './waterfall.tsx';
import './call-panel.css';
import './record.css';

/** While the record of the call before may still change. */
const REFRESH_MS = 2_000;

/** The page where one talks to an agent: the call button, the transcript, the latencies and the timeline. */
export function CallPage() {
  const { agent_id: agentId = '' } = useRoute().params;
  const agent = useAgent(agentId);
  if (agent.data) return <CallView agent={agent.data} />;
  return (
    <main class="wide-page">
      {agent.isError ? (
        <Problem error={agent.error} what={t('the agent')} onRetry={() => void agent.refetch()} />
      ) : (
        <Loading what={t('the agent')} />
      )}
    </main>
  );
}

function CallView({ agent }: { agent: Agent }) {
  const { onSignedOut } = useSession();
  const { path, query, route } = useLocation();
  // In the address, so that the call is found again after a reload.
  const onPlaced = useCallback((id: string) => route(`${path}?call=${id}`, true), [path, route]);
  const call = useCall({ agentId: agent.id, onSignedOut, onPlaced });
  const { state } = call;
  const [values, setValues] = useState<Record<string, string>>({});
  const [keypad, setKeypad] = useState(false);
  const live = isLive(state.phase);
  const past = usePastCall(agent, state.phase === 'ready' ? (query.call ?? '') : '', call.showPast);
  const known = call.microphones.some(({ id }) => id === call.microphone);
  const connected = ['talking', 'interrupted', 'reconnecting'].includes(state.phase);

  useEffect(() => {
    if (!connected) setKeypad(false);
  }, [connected]);

  return (
    <main class="wide-page">
      <AgentHead agent={agent} />
      <LeaveGuard changed={live} title={t('Hang up and leave?')} action={t('Hang up and leave')}>
        {t('The call ends when you leave this page.')}
      </LeaveGuard>
      <div class="call-page">
        <section class="call-panel" aria-label={t('Call')} data-phase={state.phase}>
          {/* biome-ignore lint/a11y/useMediaCaption: the transcript beside it is its caption */}
          <audio ref={call.agentAudio} autoplay />
          <button
            type="button"
            class="call-button"
            aria-disabled={agent.status !== 'active' && !live}
            onClick={() => {
              if (live) call.hangUp();
              else if (agent.status === 'active') void call.start(filledIn(values));
            }}
          >
            {live ? <HangUpIcon /> : <MicrophoneIcon />}
            <span>
              {live
                ? connected
                  ? t('Hang up')
                  : t('Cancel')
                : state.phase === 'ended' || past
                  ? t('Talk again')
                  : t('Talk')}
            </span>
          </button>
          <div class="status">
            <p role="status">{statusText(state, agent)}</p>
            <Elapsed state={state} />
          </div>
          <OpenCall id={state.phase === 'ended' ? state.callId : null} past={past} />
          <Meters levels={call.levels} live={live} agentName={agent.name} muted={state.muted} />
          <p class="error" role="alert">
            {state.error}
          </p>
          {connected && (
            <div class="controls">
              <button type="button" aria-pressed={state.muted} onClick={() => call.mute(!state.muted)}>
                {state.muted ? <MutedIcon /> : <MicrophoneIcon />}
                {state.muted ? t('Unmute') : t('Mute')}
              </button>
              <button
                type="button"
                aria-expanded={keypad}
                aria-controls={keypad ? 'keypad' : undefined}
                onClick={() => setKeypad(!keypad)}
              >
                <KeypadIcon />
                {t('Keypad')}
              </button>
            </div>
          )}
          {keypad && connected && <Keypad onPress={call.sendDigit} onClose={() => setKeypad(false)} />}
          {call.microphones.length > 0 && !keypad && (
            <label class="field">
              {t('Microphone')}
              <select
                value={known ? call.microphone : ''}
                onChange={(event) => void call.chooseMicrophone(event.currentTarget.value)}
              >
                {!known && <option value="">{t('System default')}</option>}
                {call.microphones.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )}
          {!live && agent.variables.length > 0 && (
            <UserDataFields names={agent.variables} values={values} onChange={setValues} />
          )}
        </section>

        <Transcript lines={state.lines} agentName={agent.name} />

        <div class="side">
          <Waterfall events={state.events} />
          <Timeline events={state.events} />
        </div>
      </div>
    </main>
  );
}

/** Reads the call that the address names, and shows it; null: there is none with this agent. */
function usePastCall(agent: Agent, callId: string, show: (call: Call) => void): Call | null {
  const may = useMay();
  const { data } = useQuery({
    queryKey: ['call', callId],
    queryFn: ({ signal }) => ok(readCall(callId, {}, { signal })),
    enabled: callId !== '' && may('calls.view'),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data.status) ? REFRESH_MS : false),
  });
  const call = callId !== '' && data?.agent_id === agent.id ? data : null;
  useEffect(() => {
    if (call) show(call);
  }, [call, show]);
  return call;
}

/** Where the whole of a call that is over can be read. */
function OpenCall({ id, past }: { id: string | null; past: Call | null }) {
  const may = useMay();
  const callId = past?.id ?? id;
  if (callId === null || !may('calls.view')) return null;
  return (
    <p class="open-call">
      {past && t('This is the call you had: {{when}}.', { when: timeText(past.created_at, Date.now()) })}{' '}
      <a href={`/calls/${callId}`}>{t('Open the call')}</a>
    </p>
  );
}

/** Only the values that were filled in; the agent's prompt omits the others. */
function filledIn(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));
}

function statusText({ phase, endReason, muted }: CallState, { name, status, frozen_reason }: Agent): string {
  switch (phase) {
    case 'ready':
      if (status === 'paused') return t('This agent is paused. Set it active to talk to it.');
      if (status === 'frozen') {
        return t('This agent is frozen: {{reason}}.', { reason: frozen_reason || t('a rule was broken') });
      }
      return t('Press Talk and speak with {{name}}.', { name });
    case 'microphone':
      return t('Allow the microphone, please.');
    case 'placing':
    case 'connecting':
      return t('Connecting…');
    case 'talking':
      return muted ? t('You are muted.') : t('You are connected.');
    case 'interrupted':
      return t('The connection is interrupted. Waiting for the service…');
    case 'reconnecting':
      return t('The connection broke. Reconnecting…');
    case 'ended':
      return endReasonText(endReason ?? '', t);
  }
}

function Elapsed({ state: { startedAtMs, endedAtMs } }: { state: CallState }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (startedAtMs === null || endedAtMs !== null) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [startedAtMs, endedAtMs]);
  if (startedAtMs === null) return null;
  return (
    <span class="elapsed" role="timer" aria-live="off">
      {clockTime(((endedAtMs ?? now) - startedAtMs) / 1_000)}
    </span>
  );
}

interface UserDataFieldsProps {
  names: string[];
  values: Record<string, string>;
  onChange: (values: Record<string, string>) => void;
}

/** Inputs for the variables of the agent's texts: `{name}`, `{order}`. */
function UserDataFields({ names, values, onChange }: UserDataFieldsProps) {
  return (
    <fieldset class="values">
      <legend>{t('What the agent knows about you')}</legend>
      {names.map((name) => (
        <label class="field" key={name}>
          {name}
          <input
            type="text"
            maxLength={2000}
            autocomplete="off"
            value={values[name] ?? ''}
            onInput={(event) => onChange({ ...values, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
    </fieldset>
  );
}
