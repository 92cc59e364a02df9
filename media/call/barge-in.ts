import type { AgentConfig } from '../../shared/agent.ts';
import type { TurnWords } from '../../shared/languages/turn-words.ts';
import { interruptionVerdict, RESUME_WITHOUT_WORDS_MS } from '../turn/interruption-verdict.ts';
import { type TurnState, turnOpen, wordsSoFar } from '../turn/turn-state.ts';
import type { AgentReply } from './agent-reply.ts';
import type { AnsweringMachineDetector } from './answering-machine-handling.ts';
import type { CallerSpeech } from './caller-speech.ts';
import type { Speaker } from './speaker.ts';

/**
 * Handles the caller's speech during a reply: ducks the reply at a voice, pauses it for speech or words, and resumes it after a
 * false interruption. The words of the whole turn decide whether it is interrupted; see `turn-response.ts`.
 */
export interface BargeIn {
  /** Whether the caller may interrupt this reply. */
  allowed(reply: AgentReply): boolean;
  /** Ducks the reply at the caller's voice, or brings it back to full volume. */
  duck(ducked: boolean): void;
  /** Pauses the reply when the caller's speech or words ask for it. */
  check(): void;
  /** Takes the words of the caller's turn so far. */
  onWords(text: string): void;
  /** Returns and forgets what was stopped for words that may still be taken back. */
  takeStopped(): StoppedReply | null;
  /** Whether the words of a whole turn interrupt the reply. */
  isInterruptedBy(text: string, reply: AgentReply): boolean;
  /** Resumes a paused reply when no words follow the voice, or when the voice is background noise. */
  resumeAfterFalseInterruption(nowMs: number): void;
  /** Whether the reply's first audio should wait because the caller is speaking. */
  shouldWait(reply: AgentReply): boolean;
}

/** `not played`: nothing of an answer was played out, so that it can be made again. */
export type StoppedReply = 'not played' | 'interrupted';

export interface BargeInOptions {
  /** Of the agent that speaks now. */
  settings(): AgentConfig['call'];
  turn: TurnState;
  callerSpeech: CallerSpeech;
  speaker: Speaker;
  machineDetector: AnsweringMachineDetector | null;
  /** Those of the caller's language now. */
  words(): TurnWords;
}

export function createBargeIn(options: BargeInOptions): BargeIn {
  const { settings, turn, callerSpeech, speaker, machineDetector, words } = options;
  let stopped: StoppedReply | null = null;

  function allowed(reply: AgentReply): boolean {
    if (machineDetector?.isMachine || reply.givesCallAway || reply.kind === 'notice' || reply.kind === 'tones')
      return false;
    return reply.hangUpAfter ? settings().hangup_interruptible : settings().allow_interruptions;
  }

  function callerAsksForSilence(): boolean {
    return callerSpeech.shouldPauseAgent(wordsSoFar(turn));
  }

  function check(): void {
    const { reply } = speaker;
    if (reply?.audible && allowed(reply) && callerAsksForSilence()) speaker.pause();
  }

  /** Before the reply is audible one word is enough: it belongs to the turn that is replied to. */
  function isInterruption(text: string, reply: AgentReply, complete: boolean): boolean {
    const minWords = reply.audible ? settings().interruption_min_words : 1;
    return interruptionVerdict(text, minWords, complete, words()) === 'interrupt';
  }

  /** Only a transcriber that emits partial transcripts can show that a voice has no words. */
  function isBackgroundNoise(nowMs: number): boolean {
    const { settings, emitsPartials, open } = turn;
    if (!callerSpeech.isLikelyNoise(nowMs) || !speaker.reply?.paused || open || wordsSoFar(turn) !== '') return false;
    return settings.decidesTurns || emitsPartials;
  }

  return {
    allowed,
    check,
    duck(ducked) {
      const { reply } = speaker;
      if (reply && allowed(reply)) speaker.setDucked(ducked);
    },
    onWords(text) {
      const { reply } = speaker;
      if (!reply || !allowed(reply) || machineDetector?.suppressesReplies) return;
      const interrupts = isInterruption(text, reply, false);
      if (!reply.audible) {
        // The caller continues the same turn and gets one reply to all of it. A running tool is not cancelled.
        if (!interrupts || speaker.toolsRunning > 0) return;
        stopped = reply.kind === 'answer' ? 'not played' : 'interrupted';
        speaker.drop();
        return;
      }
      check();
      if (!reply.paused || !interrupts) return;
      stopped = 'interrupted';
      speaker.interrupt();
    },
    takeStopped() {
      const taken = stopped;
      stopped = null;
      return taken;
    },
    isInterruptedBy: (text, reply) => isInterruption(text, reply, true),
    resumeAfterFalseInterruption(nowMs) {
      if (!turnOpen(turn) && nowMs - callerSpeech.lastSpeechMs >= RESUME_WITHOUT_WORDS_MS) speaker.resume();
      if (!isBackgroundNoise(nowMs)) return;
      // From now on only words pause the agent.
      callerSpeech.markAsNoise();
      speaker.resume();
    },
    shouldWait(reply) {
      if (machineDetector?.suppressesReplies && !machineDetector.isMachine) return true;
      return allowed(reply) && (turn.open || callerAsksForSilence());
    },
  };
}
