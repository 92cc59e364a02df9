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
