import { z } from 'zod';

/** The header of a change that must not overwrite another. */
export const ifMatch = z.object({
  'if-match': z
    .string()
    .regex(/^"?\d{1,9}"?$/)
    .transform((text) => Number(text.replaceAll('"', '')))
    .optional()
    .describe('the version the change was made from; another one answers 409'),
});
