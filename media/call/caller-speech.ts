import type { Clock } from '../../shared/clock.ts';
import type { Playout } from '../playout/playout.ts';
import type { TranscriberEvent } from '../stt/transcriber.ts';
import { NOISE_AFTER_MS, shouldPause } from '../turn/interruption.ts';
import { noSpeech, unbrokenSpeechMs, updateSpeech } from '../turn/speech-state.ts';
import type { AgentReply } from './agent-reply.ts';
import { createEchoFilter } from './echo-filter.ts';

/**
 * The caller's voice as it is heard, words aside: when it begins and ends, whether it is the room or the agent's own echo
 * instead, and whether it asks the agent to be silent.
 */
export interface CallerSpeech {
  readonly speaking: boolean;
  readonly startedMs: number;
  readonly lastSpeechMs: number;
  /** Takes a window of voice activity; `stirring`: a voice has begun, or was nothing, this moment. */
  onWindow(
    probability: number,
    endMs: number,
    periodicity?: number,
  ): { change: 'started' | 'ended' | null; stirring: boolean | null };
  /** The voice that goes on holds no words. */
  markAsNoise(): void;
  /** Goes on without words for so long that it must be the room? */
  isLikelyNoise(nowMs: number): boolean;
  /** It means to speak: words that are no backchannel, or a stretch of voice without a break. */
  shouldPauseAgent(words: string): boolean;
  /** A transcriber's event without the words that the agent is saying itself. */
  withoutEcho<Event extends Exclude<TranscriberEvent, { type: 'failed' }>>(
    event: Event,
    reply: AgentReply | null,
  ): Event;
  onReplyFinished(reply: AgentReply): void;
}

export function createCallerSpeech(clock: Clock, playout: Playout): CallerSpeech {
  const speech = noSpeech();
  const echo = createEchoFilter(clock, playout);
  let noise = false;
  return {
    get speaking() {
      return speech.speaking;
    },
    get startedMs() {
      return speech.startedMs;
    },
    get lastSpeechMs() {
      return speech.lastSpeechMs;
    },
    onWindow(probability, endMs, periodicity) {
      const before = speech.possibleSpeech;
      const change = updateSpeech(speech, probability, endMs, periodicity);
      return { change, stirring: speech.possibleSpeech === before ? null : speech.possibleSpeech };
    },
    markAsNoise() {
      noise = true;
    },
    isLikelyNoise(nowMs) {
      if (!speech.speaking) noise = false;
      return speech.speaking && nowMs - speech.startedMs >= NOISE_AFTER_MS;
    },
    shouldPauseAgent(words) {
      return shouldPause(noise || echo.isActive ? 0 : unbrokenSpeechMs(speech, clock.now()), words);
    },
    withoutEcho: (event, reply) => echo.filter(event, reply) as typeof event,
    onReplyFinished: (reply) => echo.onReplyFinished(reply),
  };
}
