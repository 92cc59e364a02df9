/** Letters, marks and digits only, in lower case, because models change punctuation while copying. */
export const plainQuote = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/** Whether these words were said, one after another, in one of the texts or across them. */
export function isQuoteOf(quote: string, texts: readonly string[]): boolean {
  const words = plainQuote(quote);
  const said = texts.map(plainQuote).filter((text) => text !== '');
  return words !== '' && ` ${said.join(' ')} `.includes(` ${words} `);
}
