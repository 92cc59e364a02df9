import type { Clock } from '../../shared/clock.ts';
import {
  awaitWords,
  checkUntranscribed,
  mayReprompt,
  nothingUntranscribed,
  onUnderstood,
  stopAwaitingWords,
} from '../turn/untranscribed-speech.ts';
import type { AnsweringMachineDetector } from './answering-machine-handling.ts';
import type { CallerSpeech } from './caller-speech.ts';
import type { CannedPrompts } from './canned-prompts.ts';
import type { ChatContext } from './chat-context.ts';
import type { Speaker } from './speaker.ts';

/** Asks the caller to say again what was clearly said and never transcribed; when, decides `turn/untranscribed-speech.ts`. */
export interface Reprompt {
  /** Words of clear speech are awaited, so the caller is not idle. */
  readonly awaitsWords: boolean;
  onSpeechStarted(): void;
  onSpeechEnded(): void;
  /** The ongoing speech is background noise. */
  onNoise(): void;
  /** The caller's turn ended with words, or keys were pressed. */
  onUnderstood(): void;
  /** The agent stopped for words that were taken back, and asks for them. */
  onWordsTakenBack(): void;
  /** Every 20 ms. `callerActive`: the caller's turn is open. */
  tick(callerActive: boolean): void;
}

export interface RepromptOptions {
  /** See `turn/audio-clock.ts`. */
  callerClock: Pick<Clock, 'now'>;
  context: Pick<ChatContext, 'report'>;
  speaker: Speaker;
  callerSpeech: CallerSpeech;
  prompts: CannedPrompts;
  machineDetector: AnsweringMachineDetector | null;
}

export function createReprompt(options: RepromptOptions): Reprompt {
  const { callerClock, context, speaker, callerSpeech, prompts, machineDetector } = options;
  const untranscribed = nothingUntranscribed();
  /** The ongoing speech began while the agent was silent, is no known noise, and no turn has ended since. */
  let eligible = false;

  /** What is said to the agent while it speaks may be an echo or a backchannel; what is said while it thinks gets that reply. */
  const agentActive = () =>
    speaker.reply !== null ||
    speaker.toolsRunning > 0 ||
    machineDetector?.suppressesReplies === true ||
    machineDetector?.isMachine === true;

  return {
    get awaitsWords() {
      return untranscribed.speech !== null;
    },
    onSpeechStarted() {
      eligible = !agentActive();
    },
    onSpeechEnded() {
      const { startedMs: startMs, lastSpeechMs: endMs, longestUnbrokenMs: unbrokenMs } = callerSpeech;
      if (eligible) awaitWords(untranscribed, { startMs, endMs, unbrokenMs });
      eligible = false;
    },
    onNoise() {
      eligible = false;
    },
    onUnderstood() {
      eligible = false;
      onUnderstood(untranscribed);
    },
    onWordsTakenBack() {
      if (!mayReprompt(untranscribed)) return;
      untranscribed.reprompts++;
      prompts.reprompt();
    },
    tick(callerActive) {
      if (untranscribed.speech === null) return;
      if (agentActive()) stopAwaitingWords(untranscribed);
      if (callerActive) return;
      const speechMs = checkUntranscribed(untranscribed, callerClock.now());
      if (speechMs === null) return;
      const seconds = (speechMs / 1_000).toFixed(1);
      const data = { component: 'transcriber', speech_ms: Math.round(speechMs) };
      context.report('error', `no words for ${seconds} s of speech`, { level: 'warning', data });
      prompts.reprompt();
    },
  };
}
