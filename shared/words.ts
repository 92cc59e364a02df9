/** What short utterances mean for the conversation, in English, Hindi and Hinglish. Pure. */

/** They mean "I am listening", not "let me speak". */
const BACKCHANNELS = new Set(
  'mm mmm mhm mmhm mmhmm hm hmm hmmm mm-hm mm-hmm uh-huh uhuh uh huh ah aha oh ok okay right yeah yep yup sure achha acha accha haan han ha ji theek thik हाँ हां अच्छा जी ठीक हम्म'.split(
    ' ',
  ),
);

/** They interrupt the agent however short they are. */
const COMMANDS = [
  'stop',
  'wait',
  'hold on',
  'one minute',
  'one moment',
  'one second',
  'excuse me',
  'no',
  'ruko',
  'rukiye',
  'ek minute',
  'ek second',
  'bas',
  'nahi',
  'suno',
  'suniye',
  'रुको',
  'रुकिए',
  'एक मिनट',
  'बस',
  'नहीं',
  'सुनिए',
];

/** Lower case, no punctuation but inner hyphens and apostrophes, single spaces. */
export function plainWords(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}'\- ]+/gu, ' ')
    .split(/\s+/)
    .map((word) => word.replace(/^[-']+|[-']+$/g, ''))
    .filter((word) => word !== '');
}

export function isBackchannel(words: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => BACKCHANNELS.has(word));
}

export function isCommand(words: readonly string[]): boolean {
  const text = ` ${words.join(' ')} `;
  return COMMANDS.some((command) => text.includes(` ${command} `));
}

/** Differs in substance, not only in case or punctuation. */
export function sameWords(a: string, b: string): boolean {
  return plainWords(a).join(' ') === plainWords(b).join(' ');
}
