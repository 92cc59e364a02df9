import { z } from 'zod';
import { time } from '../http/times.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'retrying', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const fields = {
  id: z.string().describe('`whd_…`'),
  event_id: z.string().describe('the same for all deliveries of one event'),
  event_type: z.string().describe('such as `call.completed`'),
  endpoint_id: z.string().describe('`we_…`, `agent` or `campaign`'),
  url: z.string().describe('as at the last attempt'),
  call_id: z.string().describe('empty for a ping'),
  agent_id: z.string().describe('whose call it is; may be empty'),
  status: z.enum(DELIVERY_STATUSES).describe('retrying: it failed and is tried again'),
  attempts: z.int().describe('automatic and manual'),
  last_status_code: z.int().nullable().describe('null when nothing answered'),
  last_error: z.string().describe('why the last attempt failed; empty when it did not'),
  last_latency_ms: z.int().nullable().describe('until the receiver answered; null before the first attempt'),
  last_attempt_at: time().nullable(),
  next_attempt_at: time().nullable(),
  created_at: time(),
};

/** A row of `GET /webhooks/deliveries`. */
export const deliveryRecord = z.object(fields).meta({ id: 'WebhookDelivery' });

/** One delivery with what was sent and what came back. */
export const wholeDelivery = z
  .object({
    ...fields,
    request_headers: z.record(z.string(), z.string()).describe('of the last attempt, the signature hidden'),
    request_body: z.string().describe('exactly what was sent'),
    response_headers: z.record(z.string(), z.string()).describe('of the last answer'),
    response_body: z.string().describe('the first 4096 bytes'),
  })
  .meta({ id: 'WebhookDeliveryWithBodies' });

export type DeliveryRow = z.output<typeof deliveryRecord>;
export type WholeDelivery = z.output<typeof wholeDelivery>;
