/** Scores passages against a query, from 0 to 1. Pure functions. */

/** One word of a query, as the database searches it. */
export interface Term {
  /** Position of the word in the query. */
  word: number;
  /** A tsquery as text. */
  query: string;
  weight: number;
}

export interface WordHit {
  /** Identifies the passage. */
  key: string;
  /** Positions in the list of the terms that the passage contains. */
  matched: readonly number[];
}

/** Shorter words are prefixes of too many others. */
const MIN_PREFIX_LENGTH = 4;
/** "cancel" finds "cancellation", with a lower weight than "cancel". */
const PREFIX_WEIGHT = 0.7;

/** "charging" finds "charged", with a lower weight still. */
const OTHER_FORM_WEIGHT = 0.6;
/** Endings of English words that have other forms. */
const ENDING = /(?:ations?|ments?|ings?|ions?|ed|er|ly)$/;

/** Terms of the words of `significantTerms`, which have no characters with a meaning in a tsquery. */
export function termsOf(words: readonly string[]): Term[] {
  return words.flatMap((word, index) => {
    const whole = { word: index, query: `'${word}'`, weight: 1 };
    if ([...word].length < MIN_PREFIX_LENGTH) return [whole];
    const longer = { word: index, query: `'${word}':*`, weight: PREFIX_WEIGHT };
    const start = /^[a-z]+$/.test(word) ? word.replace(ENDING, '') : word;
    if (start === word || start.length < MIN_PREFIX_LENGTH) return [whole, longer];
    return [whole, longer, { word: index, query: `'${start}':*`, weight: OTHER_FORM_WEIGHT }];
  });
}

/**
 * Scores each passage by the share of the query's words that it contains. Rare words count more, by the formula of BM25
 * (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009); a word without hits counts as the rarest, so that a
 * passage without it gets no perfect score.
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

/** Combines both scores as independent probabilities: either is enough, and both together score higher. */
export function combineScores(keywordScore: number, similarity: number): number {
  const semantic = Math.min(1, Math.max(0, similarity));
  return 1 - (1 - keywordScore) * (1 - semantic);
}
