import type { AgentConfig } from '../../shared/agent.ts';
import type { AnsweredBy, CallEnd } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import { fillVariables } from '../../shared/variables.ts';
import {
  type AnsweringMachineEffect,
  type AnsweringMachineInput,
  advanceAnsweringMachine,
  startAnsweringMachineDetection,
  suppressesReplies,
} from '../turn/answering-machine-policy.ts';
import type { ChatContext } from './chat-context.ts';
import type { Speaker } from './speaker.ts';

/**
 * A call that we placed, until it is known who answered it. While a machine speaks, or may be speaking, the agent is kept
 * silent; a machine gets the message after its beep, or is hung up on. The policy is `turn/voicemail.ts`.
 */
export interface AnsweringMachineDetector {
  /** The agent says nothing now, and answers nothing. */
  readonly suppressesReplies: boolean;
  /** A beep would still mean something. */
  readonly awaitsBeep: boolean;
  /** A machine was heard. */
  readonly isMachine: boolean;
  /** Null while, and where, it is not known. */
  readonly answeredBy: AnsweredBy | null;
  onInput(input: Exclude<AnsweringMachineInput, { type: 'turn_ended' }>): void;
  /** A turn is over: what is to be answered now, or null when that has to wait. */
  onTurn(turn: CallerTurn): CallerTurn | null;
  /** The message was heard to its end. */
  onMessagePlayed(): void;
  /** The call ends; what was said to nobody's answer is given back. */
  close(): string;
}

export interface CallerTurn {
  text: string;
  /** Monotonic end of the speech. */
  endMs: number;
}

export interface AnsweringMachineDetectorOptions {
  agent: AgentConfig;
  /** Values of the message's `{variables}`. */
  values: Record<string, string | number | boolean>;
  /** We placed the call. */
  outbound: boolean;
  clock: Clock;
  end(end: CallEnd): void;
}

export interface AnsweringMachineListener {
  /** It was a person all the same: this is answered. */
  onPerson(turn: CallerTurn): void;
  /** It was a person, and the agent has gone on with what it kept. */
  onReplyResumed(): void;
  /** A machine: nothing is answered any more. Gives back what was waiting for an answer. */
  takePending(): string;
}

const END: CallEnd = { hangup_by: 'agent', hangup_reason: 'voicemail' };

/** Null where nobody asks who answered: calls that came in, and agents without `voicemail_detection`. */
export function createAnsweringMachineDetector(
  { agent, values, outbound, clock, end }: AnsweringMachineDetectorOptions,
  record: ChatContext,
  speaker: Speaker,
  listener: AnsweringMachineListener,
): AnsweringMachineDetector | null {
  const { voicemail_detection, voicemail_detection_seconds, voicemail_message } = agent.call;
  if (!outbound || !voicemail_detection) return null;
  const message = fillVariables(voicemail_message, values).trim();
  const state = startAnsweringMachineDetection({ windowMs: voicemail_detection_seconds * 1_000 }, clock.now());
  /** Turns that wait for the verdict. */
  let waiting: CallerTurn | null = null;
  let told = false;
  let closed = false;

  function tell(messageLeft: boolean): void {
    if (told) return;
    told = true;
    const data = { answered_by: 'machine', message_left: messageLeft };
    record.report(
      'call.voicemail',
      messageLeft ? 'a machine answered, and was left the message' : 'a machine answered',
      {
        data,
      },
    );
  }

  function takeWaiting(): CallerTurn | null {
    const turn = waiting;
    waiting = null;
    return turn;
  }

  /** What the machine says belongs into the transcript. */
  function writeDown(): void {
    const turn = takeWaiting();
    if (turn) record.addCallerTurn(turn.text, turn.endMs, {});
  }

  function machine(): void {
    speaker.dropPreemptiveReply();
    speaker.interrupt();
    const pending = listener.takePending();
    if (pending !== '') record.addCallerTurn(pending, clock.now(), {});
    writeDown();
    if (message !== '') return;
    tell(false);
    end(END);
  }

  function follow(effects: readonly AnsweringMachineEffect[]): void {
    for (const effect of effects) {
      if (closed) return;
      switch (effect.type) {
        case 'suspected':
          speaker.pause();
          break;
        case 'machine':
          machine();
          break;
        case 'record':
          // Begun before the beep, it is begun anew.
          speaker.interrupt();
          speaker.say('goodbye', message, END);
          break;
        case 'give_up':
          tell(false);
          end(END);
          break;
        case 'person':
          break;
      }
    }
  }

  function hear(input: Exclude<AnsweringMachineInput, { type: 'turn_ended' }>): void {
    if (closed || state.over) return;
    const effects = advanceAnsweringMachine(state, input, clock.now());
    follow(effects);
    if (closed || !effects.some((effect) => effect.type === 'person')) return;
    const turn = takeWaiting();
    if (turn) {
      listener.onPerson(turn);
      return;
    }
    speaker.resume();
    listener.onReplyResumed();
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
    onInput: hear,
    onTurn(turn) {
      if (closed || state.over) return turn;
      if (turn.text === '') return suppressesReplies(state) ? null : turn;
      waiting = { ...turn, text: `${waiting?.text ?? ''} ${turn.text}`.trim() };
      follow(advanceAnsweringMachine(state, { type: 'turn_ended', text: turn.text }, clock.now()));
      if (closed) return null;
      if (state.verdict === 'machine') writeDown();
      return suppressesReplies(state) ? null : takeWaiting();
    },
    onMessagePlayed: () => tell(true),
    close() {
      if (closed) return '';
      if (state.verdict === 'machine') tell(false);
      closed = true;
      return takeWaiting()?.text ?? '';
    },
  };
}
