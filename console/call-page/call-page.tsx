import { useEffect, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Initial } from '../agents/initial.tsx';
import { readAgent } from '../api.ts';
import type { Agent } from '../api-records.ts';
import { useSession } from '../data/session.ts';
import { endReasonText } from '../error-messages.ts';
import { Heading } from '../heading.tsx';
import { BackIcon, HangUpIcon, KeypadIcon, MicrophoneIcon, MutedIcon } from '../icons.tsx';
import { type CallState, isLive } from './call-state.ts';
import { clockTime } from './event-labels.ts';
import { Keypad } from './keypad.tsx';
import { Meters } from './meters.tsx';
import { Timeline } from './timeline.tsx';
import { Transcript } from './transcript.tsx';
import { useCall } from './use-call.ts';
import { Waterfall } from './waterfall.tsx';
import './call-panel.css';
import './record.css';

/** The page of one agent: the call button, the transcript, the latencies and the timeline. */
export function CallPage() {
  const { agent_id: agentId = '' } = useRoute().params;
  const { onSignedOut } = useSession();
  const [agent, setAgent] = useState<Agent | null>(null);
  const [missing, setMissing] = useState<string | null>(null);
  useEffect(() => {
    void readAgent(agentId).then((result) => {
      if (result.ok) setAgent(result.value);
      else if (result.status === 401) onSignedOut();
      else setMissing(result.status === 404 ? 'There is no such agent.' : 'The agent could not be loaded.');
    });
  }, [agentId, onSignedOut]);

  if (missing) {
    return (
      <main class="narrow">
        <Heading title={missing} />
        <a class="back" href="/agents">
          <BackIcon /> All agents
        </a>
      </main>
    );
  }
  return agent ? <CallView agent={agent} onSignedOut={onSignedOut} /> : <p class="loading">Loading…</p>;
}

function CallView({ agent, onSignedOut }: { agent: Agent; onSignedOut: () => void }) {
  const call = useCall(agent.id, onSignedOut);
  const { state } = call;
  const [values, setValues] = useState<Record<string, string>>({});
  const [keypad, setKeypad] = useState(false);
  const live = isLive(state.phase);
  const known = call.microphones.some(({ id }) => id === call.microphone);
  const connected = state.phase === 'talking' || state.phase === 'reconnecting';

  useEffect(() => {
    if (!connected) setKeypad(false);
  }, [connected]);

  return (
    <main class="call-page">
      <div class="call-head">
        <a class="back" href="/agents">
          <BackIcon /> <span>All agents</span>
        </a>
        <div class="agent-head">
          <Initial name={agent.name} />
          <Heading title={agent.name} />
        </div>
      </div>

      <section class="call-panel" aria-label="Call" data-phase={state.phase}>
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
          <span>{live ? (connected ? 'Hang up' : 'Cancel') : state.phase === 'ended' ? 'Talk again' : 'Talk'}</span>
        </button>
        <div class="status">
          <p role="status">{statusText(state, agent)}</p>
          <Elapsed state={state} />
        </div>
        <Meters levels={call.levels} live={live} agentName={agent.name} muted={state.muted} />
        <p class="error" role="alert">
          {state.error}
        </p>
        {connected && (
          <div class="controls">
            <button type="button" aria-pressed={state.muted} onClick={() => call.mute(!state.muted)}>
              {state.muted ? <MutedIcon /> : <MicrophoneIcon />}
              {state.muted ? 'Unmute' : 'Mute'}
            </button>
            <button
              type="button"
              aria-expanded={keypad}
              aria-controls={keypad ? 'keypad' : undefined}
              onClick={() => setKeypad(!keypad)}
            >
              <KeypadIcon />
              Keypad
            </button>
          </div>
        )}
        {keypad && connected && <Keypad onPress={call.sendDigit} onClose={() => setKeypad(false)} />}
        {call.microphones.length > 0 && !keypad && (
          <label class="field">
            Microphone
            <select
              value={known ? call.microphone : ''}
              onChange={(event) => void call.chooseMicrophone(event.currentTarget.value)}
            >
              {!known && <option value="">System default</option>}
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
    </main>
  );
}

/** Only the values that were filled in; the agent's prompt omits the others. */
function filledIn(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));
}

function statusText({ phase, endReason, muted }: CallState, { name, status, frozen_reason }: Agent): string {
  switch (phase) {
    case 'ready':
      if (status === 'paused') return 'This agent is paused. Set it active to talk to it.';
      if (status === 'frozen') return `This agent is frozen: ${frozen_reason || 'a rule was broken'}.`;
      return `Press Talk and speak with ${name}.`;
    case 'microphone':
      return 'Allow the microphone, please.';
    case 'placing':
    case 'connecting':
      return 'Connecting…';
    case 'talking':
      return muted ? 'You are muted.' : 'You are connected.';
    case 'reconnecting':
      return 'The connection broke. Reconnecting…';
    case 'ended':
      return endReasonText(endReason ?? '');
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
      <legend>What the agent knows about you</legend>
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
