import { beforeAll, expect, it } from 'vitest';
import { buyLines, removeLines } from '../../../control/billing/change-lines.ts';
import { switchPlan } from '../../../control/billing/change-plan.ts';
import { chargeCall } from '../../../control/billing/charge-call.ts';
import { writeLedger } from '../../../control/billing/ledger.ts';
import { linesRenewal } from '../../../control/billing/lines-renewal.ts';
import { planRenewal } from '../../../control/billing/plan-renewal.ts';
import { renewLeased } from '../../../control/billing/renewals/renew.ts';
import { leaseDueRenewals, type Renewal, retryPastDue } from '../../../control/billing/renewals/renewals.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { HttpError } from '../../../control/http/errors.ts';
import { newId } from '../../../shared/ids.ts';
import { giveWallet } from '../../support/credits.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import * as slow from '../../support/slow-subscription.ts';

/**
 * Random months of subscribers against the specification's rules, calculated slowly and apart: switches, top-ups in time, late and
 * not at all, lines, calls, outages, two processes, and attempts that die before their commit. ROUNDS=10000 SEED=7 plays more.
 */
const MONTHS = Number(process.env.ROUNDS ?? 300);
const SEED = Number(process.env.SEED ?? 1);
const MONTHS_EACH = 6;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Both processes look for fees that are due so often. */
const TICK_MS = 12 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 1);
/** Days on which neither process runs: over a weekend, and for longer than a month. */
const OUTAGES = [
  [40, 43],
  [100, 135],
] as const;
const SUBJECTS = new Map([planRenewal, linesRenewal].map((subject) => [subject.kind, subject]));
const ACTOR = { kind: 'service', id: 'tests', name: 'tests' } as const;
const DEATH = new Error('the process dies before its commit');
const PLANS = ['starter', 'growth', 'scale'] as const;

interface Subscriber {
  workspace_id: string;
  random: () => number;
  state: slow.SlowState;
}

let sql: Sql;
let processes: Sql[];
let subscribers: Subscriber[];

beforeAll(async () => {
  const database = await createTestDatabase();
  processes = [0, 1].map(() => connectDatabase({ url: database.url, max: 4 }));
  sql = processes[0]!;
  const count = Math.ceil(MONTHS / MONTHS_EACH);
  subscribers = await Promise.all(Array.from({ length: count }, (_, index) => newSubscriber(index)));
  return async () => {
    await Promise.all(processes.map((each) => each.end()));
  };
});

async function newSubscriber(index: number): Promise<Subscriber> {
  const workspace_id = newId();
  await sql`
    insert into workspaces (id, name, state, created_at)
    values (${workspace_id}, 'Acme', 'active', ${new Date(START_MS)})`;
  await giveWallet(sql, workspace_id, 0);
  return { workspace_id, random: seededRandom(SEED * 1_000_003 + index), state: slow.newSlowState() };
}

/** Whether an attempt of this tick dies: the same for whichever process makes it. */
const dies = ({ workspace_id, kind }: Pick<Renewal, 'workspace_id' | 'kind'>, nowMs: number): boolean =>
  seededRandom(Number.parseInt(workspace_id.slice(-7), 16) + nowMs / TICK_MS + (kind === 'plan' ? 0 : 500_000))() < 0.1;

async function runProcess(database: Sql, nowMs: number): Promise<void> {
  for (;;) {
    const leased = await leaseDueRenewals(database, 3, nowMs, 60_000);
    if (leased.length === 0) return;
    for (const each of leased) {
      const attempt = database.begin(async (tx) => {
        await renewLeased(tx, SUBJECTS, each, nowMs);
        if (dies(each, nowMs)) throw DEATH;
      });
      await attempt.catch((error: unknown) => {
        if (error !== DEATH) throw error;
      });
    }
  }
}

/** True: carried out. False: refused in words. */
const accepted = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    (error: unknown) => {
      if (error instanceof HttpError && [402, 409].includes(error.status)) return false;
      throw error;
    },
  );

/** Something that a subscriber does, here and in the slow calculation. @returns whether both agree on refusing it. */
async function act({ workspace_id, random, ...subscriber }: Subscriber, nowMs: number): Promise<slow.SlowState> {
  const { state } = subscriber;
  const request = { workspace_id, actor: ACTOR, at_ms: nowMs, markCarriedOut: async () => {} };
  const upTo = (max: number) => Math.floor(random() * max);
  const agree = async (work: Promise<unknown>, next: slow.SlowState | null) => {
    expect(await accepted(work)).toBe(next !== null);
    return next ?? state;
  };
  const kind = random();
  if (kind < 0.35) {
    const paise = [20_000, 150_000, 400_000, 1_200_000][upTo(4)]! + upTo(1_000);
    await sql.begin(async (tx) => {
      await retryPastDue(tx, workspace_id, nowMs);
      const entry = { workspace_id, kind: 'topup', note: '', by_name: '', at_ms: nowMs, key: newId() } as const;
      await writeLedger(tx, { ...entry, amount_paise: paise });
    });
    return slow.topUp(state, paise, nowMs);
  }
  if (kind < 0.5) {
    const plan_id = PLANS[upTo(3)]!;
    return agree(switchPlan(sql, { ...request, plan_id }), slow.switchTo(state, plan_id, nowMs));
  }
  if (kind < 0.65) {
    const quantity = 1 + upTo(random() < 0.9 ? 4 : 100);
    return agree(buyLines(sql, { ...request, quantity }), slow.buy(state, quantity, nowMs));
  }
  if (kind < 0.75) {
    const quantity = 1 + upTo(3);
    return agree(removeLines(sql, { ...request, quantity }), slow.remove(state, quantity));
  }
  const duration_seconds = 1 + upTo(12_000);
  const ended = { workspace_id, call_id: newId(), channel: 'phone', carrier: 'plivo', duration_seconds } as const;
  await sql.begin((tx) =>
    chargeCall(tx, { ...ended, provider_usage: [], failed: false, note: '', by_name: '' }, nowMs),
  );
  return slow.call(state, duration_seconds);
}

/** What the database says of a subscriber, in the words of the slow calculation. */
async function stateOf({ workspace_id }: Subscriber) {
  const [row] = await sql`
    select w.paid_paise + w.free_paise as credits, s.plan_id as plan, s.extra_lines as lines, s.concurrency_limit as concurrency,
      w.plan_seconds_left as seconds, w.plan_cycle_end, w.plan_past_due_since
    from wallets w join workspaces s on s.id = w.workspace_id where s.id = ${workspace_id}`;
  const renewals = await sql<Renewal[]>`select * from renewals where workspace_id = ${workspace_id}`;
  const of = (kind: slow.FeeKind) => {
    const renewal = renewals.find((each) => each.kind === kind);
    return renewal
      ? { paidUntil: renewal.cycle_end.getTime(), unpaidSince: renewal.past_due_since?.getTime() ?? null }
      : null;
  };
  const { plan_cycle_end, plan_past_due_since, ...facts } = row!;
  const plan = of('plan');
  expect([plan_cycle_end?.getTime(), plan_past_due_since?.getTime() ?? null]).toEqual([
    plan?.paidUntil,
    plan?.unpaidSince ?? null,
  ]);
  return { ...facts, subscriptions: { plan, lines: of('lines') } };
}

function factsOf(state: slow.SlowState) {
  const { credits, plan, lines, seconds, subscriptions } = state;
  const of = (kind: slow.FeeKind) => {
    const subscription = subscriptions[kind];
    return subscription && { paidUntil: subscription.paidUntil, unpaidSince: subscription.unpaidSince };
  };
  return {
    ...{ credits, plan, lines, concurrency: slow.concurrencyOf(state), seconds },
    subscriptions: { plan: of('plan'), lines: of('lines') },
  };
}

/** The fees that are due at a tick; where their order decides, the one that happened is followed. */
async function followTick(subscriber: Subscriber, nowMs: number): Promise<void> {
  const { workspace_id, state } = subscriber;
  const possible = slow.afterFees(state, nowMs, (kind) => !dies({ workspace_id, kind }, nowMs));
  if (possible.length === 1) {
    subscriber.state = possible[0]!;
    return;
  }
  const actual = await stateOf(subscriber);
  const same = possible.find((each) => JSON.stringify(factsOf(each)) === JSON.stringify(sorted(actual, each)));
  expect(same, `${workspace_id} after ${(nowMs - START_MS) / DAY_MS} days: ${JSON.stringify(actual)}`).toBeDefined();
  subscriber.state = same!;
}

/** With the keys in the order of the other. */
const sorted = (actual: Record<string, unknown>, like: slow.SlowState) =>
  Object.fromEntries(Object.keys(factsOf(like)).map((key) => [key, actual[key]]));

it(`${MONTHS} random months are charged as calculated by hand (seed ${SEED})`, async () => {
  const days = MONTHS_EACH * 30;
  for (let nowMs = START_MS; nowMs < START_MS + days * DAY_MS; nowMs += TICK_MS) {
    const day = (nowMs - START_MS) / DAY_MS;
    if (!OUTAGES.some(([from, to]) => day >= from && day < to)) {
      await Promise.all(processes.map((each) => runProcess(each, nowMs)));
      await Promise.all(subscribers.map((each) => followTick(each, nowMs)));
    }
    await Promise.all(
      subscribers.map(async (each) => {
        // About one action in a week.
        if (each.random() > 0.07) return;
        each.state = await act(each, nowMs + Math.floor(1 + each.random() * (TICK_MS - 2)));
        expect(await stateOf(each), each.workspace_id).toEqual(factsOf(each.state));
      }),
    );
  }
  for (const each of subscribers) {
    expect(await stateOf(each), each.workspace_id).toEqual(factsOf(each.state));
    const { workspace_id, state } = each;
    for (const kind of ['plan', 'lines']) {
      const fees = await sql<{ paise: number; key: string }[]>`
        select -amount_paise as paise, key from ledger
        where workspace_id = ${workspace_id} and kind = ${kind} order by seq`;
      const taken = state.taken.filter((fee) => fee.kind === kind);
      expect(fees.map(({ paise, key }) => [paise, beginOf(key)])).toEqual(taken.map((fee) => [fee.paise, fee.begin]));
    }
  }
  await expectConsistent();
}, 600_000);

/** The beginning of the month that a fee paid for, of its key in the ledger; null: lines within a month. */
function beginOf(key: string): number | null {
  const begin = /^(?:plan:\w+|lines:all):(.*)$/.exec(key)?.[1];
  return begin === undefined ? null : Date.parse(begin);
}

/** Ledger = wallet = invoices, and no gap in the numbers of invoices. */
async function expectConsistent(): Promise<void> {
  const differing = await sql`
    select w.workspace_id from wallets w
    left join (select workspace_id, sum(amount_paise) as paise from ledger group by 1) l using (workspace_id)
    where w.paid_paise + w.free_paise <> coalesce(l.paise, 0)`;
  expect([...differing]).toEqual([]);
  const withoutInvoice = await sql`
    select coalesce(l.key, i.key) as key from (select * from ledger where kind in ('plan', 'lines')) l
    full join invoices i on i.workspace_id = l.workspace_id and i.key = l.key
    where l.amount_paise is distinct from -i.amount_paise or l.kind is distinct from i.kind`;
  expect([...withoutInvoice]).toEqual([]);
  const numbers = await sql<{ year: string; numbers: number; last: number }[]>`
    select split_part(number, '/', 1) as year, count(distinct number)::integer as numbers,
      max(split_part(number, '/', 2)::integer) as last
    from invoices group by 1`;
  expect(numbers.length).toBeGreaterThan(0);
  for (const each of numbers) expect(each.numbers).toBe(each.last);
}
