import { randomBytes } from 'node:crypto';
import { connectDatabase, wakeUpsOf } from '../../control/db/connect.ts';
import { shareWakeUps } from '../../control/db/wake-ups.ts';
import { startTwilioSimulator } from '../../fixtures/simulators/twilio.ts';
import { connectBus } from '../../shared/bus/bus.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger, errorText } from '../../shared/log.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startSimulatedProviders } from '../support/simulated-providers.ts';
import { pause } from '../support/until.ts';
import {
  answerAll,
  CALLS,
  type CallSetup,
  doubleDials,
  makeTenant,
  missingAnswers,
  placeAll,
  QUIET_WITHIN_MS,
  untilQuiet,
} from './crash-calls.ts';
import { breaches } from './crash-invariants.ts';
import { AHEAD_MS, INTERRUPTIBLE, type MoneyActivity, planMoney } from './crash-money.ts';
import { moneyBreaches, moneyFacts, untilMoneyQuiet } from './crash-money-invariants.ts';
import { type MoneyPartners, startMoneyPartners } from './crash-money-partners.ts';
import { preparePrices } from './crash-money-tenants.ts';
import { type CrashStack, startCrashStack, VICTIMS } from './crash-stack.ts';
import { startEventReceiver } from './event-receiver.ts';

/**
 * `make crash`: the whole service with 50 calls, while fees fall due, credits are bought and numbers bought and released, and
 * `kill -9` of each program at random times, of control most often, with restarts after random delays. Afterwards the invariants are
 * checked in the database (`crash-invariants.ts`, `crash-money-invariants.ts`), at the gateways and carriers and at the receiver of the
 * webhooks. A round prints its seed; SEED=… ROUNDS=1 repeats it, apart from timing.
 */

type Victim = (typeof VICTIMS)[number];

const ROUNDS = Number(process.env.ROUNDS ?? 20);
const FIRST_SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const KILLING_MS = 25_000;
const KILLS: Record<Victim, number> = { 'control-1': 2, 'control-2': 2, media: 1, nats: 1, postgres: 1 };
const DOWN_AT_MOST_MS = 4_000;
/** How long control is ready at most before it is killed again, without the time that its customers take to begin. */
const READY_AT_MOST_MS = 8_000;

interface CrashSetup extends CallSetup {
  stack: CrashStack;
  received: Set<string>;
  partners: MoneyPartners;
}

async function main(): Promise<boolean> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const certificate = selfSignedCertificate('127.0.0.1');
    const receiver = await startEventReceiver(certificate);
    closing.push(() => receiver.close());
    const account = { accountSid: `AC${randomBytes(16).toString('hex')}`, authToken: randomBytes(16).toString('hex') };
    const carrier = await startTwilioSimulator({ ...account, callee: () => ({ outcome: 'answer', afterMs: 300 }) });
    closing.push(() => carrier.close());
    const providers = await startSimulatedProviders({
      stt: { script: { turns: () => ({ text: 'a table for two please', startAfterMs: 120, endAfterMs: 300 }) } },
      llm: { firstTokenMs: 50, answer: () => ({ text: 'Certainly. It is booked.' }) },
      tts: { firstAudioMs: 40 },
    });
    closing.push(() => providers.close());
    const partners = await startMoneyPartners(Math.random);
    closing.push(() => partners.close());
    const stack = await startCrashStack(
      {
        ...partners.settings,
        TWILIO_ACCOUNT_SID: account.accountSid,
        TWILIO_AUTH_TOKEN: account.authToken,
        TWILIO_API_URL: carrier.url,
        ...providers.settings,
        FETCH_ALLOW: '127.0.0.0/8',
        ADMISSION: 'fixed',
      },
      certificate.cert,
    );
    closing.push(() => stack.stop());
    const { url: receiverUrl, received } = receiver;
    const ground: CrashSetup = { stack, carrier, receiverUrl, received, partners };
    const sql = connectDatabase({ url: stack.databaseUrl, name: 'antiphon-crash', max: 1 });
    await preparePrices(sql).finally(() => sql.end());

    let passed = 0;
    console.log(`${ROUNDS} rounds of ${CALLS} calls; the first seed is ${FIRST_SEED}\n`);
    for (let round = 0; round < ROUNDS; round++) if (await play(ground, FIRST_SEED + round)) passed++;
    console.log(`\n${passed} passed, ${ROUNDS - passed} failed`);
    return passed === ROUNDS;
  } finally {
    for (const close of closing.toReversed()) await close().catch((error: unknown) => console.error(errorText(error)));
  }
}

async function play(ground: CrashSetup, seed: number): Promise<boolean> {
  const { stack } = ground;
  const random = seededRandom(seed);
  const startMs = performance.now();
  const callers = answerAll(ground.carrier, random);
  const sql = connectDatabase({ url: stack.databaseUrl, name: 'antiphon-crash', max: 2 });
  const log = createLogger('control', 'silent');
  const bus = await connectBus({ url: stack.natsUrl, name: 'antiphon-crash', log });
  const wakeUps = shareWakeUps(wakeUpsOf(sql), { bus, clock: systemClock, log });
  try {
    const tenant = await makeTenant(ground, sql, seed);
    const money = await planMoney(sql, ground.partners, {
      ...{ apiUrls: stack.apiUrls, kills: KILLS['control-1'] + KILLS['control-2'], name: `Money ${seed}` },
      random: seededRandom(seed + 500_000_000),
    });
    const kills: Kill[] = [];
    const killing = { stack, random, money, kills, startMs: performance.now() };
    const [answers] = await Promise.all([
      placeAll(ground, tenant, random),
      ...VICTIMS.map((victim) => killAll(victim, killing)),
    ]);
    await money.done();
    const quiet = (await untilQuiet(sql, tenant.workspaceId)) && (await untilMoneyQuiet(sql, ground.partners));
    const wrong = await breaches(sql, tenant.workspaceId, ground.received);
    if (!quiet) wrong.push(`not quiet after ${QUIET_WITHIN_MS / 1_000} s`);
    wrong.push(...(await moneyBreaches(sql, ground.partners, money.tenants)));
    wrong.push(...(await missingAnswers(sql, tenant.workspaceId, answers)));
    wrong.push(...doubleDials(ground.carrier, tenant.numbers));
    for (const [kind, count] of Object.entries(money.answered)) {
      if (count === 0 && kind !== 'renewal') wrong.push(`no ${kind} was carried out`);
    }
    const ends = await sql<{ reason: string; count: number }[]>`
      select hangup_reason as reason, count(*)::integer as count from calls where workspace_id = ${tenant.workspaceId}
      group by 1 order by 2 desc`;
    const facts = await moneyFacts(sql, money.tenants);
    report(seed, { kills, money, facts, ends, wrong, tookMs: performance.now() - startMs });
    return wrong.length === 0;
  } catch (error) {
    console.log(`seed ${seed}: FAILED: ${errorText(error)}`);
    for (const victim of VICTIMS) console.log(`--- ${victim}\n${stack.tail(victim, 4)}`);
    return false;
  } finally {
    callers.stop();
    wakeUps.stop();
    await Promise.all([sql.end({ timeout: 5 }), bus.close()]);
  }
}

interface Outcome {
  kills: readonly Kill[];
  money: MoneyActivity;
  facts: string;
  ends: readonly { reason: string; count: number }[];
  wrong: readonly string[];
  tookMs: number;
}

function report(seed: number, { kills, money, facts, ends, wrong, tookMs }: Outcome): void {
  const second = (ms: number) => (ms / 1_000).toFixed(1);
  const row = (title: string, cells: readonly (string | number)[]) =>
    console.log(`  ${title.padEnd(14)}${cells.map((cell) => String(cell).padStart(11)).join('')}`);
  console.log(`seed ${seed}: ${wrong.length === 0 ? 'passed' : 'FAILED'} in ${second(tookMs)} s`);
  console.log(`  ends          ${ends.map(({ reason, count }) => `${count} ${reason}`).join(' · ')}`);
  for (const victim of VICTIMS) {
    const own = kills.filter((each) => each.victim === victim);
    const times = own.map(({ atMs, downMs }) => ` ${second(atMs)} + ${second(downMs)}`);
    row(`killed ${victim}`.padEnd(18), times);
  }
  console.log(`  money         ${facts}`);
  row('', INTERRUPTIBLE);
  for (const [title, counts] of Object.entries({
    begun: money.begun,
    answered: { ...money.answered, renewal: '' },
    'killed within': money.interrupted,
  })) {
    const cells = INTERRUPTIBLE.map((kind) => counts[kind]);
    row(title, cells);
  }
  for (const line of wrong) console.log(`  WRONG  ${line}`);
}

/** A kill that happened. */
interface Kill {
  victim: Victim;
  /** Since the round began. */
  atMs: number;
  downMs: number;
}

/** Kills a program again and again at random moments, control when customers are busy with it; resolves when it is ready again. */
async function killAll(victim: Victim, { stack, random, money, kills, startMs }: Killing): Promise<void> {
  const apiUrl = victim.startsWith('control') ? stack.apiUrls[victim === 'control-1' ? 0 : 1]! : null;
  for (let n = 0; n < KILLS[victim]; n++) {
    const delayMs = apiUrl ? AHEAD_MS + random() * READY_AT_MOST_MS : random() * KILLING_MS;
    const downMs = random() * DOWN_AT_MOST_MS;
    if (apiUrl) money.beginBefore(apiUrl, Date.now() + delayMs);
    await pause(delayMs);
    if (apiUrl) money.beforeKill(apiUrl);
    kills.push({ victim, atMs: performance.now() - startMs, downMs });
    await stack.kill(victim);
    await Promise.all([pause(downMs), apiUrl ? money.afterKill() : null]);
    await stack.revive(victim);
  }
}

interface Killing {
  stack: CrashStack;
  random: () => number;
  money: MoneyActivity;
  kills: Kill[];
  startMs: number;
}

process.exit((await main()) ? 0 : 1);
