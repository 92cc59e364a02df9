import { z } from 'zod';
import { inZone } from './times.ts';
import { writeQuickly } from './write-record.ts';

/**
 * The record as JSON may hold it: times in the zone, fields the schema does not name left out.
 *
 * @throws Error when the record does not fit the schema: a mistake of ours.
 */
export function encodeAnswer(zone: string, response: z.ZodType, result: unknown): unknown {
  const quick = inZone(zone, () => writeQuickly(response, result));
  if (quick) return quick.data;
  const encoded = inZone(zone, () => z.safeEncode(response, result));
  if (!encoded.success) {
    const where = encoded.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    throw new Error(`the answer does not fit its schema: ${where}`);
  }
  return encoded.data;
}

/** The same as text. */
export const writeAnswer = (zone: string, response: z.ZodType, result: unknown): string =>
  JSON.stringify(encodeAnswer(zone, response, result));
