import { beforeAll, describe, expect, it } from 'vitest';
import { linesRenewal } from '../../../control/billing/lines-renewal.ts';
import { planRenewal } from '../../../control/billing/plan-renewal.ts';
import { type RenewalSubject, renewLeased } from '../../../control/billing/renewals/renew.ts';
import { leaseDueRenewals, type Renewal } from '../../../control/billing/renewals/renewals.ts';
import { callerIdRenewal } from '../../../control/caller-id/caller-id-renewal.ts';
import type { Sql } from '../../../control/db/connect.ts';
import { gatewayDifferences } from '../../../control/money-audit/gateway-differences.ts';
import { moneyDifferences } from '../../../control/money-audit/money-differences.ts';
import { createNumberRenewal } from '../../../control/numbers/number-renewal.ts';
import { drawCut } from '../../support/cut-connection.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { type Account, DAY_MS, type FeeKind } from '../../support/random-months/account.ts';
import { act } from '../../support/random-months/actions.ts';
import {
  type Bench,
  follow,
  newSubscriber,
  record,
  START_MS,
  type Subscriber,
  startBench,
  story,
  writeRates,
} from '../../support/random-months/bench.ts';
import { booksOf, readBooks } from '../../support/random-months/facts.ts';
import { attempt } from '../../support/random-months/fees.ts';
import { lookAtOrders, releaseNumber } from '../../support/random-months/number-actions.ts';
import { lookAtPayments, repeatReports } from '../../support/random-months/payment-actions.ts';
import { seededRandom } from '../../support/seeded-random.ts';

/**
 * Random months of subscribers against the specification's rules, calculated slowly and apart (`test/support/random-months/`): plans,
 * lines, numbers, caller ids, calls, top-ups, coupons, refunds, disputes and changes of currency, at two processes that both die
 * again and again. ROUNDS=10000 plays more months; a failure prints its seed and what happened to its subscriber.
 */
const MONTHS = Number(process.env.ROUNDS ?? 36);
const FIRST_SEED = Number(process.env.SEED ?? 1);
const MONTHS_EACH = 6;
/** Months in one database; then the next seed begins with an empty one. */
const MONTHS_A_SEED = 120;
/** Both processes look for fees that are due so often. */
const TICK_MS = DAY_MS / 2;
/** In the end everything that is open comes to its end. */
const QUIET_DAYS = 6;
/** Days on which neither process runs: over a weekend, and for longer than a month. */
const OUTAGES = [
  [40, 43],
  [100, 135],
] as const;
const RENEWALS: RenewalSubject[] = [planRenewal, linesRenewal, callerIdRenewal, createNumberRenewal(releaseNumber)];
const SUBJECTS = new Map(RENEWALS.map((subject) => [subject.kind, subject]));

/** An attempt to take a fee; `done` false: its process died before it was. */
interface Attempt {
  kind: FeeKind;
  id: string;
  done: boolean;
  died: boolean;
}

/** A tick of both processes. */
interface Tick {
  bench: Bench;
  seed: number;
  now: number;
  subscriberOf(workspaceId: string): Subscriber;
  /** Of each workspace in their order: they wait for each other. */
  attempts: Map<string, Attempt[]>;
}

async function runProcess(tick: Tick, database: Sql): Promise<void> {
  for (;;) {
    const leased = await leaseDueRenewals(database, 3, tick.now, 60_000);
    if (leased.length === 0) return;
    for (const each of leased) await renewOne(tick, database, each);
  }
}

async function renewOne(tick: Tick, database: Sql, leased: Renewal): Promise<void> {
  const { bench, now, attempts } = tick;
  const { workspace_id, kind, subject_id: id } = leased;
  const made: Attempt = { kind, id, done: false, died: false };
  const all = attempts.get(workspace_id) ?? [];
  attempts.set(workspace_id, all);
  const work = (sql: Sql) =>
    sql.begin(async (tx) => {
      const outcome = await renewLeased(tx, SUBJECTS, leased, { at_ms: now, billing_url: '' });
      if (outcome === null) return;
      made.done = true;
      all.push(made);
    });
  const random = randomOf(tick, leased);
  if (random() > 0.1) return work(database);
  if ((await bench.dying.run(drawCut(random), work)) !== 'cut') return;
  made.died = true;
  if (!made.done) all.push(made);
}

/** The same for both processes, so that a seed plays the same whichever is quicker. */
function randomOf({ seed, now, subscriberOf }: Tick, { workspace_id, kind, subject_id }: Renewal): () => number {
  const place = [...SUBJECTS.keys()].indexOf(kind) * 10 + (kind === 'number' ? Number(subject_id.at(-1)) : 0);
  return seededRandom(seed * 7_919 + subscriberOf(workspace_id).index * 104_729 + (now / TICK_MS) * 40 + place);
}

/** Follows the attempts of a tick, whose order between two fees nobody has said. */
async function followTick(bench: Bench, subscriber: Subscriber, attempts: readonly Attempt[], now: number) {
  let possible: Account[] = [subscriber.account];
  for (const { kind, id, done, died } of attempts) {
    record(
      subscriber,
      now,
      `the fee of ${kind} ${id} is due${died ? `, and its process dies${done ? ' at the end' : ''}` : ''}`,
    );
    const key = { kind, id };
    possible = possible.flatMap((account) => {
      const notDone = structuredClone(account);
      const leased = notDone.subscriptions.find((each) => each.kind === kind && each.id === id);
      if (leased) leased.nextAttempt = now + 60_000;
      const isDue = account.subscriptions.some(
        (each) => each.kind === kind && each.id === id && each.nextAttempt <= now,
      );
      if (!done) return [notDone];
      if (!isDue) return [];
      const taken = structuredClone(account);
      attempt(taken, bench.world, key, now);
      return died ? [taken, notDone] : [taken];
    });
    expect(possible, `${kind} was not due: ${story(subscriber)}`).not.toEqual([]);
  }
  if (attempts.length > 0) await follow(bench, subscriber, possible);
  const skipped = subscriber.account.subscriptions.filter(({ nextAttempt }) => nextAttempt <= now);
  expect(skipped, story(subscriber)).toEqual([]);
}

/** The service's own prices change now and then. */
async function changeRates(bench: Bench, random: () => number): Promise<void> {
  if (random() > 0.05) return;
  const { world } = bench;
  world.paisePerDollar = 7_900 + Math.floor(random() * 1_200);
  world.numberRate = { INR: random() < 0.5 ? null : 8_000 + random() * 9_000, USD: random() < 0.5 ? null : 140 };
  await writeRates(bench);
}

async function playMonths(bench: Bench, seed: number, months: number): Promise<void> {
  const count = Math.ceil(months / MONTHS_EACH);
  const subscribers: Subscriber[] = [];
  for (let index = 0; index < count; index++) subscribers.push(await newSubscriber(bench, seed, index));
  const byId = new Map(subscribers.map((each) => [each.workspace_id, each]));
  const subscriberOf = (id: string) => byId.get(id)!;
  const random = seededRandom(seed);
  const days = MONTHS_EACH * 30;
  for (let now = START_MS; now < START_MS + days * DAY_MS; now += TICK_MS) {
    const day = (now - START_MS) / DAY_MS;
    await changeRates(bench, random);
    if (!OUTAGES.some(([from, to]) => day >= from && day < to)) {
      const attempts = new Map<string, Attempt[]>();
      const tick = { bench, seed, now, subscriberOf, attempts };
      await Promise.all(bench.processes.map((each) => runProcess(tick, each)));
      await Promise.all(subscribers.map((each) => followTick(bench, each, attempts.get(each.workspace_id) ?? [], now)));
      await lookAtOrders(bench, subscribers, now);
      await lookAtPayments(bench, subscriberOf, now);
      if (day % 4 === 0) await Promise.all(subscribers.map((each) => repeatReports(bench, each, now)));
    }
    if (day >= days - QUIET_DAYS) continue;
    await Promise.all(
      subscribers.map(async (each) => {
        // About two actions in a week.
        if (each.random() > 0.14) return;
        await act(bench, each, now + Math.floor(1 + each.random() * (TICK_MS - 5_000)));
      }),
    );
  }
  const [sql] = bench.processes;
  for (const each of subscribers) {
    expect(await readBooks(sql!, each.workspace_id), story(each)).toEqual(booksOf(each.account));
  }
  await expectConsistent(bench, START_MS + days * DAY_MS);
}

/** What the service's own audit compares, and that the numbers of documents have no gap in their financial year. */
async function expectConsistent({ processes, gateways }: Bench, now: number): Promise<void> {
  const [sql] = processes;
  const found = await moneyDifferences(sql!, now);
  for (const gateway of Object.values(gateways)) found.push(...(await gatewayDifferences(sql!, gateway.port(), now)));
  expect(found).toEqual([]);
  const numbers = await sql!<{ document: string; number: string; year: number }[]>`
    select document, number, extract(year from issued_at at time zone 'Asia/Kolkata' - interval '3 months')::integer as year
    from invoices order by document, year, number`;
  const byYear = Map.groupBy(numbers, ({ document, year }) => `${document} ${year}`);
  for (const [name, all] of byYear) {
    const [document, year] = [name.split(' ')[0], Number(name.split(' ')[1])];
    const years = `${document === 'invoice' ? year : String(year).slice(2)}-${String(year + 1).slice(2)}`;
    const prefix = document === 'invoice' ? years : `CN/${years}`;
    const gapless = all.map((_, at) => `${prefix}/${String(at + 1).padStart(6, '0')}`);
    expect(all.map(({ number }) => number)).toEqual(gapless);
  }
}

const SEEDS = Array.from({ length: Math.ceil(MONTHS / MONTHS_A_SEED) }, (_, at) => FIRST_SEED + at);

describe.each(SEEDS)('with seed %i', (seed) => {
  let bench: Bench;
  beforeAll(async () => {
    const { url } = await createTestDatabase();
    bench = await startBench(url);
    return bench.close;
  });

  const months = Math.min(MONTHS_A_SEED, MONTHS - (seed - FIRST_SEED) * MONTHS_A_SEED);
  it(`${months} random months are charged as calculated apart`, async () => {
    await playMonths(bench, seed, months);
    // Processes died before something was done, and after it.
    expect(Math.min(bench.cuts.nothing, bench.cuts.all)).toBeGreaterThan(0);
  });
});
