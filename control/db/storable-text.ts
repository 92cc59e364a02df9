/** Removes what PostgreSQL cannot store: U+0000 and lone surrogates. */
export const storableText = (text: string) => text.replaceAll('\0', '').toWellFormed();

/** The same on one line, without control characters. */
export const storableLine = (text: string) =>
  storableText(text)
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
