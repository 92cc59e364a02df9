import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { setSeller } from '../../../control/billing/invoices/seller.ts';
import { setRate } from '../../../control/billing/rate-overrides.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { HttpError } from '../../../control/http/errors.ts';
import { OperatorError } from '../../../control/operators/command.ts';
import type { PaymentDeps } from '../../../control/payments/payment-deps.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { giveWallet } from '../credits.ts';
import { type DyingConnections, drawCut, startDyingConnections } from '../cut-connection.ts';
import { seededRandom } from '../seeded-random.ts';
import { type Account, DAY_MS, newAccount, type World } from './account.ts';
import { factsOf, readFacts } from './facts.ts';
import {
  type CarrierAccount,
  createCarrierAccount,
  createGatewayAccount,
  type GatewayAccount,
} from './third-parties.ts';

/** Two processes on a database, what is outside of it, and workspaces with their calculated accounts. */
export interface Bench {
  world: World;
  processes: Sql[];
  dying: DyingConnections;
  gateways: Record<'razorpay' | 'stripe', GatewayAccount>;
  carrier: CarrierAccount;
  /** How often a statement was cut, and what had come of it. */
  cuts: { nothing: number; all: number };
  close(): Promise<void>;
}

export interface Subscriber {
  index: number;
  workspace_id: string;
  random: () => number;
  account: Account;
  /** For a person who looks for the reason of a failure. */
  history: string[];
}

/** Of the year that follows: the audit passes over fees from before its migration. */
export const START_MS = Date.UTC(new Date().getUTCFullYear() + 1, 0, 1);
export const LOG = createLogger('control', 'silent');
/** The share of what is done whose process dies meanwhile. */
const DEATHS = 0.12;

export async function startBench(databaseUrl: string): Promise<Bench> {
  const processes = [0, 1].map(() => connectDatabase({ url: databaseUrl, max: 4 }));
  const dying = await startDyingConnections(databaseUrl);
  const seller = { name: 'Antiphon', address: 'Bengaluru', gstin: '29AAGCB7383J1Z4' };
  await processes[0]!.begin((tx) => setSeller(tx, seller, START_MS));
  const bench: Bench = {
    world: { paisePerDollar: 8_800, numberRate: { INR: null, USD: null }, callerIdRate: { INR: 49_999.5, USD: 600 } },
    ...{ processes, dying, carrier: createCarrierAccount(), cuts: { nothing: 0, all: 0 } },
    gateways: { razorpay: createGatewayAccount('razorpay'), stripe: createGatewayAccount('stripe') },
    async close() {
      await Promise.all(processes.map((each) => each.end()));
      await dying.close();
    },
  };
  await writeRates(bench);
  return bench;
}

/** Puts the service's own prices into the database. */
export async function writeRates({ processes, world }: Bench): Promise<void> {
  const none = { provider: '', model: '', updated_at: new Date(START_MS) };
  await processes[0]!.begin(async (tx) => {
    await tx`delete from rates`;
    for (const currency of ['INR', 'USD'] as const) {
      const { [currency]: number } = world.numberRate;
      if (number !== null) await setRate(tx, { ...none, component: 'number', currency, rate_paise: number });
      const rate_paise = world.callerIdRate[currency];
      await setRate(tx, { ...none, component: 'caller_id', currency, rate_paise });
    }
    const exchange = { ...none, component: 'exchange_rate', provider: 'USD', currency: 'INR' } as const;
    await setRate(tx, { ...exchange, rate_paise: world.paisePerDollar });
  });
}

export async function newSubscriber({ processes }: Bench, seed: number, index: number): Promise<Subscriber> {
  const [sql] = processes;
  const workspace_id = newId();
  const random = seededRandom(seed * 1_000_003 + index);
  const taxed = random() < 0.7;
  await sql!`
    insert into workspaces (id, name, state, created_at, profile)
    values (${workspace_id}, 'Acme', 'active', ${new Date(START_MS)}, ${sql!.json({ country: taxed ? 'IN' : 'US' })})`;
  await giveWallet(sql!, workspace_id, 0);
  return { index, workspace_id, random, account: newAccount(taxed), history: [] };
}

/** What a subscriber, the service's team, a gateway or a background job does. */
export interface Action {
  text: string;
  run(sql: Sql): Promise<unknown>;
  /** What it does by calculation: all of it is the last one, and those before are where it can stop. False: it is refused. */
  rules: ((account: Account) => unknown)[];
  /** A refusal may come after it has done something. */
  refusalSaysNothing?: boolean;
}

/** Does it here and in the calculation, sometimes in a process that dies meanwhile. @returns whether it was done. */
export async function perform(bench: Bench, subscriber: Subscriber, now: number, action: Action): Promise<boolean> {
  const { random, account } = subscriber;
  const { processes, dying, cuts } = bench;
  const process = processes[Math.floor(random() * 2)]!;
  const cut = drawCut(random);
  const dies = random() < DEATHS;
  const outcome = dies ? await dying.run(cut, (sql) => answerOf(action.run(sql))) : await answerOf(action.run(process));
  const possible = action.rules.map((rule) => {
    const next = structuredClone(account);
    return rule(next) === false ? account : next;
  });
  const done = possible.at(-1)!;
  const died = outcome === 'cut' ? `, dies ${cut.answered ? 'after' : 'before'} ${cut.at} ${cut.number}` : '';
  record(subscriber, now, `${action.text}${died || (outcome === 'refused' ? ', refused' : '')}`);
  if (outcome !== 'cut') {
    if (!action.refusalSaysNothing) expect(outcome === 'done', story(subscriber)).toBe(done !== account);
    await follow(bench, subscriber, [done]);
    return done !== account;
  }
  await follow(bench, subscriber, [account, ...possible]);
  const applied = subscriber.account === done && done !== account;
  if (applied) cuts.all++;
  else cuts.nothing++;
  return applied;
}

/** True: carried out. False: refused in words. */
const answerOf = (work: Promise<unknown>): Promise<'done' | 'refused'> =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof OperatorError) return 'refused';
      if (error instanceof HttpError && [402, 404, 409, 502].includes(error.status)) return 'refused';
      throw error;
    },
  );

/** Goes on with the account that the database agrees with. */
export async function follow({ processes }: Bench, subscriber: Subscriber, possible: Account[]): Promise<void> {
  const actual = await readFacts(processes[0]!, subscriber.workspace_id);
  const same = possible.find((each) => isDeepStrictEqual({ ...actual }, factsOf(each)));
  if (!same) expect({ ...actual }, story(subscriber)).toEqual(factsOf(possible.at(-1)!));
  subscriber.account = same!;
}

export function record({ history, account }: Subscriber, now: number, text: string): void {
  const day = ((now - START_MS) / DAY_MS).toFixed(2);
  history.push(`  day ${day}: ${text} [${account.paid} + ${account.free} ${account.currency}, ${account.plan}]`);
}

/** The last that happened, with what was there before. */
export const story = ({ index, history }: Subscriber): string =>
  `subscriber ${index}:\n${history.slice(-40).join('\n')}\n`;

export function paymentDeps(bench: Bench, sql: Sql, now: number, answer?: 'created' | 'lost' | 'refused'): PaymentDeps {
  const { razorpay, stripe } = bench.gateways;
  return {
    ...{ sql, log: LOG, clock: { ...systemClock, wall: () => now }, writeLog() {}, returnUrl: 'http://console/' },
    gateways: new Map([razorpay, stripe].map((each) => [each.name, each.port(answer)])),
  };
}

export function numberDeps(
  { carrier }: Bench,
  sql: Sql,
  now: number,
  purchase?: Parameters<CarrierAccount['port']>[0],
) {
  const numbers = carrier.port(purchase);
  return {
    ...{ sql, log: LOG, clock: { ...systemClock, wall: () => now } },
    carriers: new Map([['twilio', { numbers }]]) as never,
  };
}
