import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { completeness } from '../media/turn/completeness.ts';
import { readGreeting } from '../media/turn/greeting-words.ts';
import { interruptionVerdict } from '../media/turn/interruption-verdict.ts';
import { turnWords } from '../shared/languages/turn-words.ts';
import { plainWords } from '../shared/words.ts';

/** How well the lists of a language tell lines apart that are in none of its lists: `fixtures/language-lines/<code>.txt`. */

export const LABELS = [
  'backchannel',
  'interruption',
  'command',
  'complete',
  'incomplete',
  'dictating',
  'machine',
  'person',
] as const;
export type Label = (typeof LABELS)[number];

export interface LabelledLine {
  label: Label;
  text: string;
}

/** Of one label: of what was taken for it, the share that is it; and of what is it, the share that was taken for it. */
export interface Figure {
  precision: number;
  recall: number;
}

export type LanguageFigures = Record<
  'backchannel' | 'command' | 'complete' | 'incomplete' | 'dictating' | 'machine',
  Figure
> & {
  /** Share of the lines that are no backchannel and interrupt the agent, and of backchannels that let it go on. */
  verdict: number;
  /** Share of the complete lines that are not taken for unfinished ones where the transcriber writes no punctuation … */
  completeWithoutStop: number;
  /** … and of the incomplete ones that are, where it writes a full stop at the pause. */
  incompleteWithStop: number;
};

/** The words of the caller that interrupt the agent, as an agent has them that does not say. */
const MIN_WORDS = 2;
/** More words than any line has: only a command interrupts. */
const MANY_WORDS = 100;

const TURN: readonly Label[] = ['backchannel', 'interruption', 'command'];
const SENTENCE: readonly Label[] = ['complete', 'incomplete', 'dictating'];
const GREETING: readonly Label[] = ['machine', 'person'];

export function readLines(code: string): LabelledLine[] {
  const path = fileURLToPath(new URL(`../fixtures/language-lines/${code}.txt`, import.meta.url));
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.indexOf('|');
      return { label: line.slice(0, at).trim() as Label, text: line.slice(at + 1).trim() };
    });
}

/** What the rules take a line for, among the labels of its group; null for none of them. */
export function labelOf({ label, text }: LabelledLine, code: string): Label | null {
  const words = turnWords(code);
  if (TURN.includes(label)) {
    if (interruptionVerdict(text, MANY_WORDS, true, words) === 'interrupt') return 'command';
    return words.isBackchannel(plainWords(text)) ? 'backchannel' : 'interruption';
  }
  if (SENTENCE.includes(label)) {
    const result = completeness(text, words);
    return result === 'unsure' ? null : result;
  }
  const { certain, hints, person } = readGreeting(text, text, words);
  return certain || (hints >= 2 && !person) ? 'machine' : 'person';
}

export function languageFigures(code: string): LanguageFigures {
  const lines = readLines(code).map((line) => ({ ...line, taken: labelOf(line, code) }));
  const figure = (group: readonly Label[], label: Label): Figure => {
    const among = lines.filter((line) => group.includes(line.label));
    const taken = among.filter((line) => line.taken === label);
    const right = taken.filter((line) => line.label === label).length;
    return {
      precision: taken.length === 0 ? 1 : right / taken.length,
      recall: right / among.filter((line) => line.label === label).length,
    };
  };
  const turns = lines.filter(({ label }) => TURN.includes(label));
  const decided = turns.filter(({ label, text }) => {
    const interrupts = interruptionVerdict(text, MIN_WORDS, true, turnWords(code)) === 'interrupt';
    return interrupts === (label !== 'backchannel');
  });
  const shareOf = (label: Label, decidedRight: (text: string) => boolean) => {
    const among = lines.filter((line) => line.label === label);
    return among.filter(({ text }) => decidedRight(text)).length / among.length;
  };
  const words = turnWords(code);
  return {
    completeWithoutStop: shareOf('complete', (text) => {
      const result = completeness(text.replace(/[.?!؟।]+$/u, ''), words);
      return result === 'complete' || result === 'unsure';
    }),
    incompleteWithStop: shareOf('incomplete', (text) => completeness(`${text}.`, words) === 'incomplete'),
    verdict: decided.length / turns.length,
    backchannel: figure(TURN, 'backchannel'),
    command: figure(TURN, 'command'),
    complete: figure(SENTENCE, 'complete'),
    incomplete: figure(SENTENCE, 'incomplete'),
    dictating: figure(SENTENCE, 'dictating'),
    machine: figure(GREETING, 'machine'),
  };
}
