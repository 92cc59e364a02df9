import { z } from 'zod';
import { E164_PATTERN } from './phone.ts';

/**
 * What a person or program orders in a live call. One schema for both ends: control validates the request with it, the engine what
 * the bus brought.
 */

/** At most a minute or so of speech. */
export const MAX_SAID_CHARACTERS = 1_000;
export const MAX_INSTRUCTION_CHARACTERS = 2_000;
/** Of all instructions of one call, which are part of every prompt from then on. */
export const MAX_INSTRUCTIONS_CHARACTERS = 10_000;

/** A mute that was forgotten is noticed within the first. */
const DEFAULT_MUTE_SECONDS = 300;
const MAX_MUTE_SECONDS = 3_600;
const MAX_VARIABLES = 100;

/** The values of a call's variables, as requests give them. */
export const callVariables = z
  .record(z.string().min(1).max(64), z.union([z.string().max(2000), z.number(), z.boolean()]))
  .refine((data) => Object.keys(data).length <= MAX_VARIABLES, `at most ${MAX_VARIABLES} variables`);

export const sayOrder = z.object({
  text: z.string().trim().min(1).max(MAX_SAID_CHARACTERS).describe('what the agent says to the caller'),
  interrupt: z
    .boolean()
    .default(false)
    .describe('ends what the agent is saying now; else the text follows it. Never said over the caller'),
});
export const instructionOrder = z.object({
  text: z
    .string()
    .trim()
    .min(1)
    .max(MAX_INSTRUCTION_CHARACTERS)
    .describe("added to the agent's prompt from the next reply on"),
});
export const variablesOrder = z.object({
  values: callVariables.describe('replace or add to the variables of the call, from the next reply or tool on'),
});
export const muteOrder = z.object({
  side: z.enum(['agent', 'caller']).describe('who is muted'),
  muted: z.boolean().describe('false: heard again'),
  max_seconds: z
    .int()
    .min(1)
    .max(MAX_MUTE_SECONDS)
    .default(DEFAULT_MUTE_SECONDS)
    .describe('the mute ends by itself after this long; another order to mute starts the time again'),
});

export const digitsOrder = z.object({
  digits: z
    .string()
    .regex(/^[0-9*#]{1,32}$/)
    .describe('keys to press: 0 to 9, `*` and `#`; heard by the caller as tones'),
});
const transferFields = {
  target: z.string().trim().min(1).max(60).optional().describe("one of the agent's transfer targets, by its name"),
  number: z.string().regex(E164_PATTERN).optional().describe('or a number, E.164'),
  reason: z.string().trim().max(300).default('').describe('why, for the summary that the person hears'),
};
const isOne = ({ target, number }: { target?: string | undefined; number?: string | undefined }) =>
  (target === undefined) !== (number === undefined);
export const transferOrder = z.object(transferFields).refine(isOne, 'either a target or a number');

/** How a person takes part in a live call: unheard, in the agent's place, beside it, or heard only by who speaks to the caller so. */
export const PARTICIPANT_MODES = ['listen', 'take_over', 'join', 'whisper'] as const;
export type ParticipantMode = (typeof PARTICIPANT_MODES)[number];

export const handBackOrder = z.object({
  note: z
    .string()
    .trim()
    .max(MAX_INSTRUCTION_CHARACTERS)
    .default('')
    .describe('what the agent should know, in its prompt'),
});

export const liveOrder = z.discriminatedUnion('action', [
  sayOrder.extend({ action: z.literal('say') }),
  instructionOrder.extend({ action: z.literal('instruct') }),
  variablesOrder.extend({ action: z.literal('set_variables') }),
  muteOrder.extend({ action: z.literal('mute') }),
  digitsOrder.extend({ action: z.literal('press_keys') }),
  z.object({ ...transferFields, action: z.literal('transfer') }).refine(isOne),
  handBackOrder.extend({ action: z.literal('hand_back') }),
  z.object({
    action: z.literal('expect_participant'),
    mode: z.enum(PARTICIPANT_MODES),
    /** Of the stream token that the person was given. */
    nonce: z.string().regex(/^[a-f0-9]{16}$/),
    expires_at_ms: z.int().min(0),
  }),
]);
export type LiveOrder = z.output<typeof liveOrder>;
export type LiveAction = LiveOrder['action'];

/** Who gave it, as on the timeline: the kind of the actor and their id, never a name. */
export interface OrderedBy {
  by: string;
  by_id: string;
}

/** Whether it was carried out, and how, or why not. */
export interface LiveOrderResult {
  done: boolean;
  detail: string;
}
