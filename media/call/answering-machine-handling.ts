import type { AgentConfig } from '../../shared/agent.ts';
import type { AnsweredBy, CallEnd } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import { turnWords } from '../../shared/languages/turn-words.ts';
import { fillVariables } from '../../shared/variables.ts';
import {
  type AnsweringMachineEffect,
  type AnsweringMachineInput,
  advanceAnsweringMachine,
  startAnsweringMachineDetection,
  suppressesReplies,
} from '../turn/answering-machine-detection.ts';
import type { ChatContext } from './chat-context.ts';
import type { Speaker } from './speaker.ts';

/**
 * Detects who answered an outbound call. While a machine speaks, or may be speaking, the agent is silent; a machine gets the
 * message after its beep, or is hung up on. The policy is `turn/answering-machine-detection.ts`.
 */
export interface AnsweringMachineDetector {
  /** The agent neither speaks nor replies now. */
  readonly suppressesReplies: boolean;
  /** A beep would still be evidence. */
  readonly awaitsBeep: boolean;
  readonly isMachine: boolean;
  /** Null while it is not known. */
  readonly answeredBy: AnsweredBy | null;
  onInput(input: Exclude<AnsweringMachineInput, { type: 'turn_ended' }>): void;
  /** Takes a finished turn; returns what is to be replied to now, or null when that has to wait. */
  onTurn(turn: CallerTurn): CallerTurn | null;
  /** The message was played out. */
  onMessagePlayed(): void;
  /** Returns the words that got no reply before the call ended. */
  close(): string;
}

export interface CallerTurn {
  /** Its parts whose words are not known yet. */
  untranscribed?: readonly number[];
  text: string;
  /** Monotonic end of the speech. */
  endMs: number;
}

export interface AnsweringMachineDetectorOptions {
  agent: AgentConfig;
  /** Values of the message's `{variables}`. */
  values: Record<string, string | number | boolean>;
  outbound: boolean;
  clock: Clock;
  /** See `turn/audio-clock.ts`. */
  callerClock: Pick<Clock, 'now'>;
  end(end: CallEnd): void;
}

export interface AnsweringMachineListener {
  /** A suspected machine is a person, whose turn gets a reply. */
  onPerson(turn: CallerTurn): void;
  /** A suspected machine is a person, and the paused reply continues. */
  onReplyResumed(): void;
  /** It is a machine, which gets no replies. Returns the words that were waiting for one. */
  takePending(): string;
}

const END: CallEnd = { hangup_by: 'agent', hangup_reason: 'voicemail' };

/** Null for inbound calls and for agents without `voicemail_detection`. */
export function createAnsweringMachineDetector(
  { agent, values, outbound, clock, callerClock, end }: AnsweringMachineDetectorOptions,
  context: ChatContext,
  speaker: Speaker,
  listener: AnsweringMachineListener,
): AnsweringMachineDetector | null {
  const { voicemail_detection, voicemail_detection_seconds, voicemail_message } = agent.call;
  if (!outbound || !voicemail_detection) return null;
  const message = fillVariables(voicemail_message, values).trim();
  const state = startAnsweringMachineDetection(
    { windowMs: voicemail_detection_seconds * 1_000, words: turnWords(agent.voice.language) },
    clock.now(),
  );
  /** Words that wait for the verdict. */
  let waiting: CallerTurn | null = null;
  let reported = false;
  let closed = false;

  function reportMachine(messageLeft: boolean): void {
    if (reported) return;
    reported = true;
    const text = messageLeft ? 'a machine answered, and was left the message' : 'a machine answered';
    context.report('call.voicemail', text, { data: { answered_by: 'machine', message_left: messageLeft } });
  }

  function takeWaiting(): CallerTurn | null {
    const turn = waiting;
    waiting = null;
    return turn;
  }

  /** Adds what the machine said to the transcript. */
  function addWaitingToTranscript(): void {
    const turn = takeWaiting();
    if (turn) context.addCallerTurn(turn.text, turn.endMs, {});
  }

  function onMachine(): void {
    speaker.dropPreemptiveReply();
    speaker.interrupt();
    const pending = listener.takePending();
    if (pending !== '') context.addCallerTurn(pending, clock.now(), {});
    addWaitingToTranscript();
    if (message !== '') return;
    reportMachine(false);
    end(END);
  }

  function apply(effects: readonly AnsweringMachineEffect[]): void {
    for (const effect of effects) {
      if (closed) return;
      switch (effect.type) {
        case 'suspected':
          speaker.pause();
          break;
        case 'machine':
          onMachine();
          break;
        case 'record':
          // A message that began before the beep is said again from its beginning.
          speaker.interrupt();
          speaker.say('goodbye', message, END);
          break;
        case 'give_up':
          reportMachine(false);
          end(END);
          break;
        case 'person':
          break;
      }
    }
  }

  return {
    get suppressesReplies() {
      return suppressesReplies(state);
    },
    get awaitsBeep() {
      return !closed && !state.over && state.recording !== 'after beep';
    },
    get isMachine() {
      return state.verdict === 'machine';
    },
    get answeredBy() {
      if (state.verdict === null) return null;
      return state.verdict === 'machine' ? 'machine' : 'human';
    },
    onInput(input) {
      if (closed || state.over) return;
      const effects = advanceAnsweringMachine(state, input, callerClock.now());
      apply(effects);
      if (closed || !effects.some((effect) => effect.type === 'person')) return;
      const turn = takeWaiting();
      if (turn) {
        listener.onPerson(turn);
        return;
      }
      speaker.resume();
      listener.onReplyResumed();
    },
    onTurn(turn) {
      if (closed || state.over) return turn;
      if (turn.text === '') return suppressesReplies(state) ? null : turn;
      waiting = { ...turn, text: `${waiting?.text ?? ''} ${turn.text}`.trim() };
      apply(advanceAnsweringMachine(state, { type: 'turn_ended', text: turn.text }, callerClock.now()));
      if (closed) return null;
      if (state.verdict === 'machine') addWaitingToTranscript();
      return suppressesReplies(state) ? null : takeWaiting();
    },
    onMessagePlayed: () => reportMachine(true),
    close() {
      if (closed) return '';
      if (state.verdict === 'machine') reportMachine(false);
      closed = true;
      return takeWaiting()?.text ?? '';
    },
  };
}
