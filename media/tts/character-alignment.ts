/** How many letters and digits a text has: what is spoken, and what alignments can be compared by. */
export function countAlphanumerics(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
