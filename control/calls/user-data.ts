import { z } from 'zod';

const MAX_VARIABLES = 100;

/** Values of an agent's `{variables}` as whoever places a call gives them: text, numbers, yes or no. */
export const userDataInput = z
  .record(z.string().min(1).max(64), z.union([z.string().max(2000), z.number(), z.boolean()]))
  .refine((data) => Object.keys(data).length <= MAX_VARIABLES, `at most ${MAX_VARIABLES} variables`)
  .describe('values of the variables in welcome message and prompt');
