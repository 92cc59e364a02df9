import type { Clock } from '../../shared/clock.ts';
import { type LiveOrderResult, MAX_INSTRUCTIONS_CHARACTERS } from '../../shared/live-control.ts';
import { type IdleState, resetIdle } from '../turn/idle.ts';
import type { AgentReply } from './agent-reply.ts';
import type { ChatContext } from './chat-context.ts';
import type { EndOfCall } from './end-of-call.ts';
import type { Speaker } from './speaker.ts';
import type { TurnResponder } from './turn-response.ts';

/**
 * What a person or program makes the agent do in a live call: say a text, follow a further instruction, fall silent and speak again.
 *
 * While the agent is muted the conversation goes on without it: the caller is transcribed, and what they say is in the history, but
 * nothing is said, asked, or ended because of silence. Unmuted, the agent answers what was not answered.
 */
export interface AgentControl {
  /** The caller's silence says nothing. */
  readonly callerMuted: boolean;
  /** Says it once the agent has said what it is saying, or instead of that with `interrupt`; never over the caller. */
  say(text: string, interrupt: boolean): LiveOrderResult;
  /** Is part of the prompt from the next reply on. */
  instruct(text: string): LiveOrderResult;
  /** What the prompt is made of has changed: a reply that nobody has heard of is made again. */
  onPromptChanged(): void;
  muteAgent(muted: boolean): LiveOrderResult;
  /** Nothing is heard of the caller from now on, or again. */
  onCallerMuted(muted: boolean): void;
  /** Every 20 ms; `free`: nobody speaks or is about to. */
  tick(free: boolean): void;
}

export interface AgentControlOptions {
  clock: Clock;
  context: Pick<ChatContext, 'history' | 'instructions'>;
  speaker: Speaker;
  turnResponder: Pick<TurnResponder, 'respondToUnanswered'>;
  endOfCall: Pick<EndOfCall, 'cancelCheck'>;
  idle: IdleState;
  /** Somebody speaks, or a reply or tool is under way. */
  busy(): boolean;
}

const MAX_WAITING_TEXTS = 10;
const done = (detail = ''): LiveOrderResult => ({ done: true, detail });
const refused = (detail: string): LiveOrderResult => ({ done: false, detail });

export function createAgentControl(options: AgentControlOptions): AgentControl {
  const { clock, context, speaker, turnResponder, endOfCall, idle, busy } = options;
  /** Texts to be said, in order. */
  const waiting: string[] = [];
  /** The text that is being said; one that nobody heard is said again. */
  let saying: { reply: AgentReply; text: string } | null = null;
  let callerMuted = false;

  function sayNext(): void {
    const text = waiting.shift();
    if (text === undefined) return;
    endOfCall.cancelCheck();
    speaker.say('said', text);
    saying = speaker.reply && { reply: speaker.reply, text };
  }

  return {
    get callerMuted() {
      return callerMuted;
    },
    say(text, interrupt) {
      if (speaker.muted) return refused('the agent is muted');
      if (waiting.length >= MAX_WAITING_TEXTS) return refused(`${MAX_WAITING_TEXTS} texts wait to be said already`);
      const { reply } = speaker;
      if (reply?.hangUpAfter) return refused('the agent is ending the call');
      const interrupts = interrupt && reply !== null && reply.kind !== 'notice' && speaker.toolsRunning === 0;
      if (interrupt) waiting.unshift(text);
      else waiting.push(text);
      if (interrupts) {
        saying = null;
        speaker.cut();
      }
      return done(busy() ? 'it is said next' : '');
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
    muteAgent(muted) {
      if (muted === speaker.muted) return done(muted ? 'it was muted already' : 'it was not muted');
      if (muted) {
        if (speaker.reply?.kind === 'notice') return refused('the notice of the recording is being said; try again');
        endOfCall.cancelCheck();
        waiting.length = 0;
        saying = null;
        speaker.mute();
        return done();
      }
      speaker.unmute();
      resetIdle(idle, clock.now());
      // Who is speaking is answered at the end of their turn.
      if (!busy()) turnResponder.respondToUnanswered();
      return done();
    },
    onCallerMuted(muted) {
      callerMuted = muted;
      if (!muted) resetIdle(idle, clock.now());
    },
    tick(free) {
      if (saying && speaker.reply !== saying.reply) {
        if (!saying.reply.audible) waiting.unshift(saying.text);
        saying = null;
      }
      if (free && !speaker.muted) sayNext();
    },
  };
}
