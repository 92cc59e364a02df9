import { z } from 'zod';

/** How the price of a call came about; money in the smallest unit of the workspace's currency, amounts and rates with fractions. */

const COMPONENTS = ['transcriber', 'llm', 'voice', 'telephony', 'platform'] as const;
export type ComponentName = (typeof COMPONENTS)[number];

/** Of speech-to-speech models, whose lines count as the component `llm`; the cached tokens are in no other line. */
const REALTIME_UNITS = [
  '1m_text_input_tokens',
  '1m_text_output_tokens',
  '1m_audio_input_tokens',
  '1m_audio_output_tokens',
  '1m_cached_text_input_tokens',
  '1m_cached_audio_input_tokens',
] as const;

const priceLine = z.object({
  component: z.enum(COMPONENTS).describe('what it is a part of'),
  provider: z.string().describe('that served it'),
  model: z.string().describe('that served it; `transfer` and `transfer-caller` for the legs of a transfer'),
  quantity: z.number().describe('of `unit`'),
  unit: z
    .enum(['minute', '1k_characters', '1m_input_tokens', '1m_output_tokens', ...REALTIME_UNITS])
    .describe('what the rate is for'),
  rate_paise: z.number().describe('per unit'),
  amount_paise: z.number().describe('quantity × rate'),
});
export type PriceLine = z.output<typeof priceLine>;

const amount = z.number().describe('of this component');

/** Components, lines and `usage_paise` are of the whole call; the floor is of the part that the plan did not cover. */
export const costBreakdown = z.object({
  components: z
    .object({ transcriber: amount, llm: amount, voice: amount, telephony: amount, platform: amount })
    .describe('amounts by component'),
  lines: z.array(priceLine).describe('what was used, by provider and model'),
  usage_paise: z.int().describe('the sum of the lines, rounded up'),
  floor_per_minute_paise: z.number().describe('the least that a minute costs, by the plan'),
  floor_paise: z.int().describe('the least that the call costs, without what the plan covers'),
  floor_applied: z.boolean().describe('the floor was charged'),
  total_paise: z.int().describe('what was charged'),
  duration_seconds: z.int().describe('live time, rounded up'),
  channel: z.enum(['phone', 'web']).describe('which floor applies'),
  plan_minutes: z
    .object({
      multiplier: z.number().describe('included minutes that a minute of the call takes'),
      allowance_seconds_used: z.number().describe("seconds taken from the plan's included minutes"),
    })
    .describe('what the plan covered'),
  waived: z
    .literal('failed')
    .nullable()
    .describe('`failed`: the call is free because the service ended it by a failure'),
  waived_paise: z.int().describe('the cost without the waiver'),
  paise_per_dollar: z
    .number()
    .nullable()
    .describe('the exchange rate that prices in rupees were converted at; null: the workspace pays in rupees'),
});
export type CostBreakdown = z.output<typeof costBreakdown>;
