import { randomBytes } from 'node:crypto';
import { connectDatabase } from '../../control/db/connect.ts';
import type { CarrierCall } from '../../fixtures/simulators/carrier-call.ts';
import type { CarrierSimulator } from '../../fixtures/simulators/carrier-simulator.ts';
import { startTwilioSimulator } from '../../fixtures/simulators/twilio.ts';
import { createLogger, errorText } from '../../shared/log.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startSimulatedProviders } from '../support/simulated-providers.ts';
import { pause } from '../support/until.ts';
import { doubleDials, missingAnswers, type Tenant, talk, untilQuiet } from './crash-calls.ts';
import { breaches } from './crash-invariants.ts';
import { type CrashStack, startCrashStack, type Victim } from './crash-stack.ts';
import { type EventReceiver, startEventReceiver } from './event-receiver.ts';
import { contradictions, makeTenants, placeCalls, resumeBatches, untilBatchesEnd } from './outage-calls.ts';
import { type OutageEngine, startOutageEngine } from './outage-engine.ts';
import { type Failure, planFailures, type Target } from './outage-plan.ts';
import { factsOf, type Outcome, printTable, report, seconds } from './outage-report.ts';
import { startProxy } from './slow-proxy.ts';

/**
 * `make outage`: 200 live and 2,000 queued calls while PostgreSQL is away for a minute, then NATS, then the carrier's API takes every call
 * and answers after 15 seconds or not at all, then everything at once, with kills of control and engines between. Within five minutes of
 * the last failure everything must be as it would have been without them (`crash-invariants.ts`, `outage-calls.ts`). Two control processes;
 * two real engines have a share of the calls (REAL), two simulated engines on the same bus the others, because audio of 200 calls would
 * take more cores than the rest.
 *
 * A round prints its seed; SEED=… ROUNDS=1 repeats it, apart from timing. CALLS, QUEUED, REAL, FAILURE_SECONDS; TOGETHER=1: the failures of
 * all rounds follow each other, and their recovery is waited for at the end.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 1);
const FIRST_SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const LIVE = Number(process.env.CALLS ?? 200);
const QUEUED = Number(process.env.QUEUED ?? 2_000);
const REAL = Number(process.env.REAL ?? Math.max(2, Math.round(LIVE / 20)));
const FAILURE_MS = Number(process.env.FAILURE_SECONDS ?? 60) * 1_000;
/** A round's recovery is waited for together with that of the others, after the failures of all. */
const TOGETHER = process.env.TOGETHER === '1';
const QUIET_WITHIN_MS = 300_000;
/** On average as long as a third of a failure, so that calls begin, last and end in each. */
const TALK_MS = Math.max(4_000, FAILURE_MS / 3);
const LATE_MS = 15_000;
const PROGRESS_MS = 10_000;
const RESUME_MS = 2_000;

interface Ground {
  stack: CrashStack;
  carrier: CarrierSimulator;
  receiver: EventReceiver;
  engines: Record<'engine-1' | 'engine-2', OutageEngine>;
  /** How the carrier's API answers now. */
  api: { holdMs(method: string): number; late: number; unanswered: number };
}

async function main(): Promise<boolean> {
  const closing: (() => Promise<unknown>)[] = [];
  const kept = <T extends { close(): Promise<unknown> }>(made: T): T => {
    closing.push(() => made.close());
    return made;
  };
  try {
    const ground = await prepare(kept, closing);
    console.log(
      `${ROUNDS} rounds of ${LIVE} live and ${QUEUED} queued calls, at most ${REAL} of them at two real engines and the others at two ` +
        `simulated ones; failures of ${FAILURE_MS / 1_000} s; the first seed is ${FIRST_SEED}\n`,
    );
    const outcomes: Outcome[] = [];
    const open: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      open.push(await disturb(ground, FIRST_SEED + round));
      if (!TOGETHER) outcomes.push(await open.pop()!.judge());
    }
    outcomes.push(...(await Promise.all(open.map(({ judge }) => judge()))));
    printTable(outcomes);
    return outcomes.every(({ wrong }) => wrong.length === 0);
  } finally {
    for (const close of closing.toReversed()) await close().catch((error: unknown) => console.error(errorText(error)));
  }
}

async function prepare(
  kept: <T extends { close(): Promise<unknown> }>(made: T) => T,
  closing: (() => Promise<unknown>)[],
): Promise<Ground> {
  const certificate = selfSignedCertificate('127.0.0.1');
  const receiver = kept(await startEventReceiver(certificate));
  const account = { accountSid: `AC${randomBytes(16).toString('hex')}`, authToken: randomBytes(16).toString('hex') };
  const tokenSecret = randomBytes(32).toString('base64url');
  const simulated = new Set<string>();
  const carrier = kept(
    await startTwilioSimulator({
      ...account,
      callee: () => ({ outcome: 'answer', afterMs: 300 + Math.random() * 3_000 }),
      isSilent: (streamUrl) => simulated.has(new URL(streamUrl).host),
    }),
  );
  const api: Ground['api'] = { holdMs: () => 0, late: 0, unanswered: 0 };
  const proxy = kept(
    await startProxy(
      () => ({ url: carrier.url }),
      () => 0,
      (method) => api.holdMs(method),
    ),
  );
  const providers = kept(
    await startSimulatedProviders({
      stt: { script: { turns: () => ({ text: 'a table for two please', startAfterMs: 120, endAfterMs: 300 }) } },
      llm: { firstTokenMs: 50, answer: () => ({ text: 'Certainly. It is booked.' }) },
      tts: { firstAudioMs: 40 },
    }),
  );
  const settings = {
    TWILIO_ACCOUNT_SID: account.accountSid,
    TWILIO_AUTH_TOKEN: account.authToken,
    TWILIO_API_URL: proxy.url,
    ...providers.settings,
    MEDIA_TOKEN_SECRET: tokenSecret,
    FETCH_ALLOW: '127.0.0.0/8',
    ADMISSION: 'fixed',
    MAX_CALLS: String(Math.ceil(REAL / 2)),
  };
  const stack = await startCrashStack(settings, certificate.cert, { engines: 2 });
  closing.push(() => stack.stop());
  const engine = async () => {
    const options = { natsUrl: stack.natsUrl, tokenSecret, headroom: LIVE, log: createLogger('media', 'silent') };
    const started = await startOutageEngine(options);
    simulated.add(new URL(started.url).host);
    closing.push(() => started.stop());
    return started;
  };
  return { stack, carrier, receiver, engines: { 'engine-1': await engine(), 'engine-2': await engine() }, api };
}

/** A round whose failures are over. */
interface Round {
  /** Waits until everything has recovered, and checks it. */
  judge(): Promise<Outcome>;
}

/** A workspace's calls; an answer is the id of a placed one, or empty. */
interface Begun {
  tenant: Tenant;
  answers: string[];
}

async function disturb(ground: Ground, seed: number): Promise<Round> {
  const { stack, carrier, receiver, engines, api } = ground;
  const random = seededRandom(seed);
  const failures = planFailures(random, FAILURE_MS);
  const startMs = performance.now();
  const callers = talkAll(carrier, seededRandom(seed + 1e9));
  const sql = connectDatabase({ url: stack.databaseUrl, name: 'antiphon-outage', max: 3 });
  const doing = new Set<string>();
  let progress: NodeJS.Timeout | undefined;
  let resuming: NodeJS.Timeout | undefined;

  async function begin(): Promise<Begun[]> {
    console.log(`seed ${seed}`);
    const sizes = { live: LIVE, queued: QUEUED };
    const tenants = await makeTenants({ stack, receiverUrl: receiver.url }, sql, seed, sizes);
    const workspaceIds = tenants.map(({ workspaceId }) => workspaceId);
    progress = setInterval(() => void report(sql, workspaceIds, startMs, doing), PROGRESS_MS);
    const begun = await Promise.all(
      tenants.map(async (tenant) => ({ tenant, answers: await placeCalls(stack, tenant) })),
    );
    await runFailures(ground, failures, seededRandom(seed + 2e9), doing);
    return begun;
  }

  const begun = await begin().catch((error: unknown) => errorText(error));

  async function judge(): Promise<Outcome> {
    const healedMs = performance.now();
    const took = () => ({ recoveredMs: performance.now() - healedMs, tookMs: performance.now() - startMs });
    const wrong: string[] = typeof begun === 'string' ? [begun] : [];
    try {
      if (typeof begun === 'string') return { seed, wrong, ...took(), facts: {} };
      const tenants = begun.map(({ tenant }) => tenant);
      resuming = setInterval(() => void resumeBatches(stack, sql, tenants).catch(() => {}), RESUME_MS);
      const left = () => Math.max(1_000, QUIET_WITHIN_MS - took().recoveredMs);
      for (const { tenant } of begun) {
        if (!(await untilQuiet(sql, tenant.workspaceId, left())))
          wrong.push('calls or deliveries are open after five minutes');
        if (!(await untilBatchesEnd(sql, tenant.workspaceId, left()))) wrong.push('a batch is open after five minutes');
      }
      const times = took();
      const engineCalls = Object.values(engines).flatMap(({ calls }) => calls);
      for (const { tenant, answers } of begun) {
        const { workspaceId, numbers } = tenant;
        wrong.push(...(await breaches(sql, workspaceId, receiver.received)));
        wrong.push(...(await contradictions(sql, tenant, { carrier, receiver, engineCalls })));
        wrong.push(...(await missingAnswers(sql, workspaceId, answers, numbers.length)));
        wrong.push(...doubleDials(carrier, numbers));
      }
      const answered = { 'late answers': api.late, 'no answers': api.unanswered };
      const workspaceIds = tenants.map(({ workspaceId }) => workspaceId);
      return { seed, wrong, ...times, facts: { ...(await factsOf(sql, workspaceIds)), ...answered } };
    } finally {
      for (const line of wrong) console.log(`  WRONG  seed ${seed}: ${line}`);
      clearInterval(progress);
      clearInterval(resuming);
      callers.stop();
      await sql.end({ timeout: 5 });
    }
  }
  return { judge };
}

/** Resolves when the last one is over and every program is ready again. */
async function runFailures(
  ground: Ground,
  failures: readonly Failure[],
  random: () => number,
  doing: Set<string>,
): Promise<void> {
  const { stack, engines, api } = ground;
  const startMs = performance.now();
  /** What is done to one program is done one after the other. */
  const byProgram = new Map<Failure['what'], Promise<void>>();
  const away = async (failure: Failure): Promise<void> => {
    const name = `${failure.what} ${failure.how}`;
    console.log(`  ${seconds(performance.now() - startMs)} s  ${name} for ${seconds(failure.forMs)} s`);
    doing.add(name);
    if (failure.what === 'carrier') {
      api.holdMs = (method) => {
        if (method !== 'POST' && random() < 0.5) return 0;
        const isLate = random() < 0.5;
        if (isLate) api.late++;
        else api.unanswered++;
        return isLate ? LATE_MS : Number.POSITIVE_INFINITY;
      };
      await pause(failure.forMs);
      api.holdMs = () => 0;
    } else if (isSimulated(failure.what)) {
      await engines[failure.what].crash();
      await pause(failure.forMs);
      await engines[failure.what].start();
    } else if (failure.how === 'frozen') {
      stack.freeze(failure.what as Victim);
      await pause(failure.forMs);
      stack.thaw(failure.what as Victim);
    } else {
      await stack.kill(failure.what as Victim);
      await pause(failure.forMs);
      await stack.revive(failure.what as Victim);
    }
    doing.delete(name);
  };
  await Promise.all(
    failures.map(async (failure) => {
      await pause(failure.atMs);
      const mine = (byProgram.get(failure.what) ?? Promise.resolve()).then(() => away(failure));
      byProgram.set(failure.what, mine);
      await mine;
    }),
  );
}

const isSimulated = (what: Failure['what']): what is Extract<Target, `engine-${number}`> => what.startsWith('engine-');

/** Every person who answers talks for a while and hangs up. */
function talkAll(carrier: CarrierSimulator, random: () => number): { stop(): void } {
  const known = new Set<CarrierCall>(carrier.calls);
  const look = setInterval(() => {
    for (const call of carrier.calls.slice(known.size)) {
      known.add(call);
      void talk(call, TALK_MS * (0.5 + random()));
    }
  }, 50);
  return { stop: () => clearInterval(look) };
}

process.exit((await main()) ? 0 : 1);
