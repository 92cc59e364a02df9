/** How well passages answer a question, as numbers from 0 to 1. Pure. */

/** One word of a question, as the database looks for it. */
export interface Term {
  /** Which word of the question it stands for. */
  word: number;
  /** Text of a tsquery. */
  query: string;
  weight: number;
}

export interface WordHit {
  /** Names the passage. */
  key: string;
  /** Positions in the list of terms that the passage holds. */
  matched: readonly number[];
}

/** Shorter words begin too many others. */
const MIN_PREFIX_LENGTH = 4;
/** "cancel" finds "cancellation", a little less surely than "cancel". */
const PREFIX_WEIGHT = 0.7;

/** Words of `tellingWords`: letters, marks and digits only, so that nothing in them means something to PostgreSQL. */
export function termsOf(words: readonly string[]): Term[] {
  return words.flatMap((word, index) => {
    const whole = { word: index, query: `'${word}'`, weight: 1 };
    if ([...word].length < MIN_PREFIX_LENGTH) return [whole];
    return [whole, { word: index, query: `'${word}':*`, weight: PREFIX_WEIGHT }];
  });
}

/**
 * The share of the question that each passage holds, by passage. Rare words count more, by the formula of BM25
 * (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009); a word that stands nowhere counts as the rarest,
 * so a passage that misses it does not look perfect.
 *
 * @param hits passages with at least one word; a sample of them when there are more than `found`.
 * @param total passages that were searched.
 */
export function keywordScores(
  terms: readonly Term[],
  hits: readonly WordHit[],
  found: number,
  total: number,
): Map<string, number> {
  const words = 1 + Math.max(-1, ...terms.map((term) => term.word));
  const held = hits.map(({ key, matched }) => {
    const share = new Array<number>(words).fill(0);
    for (const at of matched) {
      const term = terms[at];
      if (term) share[term.word] = Math.max(share[term.word]!, term.weight);
    }
    return { key, share };
  });
  const scale = hits.length === 0 ? 1 : Math.max(1, found / hits.length);
  const rarity = Array.from({ length: words }, (_, word) => {
    const holding = Math.min(total, held.filter(({ share }) => share[word]! > 0).length * scale);
    return Math.log(1 + (total - holding + 0.5) / (holding + 0.5));
  });
  const whole = rarity.reduce((sum, each) => sum + each, 0);
  return new Map(
    held.map(({ key, share }) => {
      const sum = share.reduce((so, each, word) => so + each * rarity[word]!, 0);
      return [key, whole === 0 ? 0 : Math.min(1, sum / whole)];
    }),
  );
}

/** Either sign is enough, and both together are more: the chance that not both are wrong. */
export function combineScores(byWords: number, byMeaning: number): number {
  const meaning = Math.min(1, Math.max(0, byMeaning));
  return 1 - (1 - byWords) * (1 - meaning);
}
