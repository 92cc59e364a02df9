import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import { type LiveOrderResult, MAX_INSTRUCTIONS_CHARACTERS } from '../../shared/live-control.ts';
import { fillVariables } from '../../shared/variables.ts';
import { type IdleState, resetIdle } from '../turn/idle.ts';
import type { AgentReply } from './agent-reply.ts';
import type { ChatContext } from './chat-context.ts';
import type { EndOfCall } from './end-of-call.ts';
import type { Speaker } from './speaker.ts';
import type { TurnResponder } from './turn-response.ts';

/**
 * What a person or program makes the agent do in a live call: say a text, press keys, follow a further instruction, hand the caller
 * over, fall silent and speak again.
 *
 * While the agent is muted the conversation goes on without it: the caller is transcribed, and what they say is in the history, but
 * nothing is said, asked, or ended because of silence. Unmuted, the agent answers what was not answered.
 */
export interface AgentControl {
  /** The caller's silence says nothing. */
  readonly callerMuted: boolean;
  /** Says it once the agent has said what it is saying, or instead of that with `interrupt`; never over the caller. */
  say(text: string, interrupt: boolean): LiveOrderResult;
  /** Plays the tones of keys, in the leg's format, when nobody speaks. */
  playTones(bytes: Uint8Array): LiveOrderResult;
  /** Hands the caller over to one of the agent's targets by its name, or to a number, E.164. */
  transfer(to: { target?: string | undefined; number?: string | undefined; reason: string }): LiveOrderResult;
  /** Is part of the prompt from the next reply on. */
  instruct(text: string): LiveOrderResult;
  /** What the prompt is made of has changed: a reply that nobody has heard of is made again. */
  onPromptChanged(): void;
  muteAgent(muted: boolean): LiveOrderResult;
  /** The agent goes on where a person left off, with a note of theirs. */
  handBack(note: string): void;
  /** Nothing is heard of the caller from now on, or again. */
  onCallerMuted(muted: boolean): void;
  /** Every 20 ms. */
  tick(): void;
}

export interface AgentControlOptions {
  /** The agent that speaks now. */
  readonly agent: Pick<AgentConfig, 'call'>;
  /** Values of the announcement's `{variables}`. */
  values: Record<string, string | number | boolean>;
  clock: Clock;
  context: Pick<ChatContext, 'history' | 'instructions'>;
  speaker: Speaker;
  turnResponder: Pick<TurnResponder, 'respondToUnanswered'>;
  endOfCall: Pick<EndOfCall, 'cancelCheck'>;
  idle: IdleState;
  /** Somebody speaks, or a reply or tool is under way. */
  busy(): boolean;
}

const MAX_WAITING = 10;
const HANDED_BACK =
  'A person of your team spoke with the caller in your place and has left. Go on from there; ask rather than guess what they agreed on.';
const NOTICE = 'the notice of the recording is being said; try again';
const done = (detail = ''): LiveOrderResult => ({ done: true, detail });
const refused = (detail: string): LiveOrderResult => ({ done: false, detail });

export function createAgentControl(options: AgentControlOptions): AgentControl {
  const { values, clock, context, speaker, turnResponder, endOfCall, idle, busy } = options;
  /** Texts to be said and tones to be played, in order. */
  const waiting: (string | Uint8Array)[] = [];
  /** What is being said or played; what nobody heard is repeated. */
  let saying: { reply: AgentReply; what: string | Uint8Array } | null = null;
  let callerMuted = false;

  function sayNext(): void {
    const what = waiting.shift();
    if (what === undefined) return;
    endOfCall.cancelCheck();
    if (typeof what === 'string') speaker.say('said', what);
    else speaker.playTones(what);
    saying = speaker.reply && { reply: speaker.reply, what };
  }

  function setMuted(muted: boolean): LiveOrderResult {
    if (muted === speaker.muted) return done(muted ? 'it was muted already' : 'it was not muted');
    if (muted) {
      if (speaker.reply?.kind === 'notice') return refused(NOTICE);
      endOfCall.cancelCheck();
      forgetWaiting();
      speaker.mute();
      return done();
    }
    speaker.unmute();
    resetIdle(idle, clock.now());
    // Who is speaking is answered at the end of their turn.
    if (!busy()) turnResponder.respondToUnanswered();
    return done();
  }

  function forgetWaiting(): void {
    waiting.length = 0;
    saying = null;
  }

  const isFull = () =>
    waiting.length < MAX_WAITING ? null : refused(`${MAX_WAITING} orders wait to be heard already`);

  return {
    get callerMuted() {
      return callerMuted;
    },
    say(text, interrupt) {
      if (speaker.muted) return refused('the agent is muted');
      const { reply } = speaker;
      if (reply?.hangUpAfter) return refused('the agent is ending the call');
      const full = isFull();
      if (full) return full;
      const cuttable = reply !== null && reply.kind !== 'notice' && reply.kind !== 'tones';
      const interrupts = interrupt && cuttable && speaker.toolsRunning === 0;
      if (interrupt) waiting.unshift(text);
      else waiting.push(text);
      if (interrupts) {
        saying = null;
        speaker.cut();
      }
      return done(busy() ? 'it is said next' : '');
    },
    playTones(bytes) {
      if (speaker.reply?.hangUpAfter) return refused('the agent is ending the call');
      const full = isFull();
      if (full) return full;
      waiting.push(bytes);
      return done(busy() ? 'they are pressed next' : '');
    },
    transfer({ target, number, reason }) {
      const { transfers } = speaker;
      const { agent } = options;
      const targets = agent.call.transfer_targets;
      const found = number === undefined ? targets.find(({ name }) => name === target) : { name: number, number };
      if (!found) {
        const names = targets.map(({ name }) => name).join(', ');
        return refused(names === '' ? 'the agent has no transfer targets' : `the agent's targets are: ${names}`);
      }
      if (transfers.active || speaker.reply?.transferAfter) return refused('a transfer is under way already');
      if (speaker.handingOff) return refused('another agent is about to go on; try again');
      if (speaker.reply?.kind === 'notice') return refused(NOTICE);
      const prepared = transfers.prepareOrdered({ name: found.name, number: found.number, reason });
      if (typeof prepared === 'string') return refused(prepared);
      endOfCall.cancelCheck();
      forgetWaiting();
      speaker.dropPreemptiveReply();
      speaker.cut();
      const message = fillVariables(agent.call.transfer_message, values).trim();
      if (message !== '') speaker.say('said', message);
      if (speaker.reply) speaker.reply.transferAfter = prepared;
      else transfers.begin(prepared);
      return done();
    },
    instruct(text) {
      const characters = context.instructions.reduce((sum, each) => sum + each.length, text.length);
      if (characters > MAX_INSTRUCTIONS_CHARACTERS) {
        return refused(`the instructions of one call have at most ${MAX_INSTRUCTIONS_CHARACTERS} characters together`);
      }
      context.instructions.push(text);
      speaker.dropPreemptiveReply();
      return done();
    },
    onPromptChanged: () => speaker.dropPreemptiveReply(),
    muteAgent: setMuted,
    handBack(note) {
      context.instructions.push(note === '' ? HANDED_BACK : `${HANDED_BACK} Their note: ${note}`);
      if (speaker.muted) setMuted(false);
    },
    onCallerMuted(muted) {
      callerMuted = muted;
      if (!muted) resetIdle(idle, clock.now());
    },
    tick() {
      if (saying && speaker.reply !== saying.reply) {
        if (!saying.reply.audible) waiting.unshift(saying.what);
        saying = null;
      }
      if (waiting.length > 0 && !busy()) sayNext();
    },
  };
}
