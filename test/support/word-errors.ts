/** Returns the Levenshtein distance between two texts in words. */
export function wordErrors(said: string, recognized: string): number {
  const from = words(said);
  const to = words(recognized);
  let row = to.map((_, index) => index + 1);
  row.unshift(0);
  from.forEach((word, index) => {
    const next = [index + 1];
    to.forEach((other, at) => {
      next.push(Math.min(row[at + 1]! + 1, next[at]! + 1, row[at]! + (word === other ? 0 : 1)));
    });
    row = next;
  });
  return row.at(-1)!;
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
