import { z } from 'zod';
import { time } from '../http/times.ts';
import { SUBSCRIPTIONS } from './event-types.ts';

const fields = {
  id: z.string().describe('`we_…`'),
  url: z.string().describe('https; where deliveries are sent'),
  description: z.string().describe('at most 200 characters; may be empty'),
  events: z.array(z.string()).describe('`*`, or names of events'),
  active: z.boolean().describe('an inactive endpoint gets nothing'),
  secret_hint: z.string().describe('`whsec_`, and the first and last four characters of the secret'),
  created_at: time(),
  created_by: z.string().describe('a name'),
};

export const endpointRecord = z.object(fields).meta({ id: 'WebhookEndpoint' });
/** Returned only when the endpoint is created or its secret rotated. */
export const endpointWithSecret = z
  .object({ ...fields, secret: z.string().describe('`whsec_…`, shown only now') })
  .meta({ id: 'WebhookEndpointWithSecret' });

export const defaultSecretRecord = z
  .object({
    secret_hint: z.string().describe('`whsec_`, and the first and last four characters of the secret'),
    created_at: time(),
  })
  .meta({ id: 'WebhookDefaultSecret' });
export const newDefaultSecret = z
  .object({
    secret: z.string().describe('`whsec_…`, shown only now'),
    secret_hint: z.string().describe('`whsec_`, and its first and last four characters'),
    created_at: time(),
  })
  .meta({ id: 'NewWebhookDefaultSecret' });

export const eventTypeRecord = z
  .object({
    type: z.string().describe('as in the `type` of a delivery'),
    description: z.string().describe('when it is sent'),
    lifecycle: z.boolean().describe('one of those that `*` stands for'),
  })
  .meta({ id: 'WebhookEventType' });

const url = z.url().max(500).describe('https on the public internet');
const description = z.string().max(200).describe('for people');
const events = z.array(z.enum(SUBSCRIPTIONS)).min(1).max(100);

export const newEndpointBody = z.object({
  url,
  description: description.default(''),
  events: events
    .default(['*'])
    .describe('`*` stands for the life of a call; the others are listed by GET /webhooks/events'),
  active: z.boolean().default(true).describe('an inactive endpoint gets nothing'),
});

export const endpointChangeBody = z.object({
  url: url.optional(),
  description: description.optional(),
  events: events.optional().describe('left out: stay'),
  active: z.boolean().optional().describe('left out: stays'),
});

export type NewEndpoint = z.output<typeof newEndpointBody>;
export type EndpointChangeBody = z.output<typeof endpointChangeBody>;
