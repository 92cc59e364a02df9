import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditWhenDue, lastAudit } from '../../../control/money-audit/money-audit.ts';
import { newId } from '../../../shared/ids.ts';
import { type PaymentBench, startPaymentBench } from '../../support/payment-gateways.ts';

/** The audit over the gateways' real lists: page after page, of refunded payments too, and none of a gateway that is away. */

const HOUR_MS = 3_600_000;
const GATEWAYS = ['razorpay', 'stripe'] as const;
type Name = (typeof GATEWAYS)[number];
/** Two full pages of 100 and a part of a third. */
const PAYMENTS = 230;
/** On the second page, which begins with the newest. */
const MIDDLE = 100;

let bench: PaymentBench;
let workspaceId: string;
/** Of each gateway, in the order in which they were paid. */
const paid: Record<Name, string[]> = { razorpay: [], stripe: [] };

beforeAll(async () => {
  bench = await startPaymentBench();
  workspaceId = (await bench.owner()).workspace_id;
  for (let n = 0; n < PAYMENTS; n++) {
    const { id } = bench.razorpay.createOrder({ amount: 11_800, currency: 'INR', receipt: null, notes: {} });
    paid.razorpay.push(bench.razorpay.pay(id).razorpay_payment_id);
    paid.stripe.push(await payAtStripe(n));
  }
  bench.moveClock(2 * HOUR_MS);
});
afterAll(() => bench.close());

beforeEach(async () => {
  Object.assign(bench.razorpay, { away: false });
  Object.assign(bench.stripe, { away: false });
  await bench.api.sql`delete from payments`;
  for (const gateway of GATEWAYS) await credit(gateway, paid[gateway]);
});

async function payAtStripe(n: number): Promise<string> {
  const expires_at = new Date(bench.deps.clock.wall() + HOUR_MS);
  const outcome = await bench.deps.gateways.get('stripe')!.createOrder({
    ...{ payment_id: `p${n}`, total_paise: 11_800, currency: 'USD', description: 'Credits', expires_at },
    ...{ created_at: new Date(), return_url: 'http://console/' },
  });
  if (outcome.outcome !== 'created') throw new Error(outcome.reason);
  return bench.stripe.pay(outcome.order_id).payment_intent!;
}

/** Writes payments as paid an hour and a half ago. */
async function credit(gateway: Name, ids: readonly string[], total_paise = 11_800): Promise<void> {
  const at = new Date(bench.deps.clock.wall() - 1.5 * HOUR_MS);
  const rows = ids.map((gateway_payment_id) => ({
    ...{ workspace_id: workspaceId, id: newId(), gateway, gateway_payment_id, status: 'paid', total_paise },
    ...{ amount_paise: total_paise, currency: gateway === 'razorpay' ? 'INR' : 'USD', created_by: '', terms: '{}' },
    ...{ created_at: at, expires_at: at, paid_at: at },
  }));
  await bench.api.sql`insert into payments ${bench.api.sql(rows as never)}`;
}

async function audit(): Promise<{ not_compared: string[]; found: string[] }> {
  const nowMs = bench.deps.clock.wall();
  await bench.api.sql`update money_audits set next_at = ${new Date(nowMs)}`;
  await auditWhenDue({ ...bench.deps, sql: bench.api.sql }, nowMs);
  const { not_compared, findings } = await lastAudit(bench.api.sql);
  // The database itself has no invoices for these payments.
  const found = findings.filter(({ subject }) => subject === 'gateway').map(({ difference }) => difference);
  return { not_compared, found };
}

describe('the nightly audit', () => {
  it('finds no difference over several pages of both gateways', async () => {
    expect(await audit()).toEqual({ not_compared: [], found: [] });
  });

  it.each(GATEWAYS)('finds the one payment of %s that nobody was credited, in the middle of the list', async (name) => {
    const id = paid[name][MIDDLE]!;
    await bench.api.sql`delete from payments where gateway_payment_id = ${id}`;
    const currency = name === 'razorpay' ? 'INR' : 'USD';
    expect((await audit()).found).toEqual([`${name} has taken 11800 ${currency} in ${id}, which nobody was credited`]);
  });

  it.each(GATEWAYS)('finds the one payment that %s does not list', async (name) => {
    await credit(name, ['pay_invented']);
    expect((await audit()).found).toEqual([expect.stringMatching(`^payment .* is not in the list of ${name}$`)]);
  });

  it('finds another amount', async () => {
    await bench.api.sql`delete from payments where gateway_payment_id = ${paid.stripe[0]!}`;
    await credit('stripe', [paid.stripe[0]!], 11_900);
    expect((await audit()).found).toEqual([expect.stringContaining('11800 USD at stripe, 11900 USD here')]);
  });

  it.each(GATEWAYS)('compares the other gateway while %s is away, and says so', async (name) => {
    bench[name].away = true;
    const other = name === 'razorpay' ? 'stripe' : 'razorpay';
    await bench.api.sql`delete from payments where gateway_payment_id in (${paid[name][0]!}, ${paid[other][0]!})`;
    const { not_compared, found } = await audit();
    expect([not_compared, found]).toEqual([[name], [expect.stringContaining(`${other} has taken`)]]);
  });

  it.each(GATEWAYS)('reports no difference when %s goes away after its first page', async (name) => {
    let requests = 0;
    Object.defineProperty(bench[name], 'away', { configurable: true, get: () => ++requests > 1 });
    await bench.api.sql`delete from payments where gateway_payment_id = ${paid[name].at(-1)!}`;
    const result = await audit();
    Object.defineProperty(bench[name], 'away', { configurable: true, writable: true, value: false });
    expect(result).toEqual({ not_compared: [name], found: [] });
  });

  it('compares payments that were refunded since', async () => {
    bench.razorpay.refund(paid.razorpay[0]!, 11_800);
    bench.stripe.refund(paid.stripe[0]!, 11_800);
    expect(await audit()).toEqual({ not_compared: [], found: [] });
  });
});
