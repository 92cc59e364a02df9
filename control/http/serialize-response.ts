import { z } from 'zod';
import { encodeRecord } from './serialize-record.ts';
import { inZone } from './times.ts';

/**
 * Returns the record as JSON may hold it: times in the zone, without fields that the schema does not name.
 *
 * @throws Error when the record does not match the schema, which is a bug.
 */
export function encodeResponse(zone: string, response: z.ZodType, result: unknown): unknown {
  const quick = inZone(zone, () => encodeRecord(response, result));
  if (quick) return quick.data;
  const encoded = inZone(zone, () => z.safeEncode(response, result));
  if (!encoded.success) {
    const where = encoded.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    throw new Error(`response does not match its schema: ${where}`);
  }
  return encoded.data;
}

/** Returns the same as text. */
export const serializeResponse = (zone: string, response: z.ZodType, result: unknown): string =>
  JSON.stringify(encodeResponse(zone, response, result));

/** A response whose JSON exists already, from a cache. A handler may return it in place of the record. */
export interface SerializedResponse {
  [SERIALIZED]: string;
}

const SERIALIZED: unique symbol = Symbol('written');

export const serialized = (json: string): SerializedResponse => ({ [SERIALIZED]: json });

/** Returns its JSON; undefined for a record that has still to be serialized. */
export const serializedJsonOf = (result: unknown): string | undefined =>
  typeof result === 'object' && result !== null ? (result as Partial<SerializedResponse>)[SERIALIZED] : undefined;
