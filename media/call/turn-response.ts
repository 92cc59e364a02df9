import type { Clock } from '../../shared/clock.ts';
import type { TurnWords } from '../../shared/languages/turn-words.ts';
import { plainWords } from '../../shared/words.ts';
import { type IdleState, resetIdle } from '../turn/idle.ts';
import { NEARLY_OVER_MS } from '../turn/interruption-verdict.ts';
import type { AgentReply } from './agent-reply.ts';
import type { AnsweringMachineDetector, CallerTurn } from './answering-machine-handling.ts';
import type { BargeIn } from './barge-in.ts';
import type { ChatContext } from './chat-context.ts';
import type { EndOfCall } from './end-of-call.ts';
import type { Reprompt } from './reprompt.ts';
import type { Speaker } from './speaker.ts';

/**
 * Decides what becomes of the caller's words: they are replied to, noted in the transcript, or kept pending while a reply may
 * not be interrupted, a tool runs, or a machine may be listening.
 */
export interface TurnResponder {
  /** A turn ended; its text is '' when the speech held no words. */
  onTurn(turn: CallerTurn): void;
  /** Keys were pressed, which are replied to like words. */
  onKeys(text: string): void;
  /** Nobody speaks or is about to: what was stopped for words that were taken back is made up for. */
  onQuiet(): void;
  /** Replies to the pending words; returns false when there are none. */
  respondToPending(): boolean;
  /** The agent may speak again: it answers what was said to it and not answered. */
  respondToUnanswered(): void;
  /** Returns and removes the pending words. */
  takePending(): string;
  /** A reply's tools have finished, or the model answered nothing: returns whether the reply may continue. */
  mayContinue(reply: AgentReply): boolean;
  /** A transfer failed: the agent says so and replies to what the caller said meanwhile. */
  onCallerReturned(): void;
}

export interface TurnResponderOptions {
  clock: Clock;
  context: ChatContext;
  speaker: Speaker;
  bargeIn: BargeIn;
  endOfCall: EndOfCall;
  machineDetector: AnsweringMachineDetector | null;
  idle: IdleState;
  reprompt: Pick<Reprompt, 'onWordsTakenBack'>;
  /** Those of the caller's language now. */
  words(): TurnWords;
}

export function createTurnResponder(options: TurnResponderOptions): TurnResponder {
  const { clock, context, speaker, bargeIn, endOfCall, machineDetector, idle, reprompt, words } = options;
  let pending = '';
  let pendingUntranscribed: number[] = [];

  function addPending(text: string, untranscribed: readonly number[] = []): void {
    pending = `${pending} ${text}`.trim();
    pendingUntranscribed.push(...untranscribed);
  }

  function takePending(): string {
    const taken = pending;
    pending = '';
    pendingUntranscribed = [];
    return taken;
  }

  function respond(text: string, speechEndMs: number, turnEndMs: number, untranscribed: readonly number[] = []): void {
    if (speaker.toolsRunning > 0 || machineDetector?.suppressesReplies) {
      // Asked without the result of a running tool, the model would call it again.
      addPending(text, untranscribed);
      return;
    }
    endOfCall.cancelCheck();
    bargeIn.takeStopped();
    resetIdle(idle, clock.now());
    context.addCallerTurn(text, speechEndMs, {}, untranscribed);
    speaker.respond(text, speechEndMs, turnEndMs);
  }

  function respondToPending(): boolean {
    const untranscribed = pendingUntranscribed;
    const text = takePending();
    if (text === '') return false;
    const nowMs = clock.now();
    respond(text, nowMs, nowMs, untranscribed);
    return true;
  }

  /** The caller spoke during a reply that is being generated or played. */
  function onTurnDuringReply(reply: AgentReply, { text, endMs, untranscribed = [] }: CallerTurn): void {
    if (reply.hangUpAfter) {
      // The goodbye is played in full, and words over it get no reply.
      context.addCallerTurn(text, endMs, { after_goodbye: true }, untranscribed);
      speaker.resume();
      return;
    }
    if (!bargeIn.allowed(reply)) {
      addPending(text, untranscribed);
      speaker.resume();
      return;
    }
    // Any word answers whether the caller is there or what they said, also one that comes late.
    const isAnswer = reply.kind === 'online_check' || reply.kind === 'reprompt';
    if (!isAnswer && !bargeIn.isInterruptedBy(text, reply)) {
      const remainingMs = speaker.remainingMs();
      // A short word at the end of a question answers it; elsewhere it is noted and the agent continues.
      if (remainingMs !== null && remainingMs < NEARLY_OVER_MS) addPending(text, untranscribed);
      else if (!words().isBackchannel(plainWords(text))) context.addCallerTurn(text, endMs, {}, untranscribed);
      speaker.resume();
      return;
    }
    if (reply.audible || speaker.toolsRunning === 0) speaker.interrupt();
    respond(text, endMs, clock.now(), untranscribed);
  }

  return {
    respondToPending,
    takePending,
    respondToUnanswered() {
      const last = context.history.at(-1);
      const toolsAnswered = last?.role === 'agent' && last.text === '';
      if (respondToPending() || (last?.role !== 'user' && !toolsAnswered)) return;
      const nowMs = clock.now();
      speaker.respond('', nowMs, nowMs);
    },
    onTurn(turn) {
      const { reply } = speaker;
      if (turn.text === '') speaker.resume();
      else if (reply) onTurnDuringReply(reply, turn);
      else respond(turn.text, turn.endMs, clock.now(), turn.untranscribed);
    },
    onQuiet() {
      const stopped = bargeIn.takeStopped();
      if (stopped === null || respondToPending()) return;
      const nowMs = clock.now();
      if (stopped === 'not played') speaker.respond('', nowMs, nowMs);
      else reprompt.onWordsTakenBack();
    },
    onKeys(text) {
      const nowMs = clock.now();
      const { reply } = speaker;
      if (reply && !bargeIn.allowed(reply)) {
        addPending(text);
        return;
      }
      speaker.interrupt();
      respond(text, nowMs, nowMs);
    },
    mayContinue(reply) {
      const current = speaker.reply;
      if (pending === '' || (current !== null && (current !== reply || reply.audible))) return true;
      // The caller said more meanwhile and gets one reply to all of it, with the tool's result in the history.
      speaker.drop();
      respondToPending();
      return false;
    },
    onCallerReturned() {
      const nowMs = clock.now();
      resetIdle(idle, nowMs);
      if (!respondToPending()) speaker.respond('', nowMs, nowMs);
    },
  };
}
