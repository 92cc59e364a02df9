import type { AgentConfig } from '../../shared/agent.ts';
import { interruptionVerdict, RESUME_WITHOUT_WORDS_MS } from '../turn/interruption.ts';
import { type TurnState, turnOpen, wordsSoFar } from '../turn/turn-state.ts';
import type { AgentReply } from './agent-reply.ts';
import type { AnsweringMachineDetector } from './answering-machine-detection.ts';
import type { CallerSpeech } from './caller-speech.ts';
import type { Speaker } from './speaker.ts';

/**
 * The caller speaks into the agent's reply: it yields to a voice, falls silent for one that means to speak, and goes on when
 * it was nothing. What the words were decides at the end of the turn; that is `answering.ts`.
 */
export interface BargeIn {
  /** The caller may cut this reply. */
  allowed(reply: AgentReply): boolean;
  /** At the caller's voice the agent at once speaks more softly, and aloud again when it was nothing. */
  duck(softly: boolean): void;
  /** Falls silent at once when the caller's voice or words ask for it. */
  check(): void;
  /** The caller's words so far, while the turn goes on. */
  onWords(text: string): void;
  /** What the words of a whole turn mean for the reply: it is cut, or goes on. */
  isInterruptedBy(text: string, reply: AgentReply): boolean;
  /** A reply that was silenced goes on when no words follow the voice, or when it is the room. */
  resumeAfterFalseInterruption(nowMs: number): void;
  /** The reply's first sound is there: should it wait, because the caller is speaking? */
  shouldWait(reply: AgentReply): boolean;
}

export interface BargeInOptions {
  agent: AgentConfig;
  turn: TurnState;
  callerSpeech: CallerSpeech;
  speaker: Speaker;
  machineDetector: AnsweringMachineDetector | null;
}

export function createBargeIn({
  agent,
  turn,
  callerSpeech: voice,
  speaker,
  machineDetector: answerer,
}: BargeInOptions): BargeIn {
  const { call } = agent;

  function allowed(reply: AgentReply): boolean {
    if (answerer?.isMachine || reply.transferAfter) return false;
    return reply.hangUpAfter ? call.hangup_interruptible : call.allow_interruptions;
  }

  function callerMeansBusiness(): boolean {
    return voice.shouldPauseAgent(wordsSoFar(turn));
  }

  function consider(): void {
    const { reply } = speaker;
    if (reply?.audible && allowed(reply) && callerMeansBusiness()) speaker.pause();
  }

  /** One word more, said while the agent still thinks, belongs to what is answered. */
  function cuts(text: string, reply: AgentReply, complete: boolean): boolean {
    return interruptionVerdict(text, reply.audible ? call.interruption_min_words : 1, complete) === 'interrupt';
  }

  /** Only a transcriber that tells words as they come can say that there are none. */
  function isTheRoom(nowMs: number): boolean {
    const { settings, emitsPartials: tellsUnasked, open } = turn;
    if (!voice.isLikelyNoise(nowMs) || !speaker.reply?.paused || open || wordsSoFar(turn) !== '') return false;
    return settings.decidesTurns || tellsUnasked;
  }

  return {
    allowed,
    check: consider,
    duck(softly) {
      const { reply } = speaker;
      if (reply && allowed(reply)) speaker.setDucked(softly);
    },
    onWords(text) {
      const { reply } = speaker;
      if (!reply || !allowed(reply) || answerer?.suppressesReplies) return;
      const meant = cuts(text, reply, false);
      if (!reply.audible) {
        // Still thinking: the caller goes on with the same turn, and is answered once, for all of it. A tool is waited for.
        if (meant && speaker.toolsRunning === 0) speaker.drop();
        return;
      }
      consider();
      if (reply.paused && meant) speaker.interrupt();
    },
    isInterruptedBy: (text, reply) => cuts(text, reply, true),
    resumeAfterFalseInterruption(nowMs) {
      if (!turnOpen(turn) && nowMs - voice.lastSpeechMs >= RESUME_WITHOUT_WORDS_MS) speaker.resume();
      if (!isTheRoom(nowMs)) return;
      // From now on only words stop the agent.
      voice.markAsNoise();
      speaker.resume();
    },
    shouldWait(reply) {
      if (answerer?.suppressesReplies && !answerer.isMachine) return true;
      return allowed(reply) && (turn.open || callerMeansBusiness());
    },
  };
}
