import { useEffect, useState } from 'preact/hooks';
import { Initial } from '../agents.tsx';
import { readAgent } from '../api.ts';
import type { Agent } from '../api-records.ts';
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

interface CallPageProps {
  agentId: string;
  onSignedOut: () => void;
}

/** One agent: its button, and everything there is to see of the call. */
export function CallPage({ agentId, onSignedOut }: CallPageProps) {
  const [agent, setAgent] = useState<Agent | null>(null);
  const [missing, setMissing] = useState<string | null>(null);
  useEffect(() => {
    void readAgent(agentId).then((answer) => {
      if (answer.ok) setAgent(answer.value);
      else if (answer.status === 401) onSignedOut();
      else setMissing(answer.status === 404 ? 'There is no such agent.' : 'The agent could not be loaded.');
    });
  }, [agentId, onSignedOut]);

  if (missing) {
    return (
      <main class="narrow">
        <Heading title={missing} />
        <a class="back" href="#/">
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
  const onLine = state.phase === 'talking' || state.phase === 'reconnecting';

  useEffect(() => {
    if (!onLine) setKeypad(false);
  }, [onLine]);

  return (
    <main class="talk">
      <div class="talk-head">
        <a class="back" href="#/">
          <BackIcon /> <span>All agents</span>
        </a>
        <div class="agent-head">
          <Initial name={agent.name} />
          <Heading title={agent.name} />
        </div>
      </div>

      <section class="stage" aria-label="Call" data-stage={state.phase}>
        {/* biome-ignore lint/a11y/useMediaCaption: the transcript beside it is its caption */}
        <audio ref={call.voice} autoplay />
        <button
          type="button"
          class="talk-button"
          aria-disabled={agent.status !== 'active' && !live}
          onClick={() => {
            if (live) call.hangUp();
            else if (agent.status === 'active') void call.begin(filledIn(values));
          }}
        >
          {live ? <HangUpIcon /> : <MicrophoneIcon />}
          <span>{live ? (onLine ? 'Hang up' : 'Cancel') : state.phase === 'ended' ? 'Talk again' : 'Talk'}</span>
        </button>
        <div class="status">
          <p role="status">{statusText(state, agent)}</p>
          <Elapsed state={state} />
        </div>
        <Meters levels={call.levels} live={live} agentName={agent.name} muted={state.muted} />
        <p class="trouble" role="alert">
          {state.error}
        </p>
        {onLine && (
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
        {keypad && onLine && <Keypad onPress={call.press} onClose={() => setKeypad(false)} />}
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

/** Only what was filled in: the agent's own words say nothing for the rest. */
function filledIn(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));
}

function statusText({ phase: stage, endReason, muted }: CallState, { name, status, frozen_reason }: Agent): string {
  switch (stage) {
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
      return 'The line broke. Reconnecting…';
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

/** What the agent's words leave open: `{name}`, `{order}`. */
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
