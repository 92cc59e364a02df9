import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import type { Sql } from '../db/connect.ts';
import { longPageOf, paging } from '../http/query.ts';
import { route } from '../http/route.ts';
import { balanceOf } from './balance.ts';
import {
  balanceRecord,
  ledgerItem,
  linesRecord,
  ownPlanRecord,
  packRecord,
  planRecord,
  redeemedRecord,
  usageRecord,
} from './billing-records.ts';
import { callLines } from './call-lines.ts';
import { buyLines, removeLines } from './change-lines.ts';
import { switchPlan } from './change-plan.ts';
import { LEDGER_KINDS, listLedger } from './ledger.ts';
import { listPacks } from './packs.ts';
import { ownPlan, planEntries } from './priced-plans.ts';
import { redeemCoupon } from './redemptions.ts';
import { usageOfMonth } from './usage-of-month.ts';

const TAG = 'Billing';
/** What all billing reads have in common. */
const VIEW = {
  method: 'GET',
  tag: TAG,
  credential: 'key',
  permission: 'billing.view',
  before_activation: true,
  success: 200,
} as const;

/** What purchases have in common. */
const BUY = {
  method: 'POST',
  tag: TAG,
  credential: 'session',
  permission: 'billing.manage',
  before_activation: true,
  success: 200,
} as const;

const quantity = z.object({ quantity: z.int().min(1).max(100).describe('lines') });

export function billingRoutes(app: FastifyInstance, { sql, clock }: { sql: Sql; clock: Clock }): void {
  route(app, {
    ...VIEW,
    path: '/api/v1/billing',
    summary: 'Credits, and how long they last',
    schema: { response: balanceRecord },
    handler: async (_input, { workspace_id }) => balanceOf(sql, workspace_id),
  });

  route(app, {
    ...VIEW,
    path: '/api/v1/billing/ledger',
    summary: 'Every movement of credits, newest first',
    schema: {
      query: z.object({
        kind: z.enum(LEDGER_KINDS).optional().describe('only rows of this kind'),
        ...paging(50, 200),
      }),
      response: longPageOf(ledgerItem),
    },
    handler: async ({ query }, { workspace_id }) => listLedger(sql, workspace_id, query),
  });

  route(app, {
    ...VIEW,
    path: '/api/v1/billing/usage',
    summary: 'Calls, minutes and credits of a month, day by day',
    schema: {
      query: z.object({
        month: z
          .string()
          .regex(/^20\d{2}-(0[1-9]|1[0-2])$/)
          .optional()
          .describe('`YYYY-MM`, default the present one; days are those of the zone asked for'),
      }),
      response: usageRecord,
    },
    handler: async ({ query: { month } }, { workspace_id, zone }) =>
      usageOfMonth(sql, workspace_id, { month, zone, wallMs: clock.wall() }),
  });

  route(app, {
    ...VIEW,
    path: '/api/v1/billing/plans',
    summary: 'All plans, priced in the currency of the workspace',
    schema: { response: z.array(planRecord) },
    handler: async (_input, { workspace_id }) => planEntries(sql, workspace_id, clock.wall()),
  });

  route(app, {
    ...VIEW,
    path: '/api/v1/billing/plan',
    summary: "The workspace's plan, and until when it is paid",
    schema: { response: ownPlanRecord },
    handler: async (_input, { workspace_id }) => ownPlan(sql, workspace_id, clock.wall()),
  });

  route(app, {
    ...BUY,
    path: '/api/v1/billing/plan',
    summary: 'Switch to another plan at once; the first 30 days are paid from credits',
    idempotent: true,
    schema: {
      body: z.object({ plan_id: z.string().min(1).max(32).describe('one whose `can_switch` is true') }),
      response: ownPlanRecord,
    },
    errors: [402, 404, 409],
    handler: async ({ body: { plan_id } }, { workspace_id, actor, markCarriedOut }) =>
      switchPlan(sql, { workspace_id, plan_id, actor, at_ms: clock.wall(), markCarriedOut }),
  });

  route(app, {
    ...VIEW,
    path: '/api/v1/billing/packs',
    summary: 'Credit packs that can be bought',
    schema: { response: z.array(packRecord) },
    handler: async (_input, { workspace_id }) => listPacks(sql, workspace_id),
  });

  route(app, {
    ...VIEW,
    path: '/api/v1/billing/lines',
    summary: 'Extra call lines',
    schema: { response: linesRecord },
    handler: async (_input, { workspace_id }) => callLines(sql, workspace_id),
  });

  route(app, {
    ...BUY,
    path: '/api/v1/billing/lines',
    summary: 'Buy extra call lines, paid from credits until the end of their cycle',
    idempotent: true,
    schema: { body: quantity, response: linesRecord },
    errors: [402, 409],
    handler: async ({ body: { quantity } }, { workspace_id, actor, markCarriedOut }) =>
      buyLines(sql, { workspace_id, quantity, actor, at_ms: clock.wall(), markCarriedOut }),
  });

  route(app, {
    ...BUY,
    path: '/api/v1/billing/lines/remove',
    summary: 'Remove extra call lines at once, without a refund',
    schema: { body: quantity, response: linesRecord },
    errors: [409],
    handler: async ({ body: { quantity } }, { workspace_id, actor }) =>
      removeLines(sql, { workspace_id, quantity, actor, at_ms: clock.wall() }),
  });

  route(app, {
    ...BUY,
    path: '/api/v1/billing/coupons/redeem',
    summary: 'Redeem a code: credits at once, or a bonus on the next top-up',
    schema: {
      body: z.object({ code: z.string().min(1).max(40).describe('upper or lower case') }),
      response: redeemedRecord,
    },
    errors: [404, 409],
    handler: async ({ body: { code } }, { workspace_id, actor }) =>
      redeemCoupon(sql, workspace_id, { code, actor, at_ms: clock.wall() }),
  });
}
