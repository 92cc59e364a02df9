/**
 * An answer whose JSON is there already: written for an earlier request, and known to be what would be written now. A handler may
 * give it in place of the record.
 */
export interface WrittenAnswer {
  [WRITTEN]: string;
}

const WRITTEN: unique symbol = Symbol('written');

export const written = (json: string): WrittenAnswer => ({ [WRITTEN]: json });

/** Its JSON; undefined for a record that has still to be written. */
export const jsonOf = (answer: unknown): string | undefined =>
  typeof answer === 'object' && answer !== null ? (answer as Partial<WrittenAnswer>)[WRITTEN] : undefined;
