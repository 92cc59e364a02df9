/**
 * An answer whose JSON is there already: written for an earlier request, and known to be what would be written now. A handler may
 * give it in place of the record.
 */
export interface SerializedResponse {
  [SERIALIZED]: string;
}

const SERIALIZED: unique symbol = Symbol('written');

export const serialized = (json: string): SerializedResponse => ({ [SERIALIZED]: json });

/** Its JSON; undefined for a record that has still to be written. */
export const serializedJsonOf = (answer: unknown): string | undefined =>
  typeof answer === 'object' && answer !== null ? (answer as Partial<SerializedResponse>)[SERIALIZED] : undefined;
