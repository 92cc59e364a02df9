import { z } from 'zod';
import { encodeRecord } from './serialize-record.ts';
import { inZone } from './times.ts';

/**
 * The record as JSON may hold it: times in the zone, fields the schema does not name left out.
 *
 * @throws Error when the record does not fit the schema: a mistake of ours.
 */
export function encodeResponse(zone: string, response: z.ZodType, result: unknown): unknown {
  const quick = inZone(zone, () => encodeRecord(response, result));
  if (quick) return quick.data;
  const encoded = inZone(zone, () => z.safeEncode(response, result));
  if (!encoded.success) {
    const where = encoded.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    throw new Error(`the answer does not fit its schema: ${where}`);
  }
  return encoded.data;
}

/** The same as text. */
export const serializeResponse = (zone: string, response: z.ZodType, result: unknown): string =>
  JSON.stringify(encodeResponse(zone, response, result));

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
