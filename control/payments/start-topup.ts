import { newId } from '../../shared/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { taxOf } from '../billing/invoices/invoice-terms.ts';
import { listPacks } from '../billing/packs.ts';
import type { Currency } from '../billing/rates.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, HttpError, notFound, validationError } from '../http/errors.ts';
import { consoleUrlFor } from '../workspaces/console-url.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import type { Checkout, GatewayName, PaymentGateway } from './gateway.ts';
import { EXPIRY_MS, FIRST_LOOK_MS } from './look-policy.ts';
import type { PaymentDeps } from './payment-deps.ts';
import {
  countOpenPayments,
  findPayment,
  insertPayment,
  type ListedPaymentRow,
  type NewPayment,
  setFailure,
  setOrder,
} from './store.ts';

/** Without tax, in the smallest unit. */
export const TOPUP_LIMITS: Record<Currency, { min: number; max: number }> = {
  INR: { min: 10_000, max: 50_000_000 },
  USD: { min: 500, max: 1_000_000 },
};
/** Of a workspace at once. */
const MAX_OPEN = 20;

export interface TopupRequest {
  workspace_id: string;
  actor: Actor;
  /** One of both. */
  pack_id?: string | undefined;
  amount_paise?: number | undefined;
  /** Of the page that asks; left out: it is not a page. */
  origin?: string | undefined;
  /** Called in the transaction that keeps the gateway's order. */
  markCarriedOut(tx: AnySql): Promise<void>;
}

export interface StartedTopup extends ListedPaymentRow {
  gateway_checkout: Checkout & { name: GatewayName; order_id: string };
}

/**
 * Makes a payment and the gateway's order for it. The payment is written before the gateway is asked, and the order has its id, so
 * that an answer that got lost is found again.
 *
 * @throws HttpError 404 for an unknown pack, 409 without a gateway for the currency or with too many unfinished payments, 422 for an
 * amount outside the limits, 502 when the gateway refused or did not answer.
 */
export async function startTopup(deps: PaymentDeps, request: TopupRequest): Promise<StartedTopup> {
  const { sql, log, returnUrl, consoleOrigins, afterStep } = deps;
  const consoleUrl = consoleUrlFor(request.origin, { consoleUrl: returnUrl, consoleOrigins });
  const { payment, gateway } = await sql.begin((tx) => createPayment(tx, deps, request));
  afterStep?.('created');
  const { id, workspace_id, total_paise, currency, created_at, expires_at } = payment;
  const outcome = await gateway.createOrder({
    ...{ payment_id: id, total_paise, currency, created_at, expires_at },
    return_url: `${consoleUrl.replace(/\/+$/, '')}/`,
    description: 'Prepaid credits',
  });
  afterStep?.('ordered');
  if (outcome.outcome !== 'created') {
    const { reason } = outcome;
    log.warn({ payment_id: id, gateway: gateway.name, outcome: outcome.outcome, reason }, 'payment order failed');
    const refused = outcome.outcome === 'refused';
    await setFailure(sql, payment, {
      status: refused ? 'failed' : 'created',
      reason: refused ? `the payment gateway refused: ${reason}` : 'the payment gateway did not answer',
    });
    throw refused ? new HttpError(502, 'the payment gateway refused the order; try again shortly') : gatewayAway();
  }
  await sql.begin(async (tx) => {
    await setOrder(tx, payment, outcome.order_id);
    await request.markCarriedOut(tx);
  });
  const row = await findPayment(sql, workspace_id, id);
  return { ...row!, gateway_checkout: { ...outcome.checkout, name: gateway.name, order_id: outcome.order_id } };
}

export const gatewayAway = () => new HttpError(502, 'the payment gateway did not answer; try again shortly');

async function createPayment(
  tx: Transaction,
  { gateways, clock }: PaymentDeps,
  { workspace_id, actor, pack_id, amount_paise }: TopupRequest,
): Promise<{ payment: NewPayment; gateway: PaymentGateway }> {
  const workspace = await lockWorkspace(tx, workspace_id);
  if (!workspace) throw notFound('workspace');
  const currency = workspace.currency as Currency;
  const gateway = [...gateways.values()].find((each) => each.currency === currency);
  if (!gateway) throw conflict(`top-ups in ${currency} are not possible: no payment gateway is set up for it`);
  const credits = await creditsOf(tx, workspace_id, currency, { pack_id, amount_paise });
  if ((await countOpenPayments(tx, workspace_id)) >= MAX_OPEN) {
    throw conflict('too many unfinished payments: finish one, or wait until they expire');
  }
  const { tax_paise, terms } = await taxOf(tx, workspace_id, credits.amount_paise);
  const nowMs = clock.wall();
  const payment: NewPayment = {
    ...{ workspace_id, id: newId(nowMs), gateway: gateway.name, ...credits, tax_paise, currency, terms },
    total_paise: credits.amount_paise + tax_paise,
    pack_id: pack_id ?? null,
    ...{ created_by: actor.name, created_at: new Date(nowMs), expires_at: new Date(nowMs + EXPIRY_MS) },
    next_look_at: new Date(nowMs + FIRST_LOOK_MS),
  };
  await insertPayment(tx, payment);
  await writeAudit(tx, {
    ...{ workspace_id, actor, action: 'payment.created', at_ms: nowMs },
    target: { kind: 'payment', id: payment.id, name: '' },
    data: { gateway: gateway.name, total_paise: payment.total_paise, currency },
  });
  return { payment, gateway };
}

async function creditsOf(
  tx: Transaction,
  workspaceId: string,
  currency: Currency,
  { pack_id, amount_paise }: Pick<TopupRequest, 'pack_id' | 'amount_paise'>,
): Promise<{ amount_paise: number; bonus_paise: number }> {
  if (pack_id !== undefined) {
    const pack = (await listPacks(tx, workspaceId)).find(({ id }) => id === pack_id);
    if (!pack) throw notFound('pack');
    return { amount_paise: pack.amount_paise, bonus_paise: pack.bonus_paise };
  }
  const { min, max } = TOPUP_LIMITS[currency];
  const amount = amount_paise ?? 0;
  if (amount >= min && amount <= max) return { amount_paise: amount, bonus_paise: 0 };
  throw validationError(`a top-up in ${currency} is ${min} to ${max}`, ['amount_paise'], amount);
}
