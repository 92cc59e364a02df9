/** What a search looks up in the index of the words of calls; the other half is `call_search_keys` in the database. */

export interface SearchKeys {
  /** Around each space, the three letters before and after it. */
  pairs: string[];
  /** Two or three letters in a row of parts that are not in Latin letters. */
  letters: string[];
  /** Whether PostgreSQL finds it by trigrams: it knows those of Latin letters and digits in every locale. */
  hasTrigrams: boolean;
}

/**
 * Returns parts of `q` that every text with `q` has, in the letters of `q`. A word at either end of `q` may be a part of a longer one
 * there, so what is known of it is less.
 */
export function searchKeys(q: string): SearchKeys {
  const words = q.split(' ').map((word) => [...word]);
  const pairs = words.slice(1).flatMap((following, index) => {
    const word = words[index]!;
    const isKnown = (index > 0 || word.length >= 3) && (index + 2 < words.length || following.length >= 3);
    return isKnown ? [`${word.slice(-3).join('')} ${following.slice(0, 3).join('')}`] : [];
  });
  const letters = words.filter((word) => word.some((letter) => letter > '\x7f')).flatMap(inARow);
  return { pairs, letters, hasTrigrams: /[a-z0-9]{3}/i.test(q) };
}

/** Every three letters of a word, or its two. */
function inARow(word: string[]): string[] {
  const size = word.length === 2 ? 2 : 3;
  return Array.from({ length: Math.max(0, word.length - size + 1) }, (_, place) =>
    word.slice(place, place + size).join(''),
  );
}
