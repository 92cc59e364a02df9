import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { HttpError, notFound } from '../http/errors.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { completePayment } from './complete-payment.ts';
import { GATEWAY_NAMES, GatewayError, type GatewayName } from './gateway.ts';
import { handleCallback } from './handle-callback.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { paymentRecord, startedPaymentRecord, toRecord, toStartedRecord } from './payment-record.ts';
import { startTopup, TOPUP_LIMITS } from './start-topup.ts';
import { listPayments } from './store.ts';

const TAG = 'Billing';
const MANAGE = { tag: TAG, credential: 'session', permission: 'billing.manage', before_activation: true } as const;
const MAX_CALLBACK_BYTES = 256 * 1024;
const { INR, USD } = TOPUP_LIMITS;

const topupBody = z
  .object({
    pack_id: z.string().min(1).max(32).optional().describe('a pack of `GET /billing/packs`'),
    amount_paise: z
      .int()
      .min(1)
      .optional()
      .describe(`credits, before tax: ${INR.min} to ${INR.max} in INR, ${USD.min} to ${USD.max} in USD`),
  })
  .refine((body) => (body.pack_id === undefined) !== (body.amount_paise === undefined), {
    message: 'either pack_id or amount_paise',
  });

export function paymentRoutes(app: FastifyInstance, deps: PaymentDeps, onCallback: () => void): void {
  const { sql } = deps;

  route(app, {
    ...MANAGE,
    method: 'POST',
    path: '/api/v1/billing/topup',
    summary: 'Begin to buy credits: a payment, and what its checkout needs',
    idempotent: true,
    schema: { body: topupBody, response: startedPaymentRecord },
    success: 201,
    errors: [404, 409, 502],
    handler: async ({ body }, { workspace_id, actor, markCarriedOut, request: { headers } }) =>
      toStartedRecord(await startTopup(deps, { workspace_id, actor, ...body, origin: headers.origin, markCarriedOut })),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/billing/payments',
    tag: TAG,
    summary: 'The last 100 payments, newest first',
    credential: 'key',
    permission: 'billing.view',
    before_activation: true,
    schema: { response: z.array(paymentRecord) },
    success: 200,
    handler: async (_input, { workspace_id }) => (await listPayments(sql, workspace_id)).map(toRecord),
  });

  route(app, {
    ...MANAGE,
    method: 'POST',
    path: '/api/v1/billing/payments/{payment_id}/complete',
    summary: 'Report that the checkout is done; credits are there when the gateway confirms it',
    schema: {
      params: z.object({ payment_id: pathId('payment') }),
      body: z.object({
        gateway_payment_id: z
          .string()
          .min(1)
          .max(200)
          .describe("what the checkout returned: Razorpay's payment id, Stripe's id of the checkout session"),
        gateway_signature: z.string().max(500).default('').describe('what Razorpay signed; Stripe signs nothing'),
      }),
      response: paymentRecord,
    },
    success: 200,
    errors: [400, 404, 409, 502],
    handler: async ({ params, body }, { workspace_id }) =>
      toRecord(await completePayment(deps, { workspace_id, ...params, ...body })),
  });

  route(app, {
    method: 'POST',
    path: '/hooks/payments/{gateway}',
    tag: 'Payments',
    summary: 'A payment gateway reports a payment, a refund or a dispute',
    credential: 'public',
    permission: null,
    hidden: true,
    body_limit_bytes: MAX_CALLBACK_BYTES,
    schema: {
      params: z.object({ gateway: z.enum(GATEWAY_NAMES).catch('' as GatewayName) }),
      response: z.object({ received: z.boolean() }),
    },
    success: 200,
    async handler({ params }, { request }) {
      const gateway = deps.gateways.get(params.gateway);
      if (!gateway) throw notFound('payment gateway');
      const header = (name: string) => String(request.headers[name] ?? '');
      const callback = { raw: request.rawBody, header, now_ms: deps.clock.wall() };
      try {
        await handleCallback(deps, gateway, callback);
      } catch (error) {
        // Sent again by the gateway then.
        if (error instanceof GatewayError) throw new HttpError(502, 'the payment gateway did not answer');
        throw error;
      }
      onCallback();
      return { received: true };
    },
  });
}
