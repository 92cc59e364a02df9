import type { Clock } from '../../shared/clock.ts';
import { type IdleState, resetIdle } from '../turn/idle.ts';
import { NEARLY_OVER_MS } from '../turn/interruption.ts';
import { isBackchannel, plainWords } from '../turn/words.ts';
import type { AgentReply } from './agent-reply.ts';
import type { AnsweringMachineDetector, CallerTurn } from './answering-machine-detection.ts';
import type { BargeIn } from './barge-in.ts';
import type { ChatContext } from './chat-context.ts';
import type { EndOfCall } from './end-of-call.ts';
import type { Speaker } from './speaker.ts';

/**
 * What the caller said is answered, noted, or kept until it can be answered: over a reply that may not be interrupted, while
 * a tool runs or a machine may be listening.
 */
export interface TurnResponder {
  /** A turn is over; its text is empty when the speech held no words. */
  onTurn(turn: CallerTurn): void;
  /** Keys, answered like words. */
  onKeys(text: string): void;
  /** Answers what was kept; false when nothing was. */
  respondToPending(): boolean;
  /** Gives back what was kept, and keeps it no longer. */
  takePending(): string;
  /** The tools of a reply have answered; true when the reply may go on with what they found. */
  onToolsDone(reply: AgentReply): boolean;
  /** Nobody took the call: the agent says so, and answers what the caller said meanwhile. */
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
}

export function createTurnResponder(parts: TurnResponderOptions): TurnResponder {
  const { clock, context: record, speaker, bargeIn, endOfCall: farewell, machineDetector: answerer, idle } = parts;
  let kept = '';

  function keep(text: string): void {
    kept = `${kept} ${text}`.trim();
  }

  function takeKept(): string {
    const taken = kept;
    kept = '';
    return taken;
  }

  function answer(text: string, speechEndMs: number, turnEndMs: number): void {
    if (speaker.toolsRunning > 0 || answerer?.suppressesReplies) {
      // Without its result the model would ask for the same again.
      keep(text);
      return;
    }
    farewell.cancelCheck();
    resetIdle(idle, clock.now());
    record.addCallerTurn(text, speechEndMs, {});
    speaker.respond(text, speechEndMs, turnEndMs);
  }

  function answerKept(): boolean {
    const text = takeKept();
    if (text === '') return false;
    const nowMs = clock.now();
    answer(text, nowMs, nowMs);
    return true;
  }

  /** The caller spoke into a reply that is being said, or thought about. */
  function hearOver(reply: AgentReply, { text, endMs }: CallerTurn): void {
    if (reply.hangUpAfter) {
      // The goodbye is heard in full; what is said over it is kept, not answered.
      record.addCallerTurn(text, endMs, { after_goodbye: true });
      speaker.resume();
      return;
    }
    if (!bargeIn.allowed(reply)) {
      keep(text);
      speaker.resume();
      return;
    }
    if (!bargeIn.isInterruptedBy(text, reply)) {
      const leftMs = speaker.remainingMs();
      // A short word at the end of a question answers it; elsewhere it is noted, and the agent goes on.
      if (leftMs !== null && leftMs < NEARLY_OVER_MS) keep(text);
      else if (!isBackchannel(plainWords(text))) record.addCallerTurn(text, endMs, {});
      speaker.resume();
      return;
    }
    if (reply.audible || speaker.toolsRunning === 0) speaker.interrupt();
    answer(text, endMs, clock.now());
  }

  return {
    respondToPending: answerKept,
    takePending: takeKept,
    onTurn(turn) {
      const { reply } = speaker;
      if (turn.text === '') speaker.resume();
      else if (reply) hearOver(reply, turn);
      else answer(turn.text, turn.endMs, clock.now());
    },
    onKeys(text) {
      const nowMs = clock.now();
      const { reply } = speaker;
      if (reply && !bargeIn.allowed(reply)) {
        keep(text);
        return;
      }
      speaker.interrupt();
      answer(text, nowMs, nowMs);
    },
    onToolsDone(reply) {
      const current = speaker.reply;
      if (kept === '' || (current !== null && (current !== reply || reply.audible))) return true;
      // The caller said more meanwhile: they are answered for all of it, knowing what the tool found.
      speaker.drop();
      answerKept();
      return false;
    },
    onCallerReturned() {
      const nowMs = clock.now();
      resetIdle(idle, nowMs);
      if (!answerKept()) speaker.respond('', nowMs, nowMs);
    },
  };
}
