import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import type { Sql } from '../db/connect.ts';
import { pageOf, paging } from '../http/query.ts';
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
import { listLedger } from './ledger.ts';
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
    schema: { query: z.object(paging(50, 200)), response: pageOf(ledgerItem) },
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
    handler: async (_input, { workspace_id }) => planEntries(sql, workspace_id),
  });

  route(app, {
    ...VIEW,
    path: '/api/v1/billing/plan',
    summary: "The workspace's plan, and until when it is paid",
    schema: { response: ownPlanRecord },
    handler: async (_input, { workspace_id }) => ownPlan(sql, workspace_id),
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
    method: 'POST',
    path: '/api/v1/billing/coupons/redeem',
    tag: TAG,
    summary: 'Redeem a code: credits at once, or a bonus on the next top-up',
    credential: 'session',
    permission: 'billing.manage',
    before_activation: true,
    schema: {
      body: z.object({ code: z.string().min(1).max(40).describe('upper or lower case') }),
      response: redeemedRecord,
    },
    success: 200,
    errors: [404, 409],
    handler: async ({ body: { code } }, { workspace_id, actor }) =>
      redeemCoupon(sql, workspace_id, { code, actor, at_ms: clock.wall() }),
  });
}
