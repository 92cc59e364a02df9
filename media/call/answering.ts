import type { Clock } from '../../shared/clock.ts';
import { type IdleState, stir } from '../turn/idle.ts';
import { NEARLY_OVER_MS } from '../turn/interruption.ts';
import { isBackchannel, plainWords } from '../turn/words.ts';
import type { AgentReply } from './agent-reply.ts';
import type { BargeIn } from './barge-in.ts';
import type { Farewell } from './farewell.ts';
import type { Speaker } from './speaker.ts';
import type { TalkRecord } from './talk-record.ts';
import type { Answerer, HeardTurn } from './voicemail.ts';

/**
 * What the caller said is answered, noted, or kept until it can be answered: over a reply that may not be interrupted, while
 * a tool runs or a machine may be listening.
 */
export interface Answering {
  /** A turn is over; its text is empty when the speech held no words. */
  hear(turn: HeardTurn): void;
  /** Keys, answered like words. */
  hearKeys(text: string): void;
  /** Answers what was kept; false when nothing was. */
  answerKept(): boolean;
  /** Gives back what was kept, and keeps it no longer. */
  takeKept(): string;
  /** The tools of a reply have answered; true when the reply may go on with what they found. */
  toolsDone(reply: AgentReply): boolean;
  /** Nobody took the call: the agent says so, and answers what the caller said meanwhile. */
  givenBack(): void;
}

export interface AnsweringParts {
  clock: Clock;
  record: TalkRecord;
  speaker: Speaker;
  bargeIn: BargeIn;
  farewell: Farewell;
  answerer: Answerer | null;
  idle: IdleState;
}

export function createAnswering(parts: AnsweringParts): Answering {
  const { clock, record, speaker, bargeIn, farewell, answerer, idle } = parts;
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
    if (speaker.toolsRunning > 0 || answerer?.keepsSilent) {
      // Without its result the model would ask for the same again.
      keep(text);
      return;
    }
    farewell.callOff();
    stir(idle, clock.now());
    record.callerSaid(text, speechEndMs, {});
    speaker.answer(text, speechEndMs, turnEndMs);
  }

  function answerKept(): boolean {
    const text = takeKept();
    if (text === '') return false;
    const nowMs = clock.now();
    answer(text, nowMs, nowMs);
    return true;
  }

  /** The caller spoke into a reply that is being said, or thought about. */
  function hearOver(reply: AgentReply, { text, endMs }: HeardTurn): void {
    if (reply.hangUpAfter) {
      // The goodbye is heard in full; what is said over it is kept, not answered.
      record.callerSaid(text, endMs, { after_goodbye: true });
      speaker.goOn();
      return;
    }
    if (!bargeIn.allowed(reply)) {
      keep(text);
      speaker.goOn();
      return;
    }
    if (!bargeIn.cutBy(text, reply)) {
      const leftMs = speaker.leftMs();
      // A short word at the end of a question answers it; elsewhere it is noted, and the agent goes on.
      if (leftMs !== null && leftMs < NEARLY_OVER_MS) keep(text);
      else if (!isBackchannel(plainWords(text))) record.callerSaid(text, endMs, {});
      speaker.goOn();
      return;
    }
    if (reply.audible || speaker.toolsRunning === 0) speaker.interrupt();
    answer(text, endMs, clock.now());
  }

  return {
    answerKept,
    takeKept,
    hear(turn) {
      const { reply } = speaker;
      if (turn.text === '') speaker.goOn();
      else if (reply) hearOver(reply, turn);
      else answer(turn.text, turn.endMs, clock.now());
    },
    hearKeys(text) {
      const nowMs = clock.now();
      const { reply } = speaker;
      if (reply && !bargeIn.allowed(reply)) {
        keep(text);
        return;
      }
      speaker.interrupt();
      answer(text, nowMs, nowMs);
    },
    toolsDone(reply) {
      const current = speaker.reply;
      if (kept === '' || (current !== null && (current !== reply || reply.audible))) return true;
      // The caller said more meanwhile: they are answered for all of it, knowing what the tool found.
      speaker.drop();
      answerKept();
      return false;
    },
    givenBack() {
      const nowMs = clock.now();
      stir(idle, nowMs);
      if (!answerKept()) speaker.answer('', nowMs, nowMs);
    },
  };
}
