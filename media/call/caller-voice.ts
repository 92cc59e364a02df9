import type { Clock } from '../../shared/clock.ts';
import type { Playout } from '../playout/playout.ts';
import type { TranscriberEvent } from '../stt/transcriber.ts';
import { NOISE_AFTER_MS, shouldHush } from '../turn/interruption.ts';
import { hearWindow, quiet, unbrokenMs } from '../turn/speech.ts';
import type { AgentReply } from './agent-reply.ts';
import { createOwnEcho } from './own-echo.ts';

/**
 * The caller's voice as it is heard, words aside: when it begins and ends, whether it is the room or the agent's own echo
 * instead, and whether it asks the agent to be silent.
 */
export interface CallerVoice {
  readonly speaking: boolean;
  readonly startedMs: number;
  readonly lastVoiceMs: number;
  /** Takes a window of voice activity; `stirring`: a voice has begun, or was nothing, this moment. */
  hear(
    probability: number,
    endMs: number,
    periodicity?: number,
  ): { change: 'started' | 'ended' | null; stirring: boolean | null };
  /** The voice that goes on holds no words. */
  isNoise(): void;
  /** Goes on without words for so long that it must be the room? */
  soundsLikeNoise(nowMs: number): boolean;
  /** It means to speak: words that are no backchannel, or a stretch of voice without a break. */
  meansBusiness(words: string): boolean;
  /** A transcriber's event without the words that the agent is saying itself. */
  withoutEcho<Event extends Exclude<TranscriberEvent, { type: 'failed' }>>(
    event: Event,
    reply: AgentReply | null,
  ): Event;
  replyFinished(reply: AgentReply): void;
}

export function createCallerVoice(clock: Clock, playout: Playout): CallerVoice {
  const speech = quiet();
  const echo = createOwnEcho(clock, playout);
  let noise = false;
  return {
    get speaking() {
      return speech.speaking;
    },
    get startedMs() {
      return speech.startedMs;
    },
    get lastVoiceMs() {
      return speech.lastVoiceMs;
    },
    hear(probability, endMs, periodicity) {
      const before = speech.stirring;
      const change = hearWindow(speech, probability, endMs, periodicity);
      return { change, stirring: speech.stirring === before ? null : speech.stirring };
    },
    isNoise() {
      noise = true;
    },
    soundsLikeNoise(nowMs) {
      if (!speech.speaking) noise = false;
      return speech.speaking && nowMs - speech.startedMs >= NOISE_AFTER_MS;
    },
    meansBusiness(words) {
      return shouldHush(noise || echo.heard ? 0 : unbrokenMs(speech, clock.now()), words);
    },
    withoutEcho: (event, reply) => echo.leaveOut(event, reply) as typeof event,
    replyFinished: (reply) => echo.finished(reply),
  };
}
