import type { AgentConfig } from '../../shared/agent.ts';
import { NO_WORDS_AFTER_MS, verdict } from '../turn/interruption.ts';
import { type TurnState, turnOpen, wordsSoFar } from '../turn/turn-state.ts';
import type { AgentReply } from './agent-reply.ts';
import type { CallerVoice } from './caller-voice.ts';
import type { Speaker } from './speaker.ts';
import type { Answerer } from './voicemail.ts';

/**
 * The caller speaks into the agent's reply: it yields to a voice, falls silent for one that means to speak, and goes on when
 * it was nothing. What the words were decides at the end of the turn; that is `answering.ts`.
 */
export interface BargeIn {
  /** The caller may cut this reply. */
  allowed(reply: AgentReply): boolean;
  /** At the caller's voice the agent at once speaks more softly, and aloud again when it was nothing. */
  yield(softly: boolean): void;
  /** Falls silent at once when the caller's voice or words ask for it. */
  consider(): void;
  /** The caller's words so far, while the turn goes on. */
  hearWords(text: string): void;
  /** What the words of a whole turn mean for the reply: it is cut, or goes on. */
  cutBy(text: string, reply: AgentReply): boolean;
  /** A reply that was silenced goes on when no words follow the voice, or when it is the room. */
  resumeAfterNothing(nowMs: number): void;
  /** The reply's first sound is there: should it wait, because the caller is speaking? */
  waits(reply: AgentReply): boolean;
}

export interface BargeInParts {
  agent: AgentConfig;
  turn: TurnState;
  voice: CallerVoice;
  speaker: Speaker;
  answerer: Answerer | null;
}

export function createBargeIn({ agent, turn, voice, speaker, answerer }: BargeInParts): BargeIn {
  const { call } = agent;

  function allowed(reply: AgentReply): boolean {
    if (answerer?.isMachine || reply.transferAfter) return false;
    return reply.hangUpAfter ? call.hangup_interruptible : call.allow_interruptions;
  }

  function callerMeansBusiness(): boolean {
    return voice.meansBusiness(wordsSoFar(turn));
  }

  function consider(): void {
    const { reply } = speaker;
    if (reply?.audible && allowed(reply) && callerMeansBusiness()) speaker.hush();
  }

  /** One word more, said while the agent still thinks, belongs to what is answered. */
  function cuts(text: string, reply: AgentReply, complete: boolean): boolean {
    return verdict(text, reply.audible ? call.interruption_min_words : 1, complete) === 'cut';
  }

  /** Only a transcriber that tells words as they come can say that there are none. */
  function isTheRoom(nowMs: number): boolean {
    const { settings, tellsUnasked, open } = turn;
    if (!voice.soundsLikeNoise(nowMs) || !speaker.reply?.held || open || wordsSoFar(turn) !== '') return false;
    return settings.decidesTurns || tellsUnasked;
  }

  return {
    allowed,
    consider,
    yield(softly) {
      const { reply } = speaker;
      if (reply && allowed(reply)) speaker.soften(softly);
    },
    hearWords(text) {
      const { reply } = speaker;
      if (!reply || !allowed(reply) || answerer?.keepsSilent) return;
      const meant = cuts(text, reply, false);
      if (!reply.audible) {
        // Still thinking: the caller goes on with the same turn, and is answered once, for all of it. A tool is waited for.
        if (meant && speaker.toolsRunning === 0) speaker.drop();
        return;
      }
      consider();
      if (reply.held && meant) speaker.interrupt();
    },
    cutBy: (text, reply) => cuts(text, reply, true),
    resumeAfterNothing(nowMs) {
      if (!turnOpen(turn) && nowMs - voice.lastVoiceMs >= NO_WORDS_AFTER_MS) speaker.goOn();
      if (!isTheRoom(nowMs)) return;
      // From now on only words stop the agent.
      voice.isNoise();
      speaker.goOn();
    },
    waits(reply) {
      if (answerer?.keepsSilent && !answerer.isMachine) return true;
      return allowed(reply) && (turn.open || callerMeansBusiness());
    },
  };
}
