import type { Clock } from '../../shared/clock.ts';
import { type TurnWords, turnWords } from '../../shared/languages/turn-words.ts';
import type { Playout } from '../playout/playout.ts';
import type { TranscriberEvent } from '../stt/transcriber.ts';
import { NOISE_AFTER_MS, shouldPause } from '../turn/interruption-verdict.ts';
import { noSpeech, unbrokenSpeechMs, updateSpeech } from '../turn/speech-state.ts';
import type { AgentReply } from './agent-reply.ts';
import { createEchoFilter } from './echo-filter.ts';

/**
 * The caller's speech apart from its words: when it starts and ends, whether it is background noise or the agent's own echo,
 * and whether the agent should pause for it.
 */
export interface CallerSpeech {
  readonly startedMs: number;
  readonly lastSpeechMs: number;
  /** Now, and it is not the agent's own voice. */
  readonly speaking: boolean;
  /** The longest unbroken voiced part of the current or last stretch of speech. */
  readonly longestUnbrokenMs: number;
  /** Takes a VAD window; `possibleSpeech` is set when a possible voice has just begun or turned out to be nothing. */
  onWindow(
    probability: number,
    endMs: number,
    periodicity?: number,
  ): { change: 'started' | 'ended' | null; possibleSpeech: boolean | null };
  /** The ongoing voice has no words. */
  markAsNoise(): void;
  /** Whether the voice has gone on for so long that, without words, it is background noise. */
  isLikelyNoise(nowMs: number): boolean;
  /** Whether the agent should pause: for words that are no backchannel, or for unbroken speech. */
  shouldPauseAgent(words: string): boolean;
  /** Returns a transcriber's event without the words that are the agent's own. */
  withoutEcho<Event extends Exclude<TranscriberEvent, { type: 'failed' }>>(
    event: Event,
    reply: AgentReply | null,
  ): Event;
  onReplyFinished(reply: AgentReply): void;
}

export interface CallerSpeechOptions {
  clock: Clock;
  /** See `turn/audio-clock.ts`. */
  callerClock: Pick<Clock, 'now'>;
  playout: Playout;
  /** Those of the caller's language now. */
  words?: () => TurnWords;
}

export function createCallerSpeech(options: CallerSpeechOptions): CallerSpeech {
  const { clock, callerClock, playout, words: known = () => turnWords() } = options;
  const speech = noSpeech();
  const echo = createEchoFilter(clock, playout, known);
  let noise = false;
  let longestUnbrokenMs = 0;
  return {
    get startedMs() {
      return speech.startedMs;
    },
    get lastSpeechMs() {
      return speech.lastSpeechMs;
    },
    get speaking() {
      return speech.speaking && !echo.isActive;
    },
    get longestUnbrokenMs() {
      return longestUnbrokenMs;
    },
    onWindow(probability, endMs, periodicity) {
      const before = speech.possibleSpeech;
      const change = updateSpeech(speech, probability, endMs, periodicity);
      if (change === 'started') longestUnbrokenMs = 0;
      if (speech.speaking) longestUnbrokenMs = Math.max(longestUnbrokenMs, unbrokenSpeechMs(speech, endMs));
      return { change, possibleSpeech: speech.possibleSpeech === before ? null : speech.possibleSpeech };
    },
    markAsNoise() {
      noise = true;
    },
    isLikelyNoise(nowMs) {
      if (!speech.speaking) noise = false;
      return speech.speaking && nowMs - speech.startedMs >= NOISE_AFTER_MS;
    },
    shouldPauseAgent(words) {
      return shouldPause(noise || echo.isActive ? 0 : unbrokenSpeechMs(speech, callerClock.now()), words, known());
    },
    withoutEcho: (event, reply) => echo.filter(event, reply) as typeof event,
    onReplyFinished: (reply) => echo.onReplyFinished(reply),
  };
}
