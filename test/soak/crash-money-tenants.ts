import { hashOfToken, newToken } from '../../control/accounts/secret-token.ts';
import { buyLines } from '../../control/billing/change-lines.ts';
import { switchPlan } from '../../control/billing/change-plan.ts';
import { writeLedger } from '../../control/billing/ledger.ts';
import { setRate } from '../../control/billing/rate-overrides.ts';
import { CYCLE_MS } from '../../control/billing/renewals/renewal-policy.ts';
import { decideCallerId } from '../../control/caller-id/decide-caller-id.ts';
import { type Sql, wakeAfterCommit } from '../../control/db/connect.ts';
import type { BuyDeps } from '../../control/numbers/buy-number.ts';
import { saveOffers } from '../../control/numbers/offer-store.ts';
import { createWorkspace } from '../../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../../control/workspaces/plan.ts';
import { systemClock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { giveCredits, PLENTY_PAISE } from '../support/credits.ts';
import { type NumberCarriers, type RentingCarrier, stockNumber } from '../support/number-carriers.ts';
import { BUYER, buy } from '../support/number-orders.ts';

/** Workspaces whose plan, lines, caller id and numbers are all due for renewal while processes are killed. */

export interface MoneyTenant {
  workspaceId: string;
  /** Of its owner's session. */
  token: string;
  currency: 'INR' | 'USD';
  /** Its credits do not cover the renewals. */
  poor: boolean;
  /** Wall time. */
  dueMs: number;
  /** What is due then: the kind, and what the renewal's row names. */
  subjects: [kind: 'plan' | 'lines' | 'number' | 'caller_id', id: string][];
  /** A number that is not due. */
  spare: string;
}

const DAY_MS = 86_400_000;
const LITTLE_PAISE = 1_000;
let count = 0;

/** A number that a carrier sells, as if a search had just found it. */
export async function offerNumber(
  sql: Sql,
  carriers: NumberCarriers,
  provider: RentingCarrier,
  atMs: number,
): Promise<string> {
  const number = `+1415${String(5_000_000 + count++)}`;
  await stockNumber(carriers, provider, number);
  const price = { monthly: 1, setup: 0, currency: 'USD' as const };
  await saveOffers(sql, [{ number, country: 'US', type: 'local', price, provider }], atMs);
  return number;
}

/** Once per database: every number is paid for, caller ids too, and there were invoices before the first fees. */
export async function preparePrices(sql: Sql): Promise<void> {
  await sql`update plans set included_numbers = 0`;
  await sql`update migrations set applied_at = applied_at - interval '1 year'`;
  for (const currency of ['INR', 'USD'] as const) {
    const rate = { component: 'caller_id', provider: '', model: '', currency, rate_paise: 500 } as const;
    await sql.begin((tx) => setRate(tx, { ...rate, updated_at: new Date() }));
  }
}

export async function makeMoneyTenant(
  sql: Sql,
  carriers: NumberCarriers,
  { name, poor, currency }: Pick<MoneyTenant, 'poor' | 'currency'> & { name: string },
): Promise<MoneyTenant> {
  const dueMs = Date.now() + DAY_MS;
  const at_ms = dueMs - CYCLE_MS;
  const { workspace_id: workspaceId } = await createWorkspace({ sql, wallMs: at_ms }, name);
  await setRequestsPerMinute(sql, workspaceId, 60_000);
  await sql`update workspaces set currency = ${currency} where id = ${workspaceId}`;
  await giveCredits(sql, workspaceId, PLENTY_PAISE);
  const request = { workspace_id: workspaceId, actor: BUYER, at_ms, markCarriedOut: async () => {} };
  await switchPlan(sql, { ...request, plan_id: 'growth' });
  await buyLines(sql, { ...request, quantity: 2 });
  const callerId = newId(at_ms);
  await sql`
    insert into caller_id_requests (workspace_id, id, numbers, display_name, call_reason, logo, logo_type, status, fee_paise,
      currency, created_by, created_at)
    values (${workspaceId}, ${callerId}, '{}', 'Acme', 'x', '', 'image/png', 'in_review', 0, ${currency}, '', now())`;
  await sql.begin((tx) => decideCallerId(tx, { request_id: callerId, to: 'active', actor: BUYER, at_ms }));
  const numberAt = async (wallMs: number) => {
    const clock = { ...systemClock, wall: () => wallMs };
    const rented = new Map([['plivo', { numbers: carriers.inventories.plivo }]]) as never;
    const deps: BuyDeps = { sql, clock, log: createLogger('crash', 'silent'), carriers: rented };
    const number = await offerNumber(sql, carriers, 'plivo', wallMs);
    const outcome = await buy(deps, workspaceId, number);
    if (outcome !== 'bought') throw new Error(`${number}: ${outcome}`);
    return number;
  };
  const numbers = [await numberAt(at_ms), await numberAt(at_ms)];
  const spare = await numberAt(Date.now() - DAY_MS);
  if (poor) await spendAllBut(sql, workspaceId, LITTLE_PAISE);
  return {
    ...{ workspaceId, token: await signIn(sql, workspaceId), currency, poor, dueMs, spare },
    subjects: [
      ...[['plan', 'growth'] as const, ['lines', 'all'] as const, ['caller_id', callerId] as const],
      ...numbers.map((number) => ['number', number] as const),
    ] as MoneyTenant['subjects'],
  };
}

/** Everything of the tenant is due at the time; the workers learn of it. */
export async function makeDue(sql: Sql, tenant: MoneyTenant, dueMs: number): Promise<void> {
  tenant.dueMs = dueMs;
  const due = new Date(dueMs);
  const { workspaceId, spare } = tenant;
  await sql.begin(async (tx) => {
    await tx`
      update renewals set cycle_end = ${due}, next_attempt_at = ${due}
      where workspace_id = ${workspaceId} and subject_id <> ${spare}`;
    await tx`update wallets set plan_cycle_end = ${due} where workspace_id = ${workspaceId}`;
    wakeAfterCommit(tx, 'renewals', workspaceId);
  });
}

async function spendAllBut(sql: Sql, workspace_id: string, leftPaise: number): Promise<void> {
  await sql.begin(async (tx) => {
    const [wallet] = await tx<{ credits: number }[]>`
      select paid_paise + free_paise as credits from wallets where workspace_id = ${workspace_id} for update`;
    const amount_paise = leftPaise - wallet!.credits;
    const entry = { workspace_id, kind: 'adjustment', amount_paise, note: 'for the test', by_name: 'tests' } as const;
    await writeLedger(tx, { ...entry, at_ms: Date.now(), key: `test:${newId()}` });
  });
}

async function signIn(sql: Sql, workspaceId: string): Promise<string> {
  const [userId, token] = [newId(), newToken('svcs_')];
  const expires = new Date(Date.now() + DAY_MS);
  await sql`
    insert into users (id, name, email, email_verified_at, password_hash, created_at)
    values (${userId}, 'Asha', ${`${userId}@example.com`}, now(), '', now())`;
  await sql`
    insert into memberships (workspace_id, user_id, role, joined_at) values (${workspaceId}, ${userId}, 'owner', now())`;
  await sql`
    insert into sessions (id, user_id, token_hash, created_at, last_seen_at, expires_at)
    values (${newId()}, ${userId}, ${hashOfToken(token)}, now(), now(), ${expires})`;
  return token;
}
