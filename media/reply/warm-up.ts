import { type Clock, pause } from '../../shared/clock.ts';
import { LANGUAGES } from '../../shared/languages/registry.ts';
import { turnWords } from '../../shared/languages/turn-words.ts';
import { completeness } from '../turn/completeness.ts';
import { createSpeechSegmenter } from './speech-segmenter.ts';
import { spokenForm } from './spoken-form.ts';

/**
 * Runs the text rules for English and Hindi once at start, so that they are compiled before the first call: otherwise the first
 * reply of a process takes some 80 ms longer. Kept apart from the process, which need not know the rules.
 */
export function warmUpTextProcessing(): void {
  for (const [language, text] of SENTENCES) {
    for (let round = 0; round < 3; round++) {
      const segmenter = createSpeechSegmenter({ language });
      for (const chunk of text.match(/.{1,7}/gsu) ?? []) segmenter.push(chunk);
      segmenter.flush();
      completeness(text);
    }
    turnWords(language);
  }
}

/** Calls that are there already get their turn meanwhile. */
const PAUSE_MS = 50;

/** Makes the lists and rules of the other languages, one after the other: at their first use it would be in a turn of a call. */
export async function warmUpOtherLanguages(clock: Pick<Clock, 'after'>): Promise<void> {
  for (const { code, texts } of LANGUAGES) {
    if (SENTENCES.some(([language]) => language === code)) continue;
    turnWords(code);
    await pause(clock, PAUSE_MS);
    spokenForm(`${texts.goodbye} ${NUMBERS}`, code);
    await pause(clock, PAUSE_MS);
  }
}

const NUMBERS = '1.250,50 € 12/03/2026 19:30 15 km 50 % +91 98765 43210';

const SENTENCES: [language: string, text: string][] = [
  [
    'en',
    'Certainly, **one** table for two people on 12/03/2026 at 7:30 pm, that is ₹1,250.50 or $20. Call +91 98765 43210, see `a.b`, Dr. Smith, 15 km. 1st, 50 %.',
  ],
  ['hi', 'जी हाँ, 12/03/2026 को 7:30 बजे दो लोगों के लिए, ₹1,250.50, फ़ोन +91 98765 43210, 15 km, 50 %.'],
];
