import { LANGUAGES } from '../shared/languages/registry.ts';
import { type Figure, labelOf, languageFigures, readLines } from './language-figures.ts';

/**
 * Prints how well the lists of each language do on its held-out lines: `node bench/languages.ts`. With codes of languages, also
 * the lines that were taken for something else: `node bench/languages.ts es ta`.
 */

const NAMES = ['backchannel', 'command', 'complete', 'incomplete', 'dictating', 'machine'] as const;
const percent = (share: number) => String(Math.round(share * 100));
const both = ({ precision, recall }: Figure) => `${percent(precision)} / ${percent(recall)}`;

console.log(
  'precision / recall in percent; "verdict": interrupt or go on, decided right; "no stop": complete lines without punctuation\n' +
    'that are not taken for unfinished; "with stop": incomplete lines with a full stop that are\n',
);
console.log(`| language | verdict | ${NAMES.join(' | ')} | no stop | with stop |`);
console.log(`|---|${'---|'.repeat(NAMES.length + 3)}`);
for (const { code, name } of LANGUAGES) {
  const figures = languageFigures(code);
  const shares = [figures.completeWithoutStop, figures.incompleteWithStop].map(percent);
  const cells = [name, percent(figures.verdict), ...NAMES.map((each) => both(figures[each])), ...shares];
  console.log(`| ${cells.join(' | ')} |`);
}

for (const code of process.argv.slice(2)) {
  console.log(`\n${code}: taken for something else`);
  for (const line of readLines(code)) {
    const taken = labelOf(line, code);
    if (taken !== line.label) console.log(`  ${line.label} → ${taken ?? 'unsure'}: ${line.text}`);
  }
}
