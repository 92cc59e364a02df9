import type { Pronunciation } from '../../shared/pronunciation.ts';
import { type Completed, type Completion, type CompletionOptions, complete } from '../../shared/reply/complete.ts';
import type { TextSegment } from '../playout/spoken-text.ts';
import { createSpeechSegmenter } from './speech-segmenter.ts';
import { createVoicedWords } from './voiced-words.ts';

export interface GenerateOptions extends Omit<CompletionOptions, 'onText'> {
  /** Language of the voice, like "en" or "hi-IN"; decides how numbers and the like are spoken. */
  language?: string;
  pronunciation?: Pronunciation | null;
  onSegment(segment: TextSegment): void;
}

/**
 * Runs one completion of the language model and streams it as speakable segments: the first is given out before the model has
 * finished its sentence. Does not retry.
 */
export function generate({ language, pronunciation = null, onSegment, ...options }: GenerateOptions): Completion {
  const segmenter = createSpeechSegmenter({ language, pronunciation });
  const voicedWords = createVoicedWords();
  let cancelled = false;
  const completion = complete({
    ...options,
    onText(text, voiced) {
      for (const segment of voiced ? voicedWords.push(text) : segmenter.push(text)) onSegment(segment);
    },
  });

  async function segments(): Promise<Completed | null> {
    try {
      const result = await completion.done;
      if (result === null || cancelled) return null;
      for (const segment of [...voicedWords.flush(), ...segmenter.flush()]) onSegment(segment);
      return cancelled ? null : result;
    } catch (error) {
      if (cancelled) return null;
      for (const segment of voicedWords.flush()) onSegment(segment);
      // Of the rest only complete sentences are spoken.
      const rest = segmenter.flush();
      if (/[.!?।]\s*$/.test(rest.at(-1)?.original ?? '')) for (const segment of rest) onSegment(segment);
      throw error;
    }
  }

  return {
    done: segments(),
    cancel() {
      cancelled = true;
      completion.cancel();
    },
  };
}
