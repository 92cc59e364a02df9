import { randomBytes } from 'node:crypto';
import type { Sql } from '../../control/db/connect.ts';
import type { RentingCarrier } from '../support/number-carriers.ts';
import { eventually, pause } from '../support/until.ts';
import type { MoneyPartners } from './crash-money-partners.ts';
import { type MoneyTenant, makeDue, makeMoneyTenant, offerNumber } from './crash-money-tenants.ts';

/** What customers do with money while control is killed: most of it in the last moments before a kill, at the process that dies. */

export const INTERRUPTIBLE = ['renewal', 'top-up', 'completion', 'callback', 'purchase', 'release'] as const;
export type Interruptible = (typeof INTERRUPTIBLE)[number];

export interface MoneyActivity {
  /** All of the round; those of kills that are not planned yet are not due. */
  tenants: MoneyTenant[];
  begun: Record<Interruptible, number>;
  /** With success. */
  answered: Record<Interruptible, number>;
  interrupted: Record<Interruptible, number>;
  /** Customers begin, and fees fall due, in the last moments before the process is killed. */
  beginBefore(apiUrl: string, killMs: number): void;
  /** Counts what is under way in the process; call it just before the kill. */
  beforeKill(apiUrl: string): void;
  /** Counts the renewals that the dead process had leased. */
  afterKill(): Promise<void>;
  /** Resolves when every customer has an answer or has given up. */
  done(): Promise<unknown>;
}

const TENANTS = 16;
const PER_KILL = { 'top-up': 6, completion: 6, purchase: 5, release: 3 };
const BEFORE_KILL_MS = { renewal: 250, 'top-up': 450, completion: 450, purchase: 900, release: 40 };
const CARRIERS: readonly RentingCarrier[] = ['plivo', 'telnyx', 'exotel'];
const FAULTS = ['lost before', 'lost after', 'error after'] as const;
/** The idempotency key of a request whose process died is released after a minute. */
const PATIENCE_MS = 120_000;
const ATTEMPT_TIMEOUT_MS = 10_000;
/** Of the first customer before a kill, who makes what is completed then. */
export const AHEAD_MS = 4_000;
/** A live process has finished what it leased by then. */
const LEASES_SETTLE_MS = 1_500;

type Reply = { status: number; body: { id?: string; gateway?: { order_id: string } } } | null;

export async function planMoney(
  sql: Sql,
  partners: MoneyPartners,
  { apiUrls, kills, random, name }: { apiUrls: readonly string[]; kills: number; random: () => number; name: string },
): Promise<MoneyActivity> {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  const zero = () => Object.fromEntries(INTERRUPTIBLE.map((kind) => [kind, 0])) as Record<Interruptible, number>;
  const [begun, answered, interrupted] = [zero(), zero(), zero()];
  const underWay = new Set<{ kind: Interruptible; apiUrl: string }>();
  const leasedBefore = new Set<string>();
  const { razorpay, stripe, carriers } = partners;

  const tenants: MoneyTenant[] = [];
  for (let n = 0; n < TENANTS; n++) {
    const currency = n % 4 === 3 ? 'USD' : 'INR';
    const poor = n % 5 === 4;
    tenants.push(await makeMoneyTenant(sql, carriers, { name: `${name}.${n}`, currency, poor }));
  }
  begun.renewal = tenants.reduce((sum, { subjects }) => sum + subjects.length, 0);

  const track = (kind: Interruptible, apiUrl: string) => {
    const entry = { kind, apiUrl };
    underWay.add(entry);
    return () => void underWay.delete(entry);
  };
  await partners.sendCallbacksTo(apiUrls, (apiUrl) => {
    begun.callback++;
    const over = track('callback', apiUrl);
    return (status) => {
      over();
      if (status === 200) answered.callback++;
    };
  });

  /** Sends to the process first and then to both in turn, with one idempotency key; null when the customer gave up. */
  async function send(
    kind: Interruptible,
    { tenant, apiUrl }: { tenant: MoneyTenant; apiUrl: string },
    [method, path, body]: [string, string, object?],
  ): Promise<Reply> {
    begun[kind]++;
    const headers = {
      ...{ authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json' },
      'idempotency-key': randomBytes(12).toString('hex'),
    };
    const first = apiUrls.indexOf(apiUrl);
    const startMs = performance.now();
    for (let attempt = 0; performance.now() - startMs < PATIENCE_MS; attempt++) {
      const url = apiUrls[(first + attempt) % apiUrls.length]!;
      const over = track(kind, url);
      const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
      const init = { method, headers, signal, ...(body ? { body: JSON.stringify(body) } : {}) };
      const reply = await fetch(`${url}/api/v1${path}`, init)
        .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
        .catch(() => null);
      over();
      const again = !reply || reply.status >= 500 || reply.text.includes('is still running');
      if (reply && reply.status < 300) answered[kind]++;
      if (!again) return { status: reply.status, body: reply.text === '' ? {} : JSON.parse(reply.text) };
      await pause(500);
    }
    return null;
  }

  async function topUp(tenant: MoneyTenant, apiUrl: string): Promise<{ id: string; orderId: string } | null> {
    const gateway = tenant.currency === 'INR' ? razorpay : stripe;
    if (random() < 0.15) gateway.faults.push(pick(FAULTS));
    const amount_paise = tenant.poor ? 900_000 : 10_000 + Math.floor(random() * 90_000);
    const reply = await send('top-up', { tenant, apiUrl }, ['POST', '/billing/topup', { amount_paise }]);
    const { id, gateway: order } = reply?.body ?? {};
    return id && order ? { id, orderId: order.order_id } : null;
  }

  /** Somebody pays in the checkout. Returns what the browser brings back. */
  function pay({ currency }: MoneyTenant, orderId: string): object {
    if (currency === 'USD') {
      stripe.pay(orderId);
      return { gateway_payment_id: orderId };
    }
    if (random() < 0.2) razorpay.pay(orderId, { outcome: 'failed' });
    const { razorpay_payment_id, razorpay_signature } = razorpay.pay(orderId);
    return { gateway_payment_id: razorpay_payment_id, gateway_signature: razorpay_signature };
  }

  /** Each step of one kill's customers: what is done, how long before the kill. */
  function customersBefore(apiUrl: string, atMs: number): Promise<void>[] {
    const at = async (ms: number, step: () => Promise<unknown>) => {
      await pause(Math.max(0, ms - Date.now()));
      await step();
    };
    const before = (kind: keyof typeof BEFORE_KILL_MS) => atMs - random() * BEFORE_KILL_MS[kind];
    const times = (howMany: number, make: (n: number) => Promise<void>) =>
      Array.from({ length: howMany }, (_, n) => make(n));
    const due = notDue.splice(0, Math.ceil(TENANTS / kills));
    return [
      ...due.map(async (tenant) => {
        const dueMs = Math.floor(before('renewal'));
        await eventually('a database', PATIENCE_MS, () =>
          makeDue(sql, tenant, dueMs)
            .then(() => true)
            .catch(() => null),
        );
      }),
      ...times(PER_KILL['top-up'], () =>
        at(before('top-up'), async () => {
          const tenant = pick(tenants);
          const made = await topUp(tenant, apiUrl);
          // Who pays does not come back; some never pay.
          if (made && random() < 0.8) pay(tenant, made.orderId);
        }),
      ),
      ...times(PER_KILL.completion, () => {
        const tenant = pick(tenants);
        const completeMs = before('completion');
        return at(completeMs - AHEAD_MS, async () => {
          const made = await topUp(tenant, apiUrl);
          if (!made) return;
          await at(completeMs, async () => {
            const back = pay(tenant, made.orderId);
            await send('completion', { tenant, apiUrl }, ['POST', `/billing/payments/${made.id}/complete`, back]);
          });
        });
      }),
      ...times(PER_KILL.purchase, (n) =>
        at(before('purchase'), async () => {
          const tenant = pick(tenants.filter(({ poor }) => !poor));
          const carrier = CARRIERS[n % CARRIERS.length]!;
          const number = await offerNumber(sql, carriers, carrier, Date.now());
          if (random() < 0.4) carriers.simulators[carrier].stock.faults.push(pick(FAULTS));
          const reply = await send('purchase', { tenant, apiUrl }, ['POST', '/numbers', { number }]);
          if (reply?.status !== 201 || random() < 0.6) return;
          await send('release', { tenant, apiUrl }, ['DELETE', `/numbers/${encodeURIComponent(number)}`]);
        }).catch((error: unknown) => {
          // The database is being killed: nobody finds the number.
          if (!isConnectionError(error)) throw error;
        }),
      ),
      ...times(PER_KILL.release, () => {
        const tenant = spares.shift();
        if (!tenant) return Promise.resolve();
        const path = `/numbers/${encodeURIComponent(tenant.spare)}`;
        return at(before('release'), () => send('release', { tenant, apiUrl }, ['DELETE', path]));
      }),
    ];
  }
  const spares = [...tenants];
  const notDue = [...tenants];
  const customers: Promise<void>[] = [];

  return {
    ...{ tenants, begun, answered, interrupted },
    beginBefore: (apiUrl, killMs) => void customers.push(...customersBefore(apiUrl, killMs)),
    beforeKill(apiUrl) {
      for (const each of underWay) if (each.apiUrl === apiUrl) interrupted[each.kind]++;
    },
    async afterKill() {
      await pause(LEASES_SETTLE_MS);
      const leased = await sql<{ id: string }[]>`
        select workspace_id || kind || subject_id as id from renewals
        where next_attempt_at between now() and now() + interval '61 seconds' and next_attempt_at <> cycle_end`.catch(
        () => [],
      );
      for (const { id } of leased) {
        if (leasedBefore.has(id)) continue;
        leasedBefore.add(id);
        interrupted.renewal++;
      }
    },
    done: () => Promise.all(customers),
  };
}

/** Of PostgreSQL's client: the server is away, or shuts down. */
const isConnectionError = (error: unknown) =>
  /^(ECONN|CONNECTION_|CONNECT_|57P0)/.test(String((error as { code?: string }).code ?? ''));
