import { newId } from '../../shared/ids.ts';
import { errorText } from '../../shared/log.ts';
import { maskNumber } from '../../shared/phone.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { spendCredits } from '../billing/ledger.ts';
import { numberFees } from '../billing/number-fee.ts';
import { listRates } from '../billing/rate-overrides.ts';
import type { Currency } from '../billing/rates.ts';
import { notEnoughCredits } from '../billing/take-fee.ts';
import type { BuyOutcome, NumberInventory } from '../carriers/number-inventory.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import { conflict, HttpError, notFound } from '../http/errors.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import type { NumberChange } from './manage-numbers.ts';
import { findOffer, type OfferRow } from './offer-store.ts';
import { FIRST_LOOK_MS } from './order-policy.ts';
import { countNumbers, findOpenOrder, includedNumbersOfPlan, insertOrder, type NewOrder } from './order-store.ts';
import { carrierUnavailable, type InventoryDeps } from './search-inventory.ts';
import { chargeKeyOf, firstFeeText, settleOrder } from './settle-order.ts';
import { findNumber } from './store.ts';

/** Numbers of a workspace, with those being bought. */
const MAX_NUMBERS = 100;

export interface BuyDeps extends InventoryDeps {
  /** For tests: called after each step, and stops there when it throws. */
  afterStep?: (step: 'looked up' | 'ordered' | 'answered') => void;
}

export interface BuyRequest extends NumberChange {
  /** Called in the transaction that takes the fee. */
  markCarriedOut(tx: AnySql): Promise<void>;
}

const undecided = () =>
  new HttpError(502, 'the carrier has not decided yet; the number appears in the list when it has');
const gone = () => conflict('the number is no longer available');

/**
 * Buys a number that a search of the last hour found. The order and its fee are written before the carrier is asked, so that
 * whatever happens afterwards is settled by `settle-orders.ts`: the workspace has the number, or its fee back.
 *
 * @throws HttpError 409 when it is not available, 402 without credits, 502 when the carrier did not answer. After a 502 the
 * purchase may still turn out to have succeeded; then the number is in the list.
 */
export async function buyNumber(deps: BuyDeps, request: BuyRequest): Promise<void> {
  const { sql, clock, log, carriers, afterStep } = deps;
  const { number, workspaceId } = request;
  const offer = await findOffer(sql, number, clock.wall());
  const inventory = offer ? carriers.get(offer.provider)?.numbers : undefined;
  if (!offer || !inventory) throw gone();
  if (await findOpenOrder(sql, workspaceId, number)) throw conflict('the number is already being bought');
  await refuseHeld(deps, inventory, offer);
  afterStep?.('looked up');
  const order = await placeOrder(deps, request, offer);
  afterStep?.('ordered');
  const outcome = await inventory.buy({ number, country: offer.country, tag: order.id });
  afterStep?.('answered');
  if (outcome.outcome === 'unknown' || outcome.outcome === 'pending') {
    log.warn({ ...factsOf(order), reason: outcome.reason }, 'outcome of a number purchase is not known; looking it up');
    throw outcome.outcome === 'pending' ? undecided() : carrierUnavailable();
  }
  if (outcome.outcome !== 'bought') log.warn({ ...factsOf(order), reason: outcome.reason }, 'number purchase refused');
  const state = await settleOrder(sql, order, resultOf(outcome), clock.wall());
  if (state !== 'bought') throw gone();
}

/** A number that the account has already is the operator's: buying it again would change it, and take a fee for nothing. */
async function refuseHeld({ log }: BuyDeps, inventory: NumberInventory, { number, provider }: OfferRow): Promise<void> {
  const held = await inventory.find(number).catch((error: unknown) => {
    log.warn({ provider, error: errorText(error) }, 'looking up a number at its carrier failed');
    throw carrierUnavailable();
  });
  if (held) throw gone();
}

const resultOf = (outcome: Exclude<BuyOutcome, { outcome: 'unknown' | 'pending' }>) =>
  outcome.outcome === 'bought' ? { bought: true } : { bought: false, reason: outcome.reason };

const factsOf = ({ id, provider, number }: NewOrder) => ({ order_id: id, provider, number: maskNumber(number) });

async function placeOrder({ sql, clock }: BuyDeps, request: BuyRequest, offer: OfferRow): Promise<NewOrder> {
  const { workspaceId: workspace_id, actor, number } = request;
  const nowMs = clock.wall();
  return sql.begin(async (tx) => {
    const workspace = await lockWorkspace(tx, workspace_id);
    if (!workspace) throw notFound('workspace');
    const existing = await findNumber(tx, number);
    if (existing && existing.status !== 'released') throw gone();
    const counts = await countNumbers(tx, workspace_id);
    if (counts.all >= MAX_NUMBERS) throw conflict(`number limit reached (${MAX_NUMBERS})`);
    const fees = numberFees(await listRates(tx), workspace.currency as Currency, offer);
    if (!fees) throw gone();
    const included = counts.bought < (await includedNumbersOfPlan(tx, workspace_id));
    const order: NewOrder = {
      ...{ workspace_id, id: newId(nowMs), number, provider: offer.provider, country: offer.country, type: offer.type },
      price: offer.price,
      monthly_fee_paise: fees.monthly_fee_paise,
      charged_paise: included ? 0 : fees.monthly_fee_paise + fees.setup_fee_paise,
      ordered_by: actor.name,
      created_at: new Date(nowMs),
      next_attempt_at: new Date(nowMs + FIRST_LOOK_MS),
    };
    if (!(await insertOrder(tx, order))) throw gone();
    await charge(tx, order, workspace.currency as Currency);
    const name = maskNumber(number);
    await writeAudit(tx, {
      ...{ workspace_id, actor, action: 'number.ordered', target: { kind: 'number', id: name, name } },
      data: { provider: offer.provider, order_id: order.id, charged_paise: order.charged_paise },
      at_ms: nowMs,
    });
    await request.markCarriedOut(tx);
    return order;
  });
}

/** @throws HttpError 402 when the credits do not cover it. */
async function charge(tx: Transaction, order: NewOrder, currency: Currency): Promise<void> {
  const { workspace_id, id, charged_paise, ordered_by: by_name } = order;
  if (charged_paise === 0) return;
  const row = await spendCredits(tx, {
    ...{ workspace_id, kind: 'number', amount_paise: -charged_paise, note: firstFeeText(order), by_name },
    ...{ at_ms: order.created_at.getTime(), key: chargeKeyOf(id) },
  });
  if (!row) throw notEnoughCredits('the number', charged_paise, currency);
}
