import { randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connectDatabase, type Sql } from '../../control/db/connect.ts';
import { addPhoneNumber } from '../../control/operators/numbers.ts';
import { createWorkspace } from '../../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../../control/workspaces/plan.ts';
import type { CarrierCall } from '../../fixtures/simulators/carrier-call.ts';
import type { CarrierSimulator } from '../../fixtures/simulators/carrier-simulator.ts';
import { startTwilioSimulator } from '../../fixtures/simulators/twilio.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { errorText } from '../../shared/log.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startSimulatedProviders } from '../support/simulated-providers.ts';
import { eventually, pause } from '../support/until.ts';
import { breaches } from './crash-invariants.ts';
import { type CrashStack, startCrashStack, VICTIMS, type Victim } from './crash-stack.ts';

/**
 * `make crash`: the whole service with 50 calls, and `kill -9` of each program at random times, with restarts after random
 * delays. Afterwards the invariants are checked in the database (`crash-invariants.ts`) and at the receiver of the webhooks. A
 * round prints its seed; SEED=… ROUNDS=1 repeats it, apart from timing.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 20);
const CALLS = Number(process.env.CALLS ?? 50);
const FIRST_SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const INBOUND_SHARE = 0.2;
const KILLING_MS = 25_000;
const DOWN_AT_MOST_MS = 4_000;
const PLACING_MS = 15_000;
/** The idempotency key of a request whose process died is released after a minute. */
const ANSWERED_WITHIN_MS = 150_000;
const QUIET_WITHIN_MS = 240_000;
const EVENTS = ['*', 'user.turn'];

type Random = () => number;

interface CrashSetup {
  stack: CrashStack;
  carrier: CarrierSimulator;
  receiverUrl: string;
  received: Set<string>;
}

async function main(): Promise<boolean> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const certificate = selfSignedCertificate('127.0.0.1');
    const received = new Set<string>();
    const receiver = createServer(certificate, (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        received.add((JSON.parse(Buffer.concat(parts).toString()) as { id: string }).id);
        response.end('ok');
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    closing.push(async () => {
      receiver.closeAllConnections();
      receiver.close();
    });
    const account = { accountSid: `AC${randomBytes(16).toString('hex')}`, authToken: randomBytes(16).toString('hex') };
    const carrier = await startTwilioSimulator({ ...account, callee: () => ({ outcome: 'answer', afterMs: 300 }) });
    closing.push(() => carrier.close());
    const providers = await startSimulatedProviders({
      stt: { script: { turns: () => ({ text: 'a table for two please', startAfterMs: 120, endAfterMs: 300 }) } },
      llm: { firstTokenMs: 50, answer: () => ({ text: 'Certainly. It is booked.' }) },
      tts: { firstAudioMs: 40 },
    });
    closing.push(() => providers.close());
    const stack = await startCrashStack(
      {
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
    const { port } = receiver.address() as AddressInfo;
    const ground: CrashSetup = { stack, carrier, receiverUrl: `https://127.0.0.1:${port}/`, received };

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
  try {
    const tenant = await makeTenant(ground, sql, seed);
    const killed: string[] = [];
    const [answers] = await Promise.all([
      placeAll(ground, tenant, random),
      ...VICTIMS.map((victim) => {
        const atMs = random() * KILLING_MS;
        const downMs = random() * DOWN_AT_MOST_MS;
        killed.push(`${victim} at ${(atMs / 1_000).toFixed(1)} s for ${(downMs / 1_000).toFixed(1)} s`);
        return crash(stack, victim, atMs, downMs);
      }),
    ]);
    const quiet = await untilQuiet(sql, tenant.workspaceId);
    const wrong = await breaches(sql, tenant.workspaceId, ground.received);
    if (!quiet) wrong.push(`not quiet after ${QUIET_WITHIN_MS / 1_000} s`);
    wrong.push(...(await missingAnswers(sql, tenant.workspaceId, answers)));
    wrong.push(...doubleDials(ground.carrier, tenant.numbers));
    const ends = await sql<{ reason: string; count: number }[]>`
      select hangup_reason as reason, count(*)::integer as count from calls where workspace_id = ${tenant.workspaceId}
      group by 1 order by 2 desc`;
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
    console.log(`seed ${seed}: ${wrong.length === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
    console.log(`  killed ${killed.join(' · ')}`);
    console.log(`  ends   ${ends.map(({ reason, count }) => `${count} ${reason}`).join(' · ')}`);
    for (const line of wrong) console.log(`  WRONG  ${line}`);
    return wrong.length === 0;
  } catch (error) {
    console.log(`seed ${seed}: FAILED: ${errorText(error)}`);
    for (const victim of VICTIMS) console.log(`--- ${victim}\n${stack.tail(victim, 4)}`);
    return false;
  } finally {
    callers.stop();
    await sql.end({ timeout: 5 });
  }
}

interface Tenant {
  workspaceId: string;
  apiKey: string;
  agentId: string;
  /** Numbers to call, each once. */
  numbers: string[];
  /** The agent's number. */
  own: string;
}

async function makeTenant({ stack, receiverUrl }: CrashSetup, sql: Sql, seed: number): Promise<Tenant> {
  const { workspace_id, api_key } = await createWorkspace({ sql, wallMs: Date.now() }, `Crash ${seed}`);
  await setRequestsPerMinute(sql, workspace_id, 60_000);
  await sql`update workspaces set concurrency_limit = 60, own_concurrency_limit = 60 where id = ${workspace_id}`;
  const agent = await ask(stack, api_key, 'POST', '/agents', {
    name: 'Restaurant',
    welcome_message: 'Good evening, this is the restaurant.',
    system_prompt: 'You take bookings.',
    transcriber: { provider: 'deepgram_flux' },
    voice: { provider: 'elevenlabs', voice_id: 'test', language: 'en' },
  });
  const agentId = (agent as { id: string }).id;
  await ask(stack, api_key, 'POST', '/webhooks', { url: receiverUrl, events: EVENTS });
  const digits = (at: number) => String(((seed % 9_999) * 100 + at) % 1_000_000).padStart(6, '0');
  const own = `+9114${digits(0)}00`;
  const wallMs = Date.now();
  await addPhoneNumber({ sql, wallMs }, { workspace_id, number: own, provider: 'twilio', agent_id: agentId });
  const numbers = Array.from({ length: CALLS }, (_, at) => `+9198${digits(at)}${String(at).padStart(2, '0')}`);
  return { workspaceId: workspace_id, apiKey: api_key, agentId, numbers, own };
}

/** Sends to both control processes in turn until one responds; retries 5xx and timeouts with the same idempotency key. */
async function ask(stack: CrashStack, key: string, method: string, path: string, body: object): Promise<unknown> {
  const idempotencyKey = randomBytes(12).toString('hex');
  let turn = 0;
  return eventually(`${method} ${path}`, ANSWERED_WITHIN_MS, async () => {
    const url = `${stack.apiUrls[turn++ % stack.apiUrls.length]}/api/v1${path}`;
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    };
    const answer = await fetch(url, {
      method,
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5_000),
    }).catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (answer?.status === 409 && text?.includes('its answer was lost')) return { id: '' };
    if (!answer || text === null || text === undefined || answer.status >= 500 || answer.status === 409) return null;
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 200)}`);
    return JSON.parse(text) as unknown;
  });
}

/** Runs a conversation on every connected call until `stop`. */
function answerAll(carrier: CarrierSimulator, random: Random): { stop(): void } {
  const known = new Set(carrier.calls);
  const look = setInterval(() => {
    for (const call of carrier.calls) {
      if (known.has(call)) continue;
      known.add(call);
      void talk(call, 3_000 + random() * 12_000);
    }
  }, 50);
  return { stop: () => clearInterval(look) };
}

/** Places the outbound and inbound calls. Returns the ids of placed calls; empty where the response was lost. */
async function placeAll({ stack, carrier }: CrashSetup, tenant: Tenant, random: Random): Promise<string[]> {
  const inbound = Math.round(CALLS * INBOUND_SHARE);
  const ids = await Promise.all(
    tenant.numbers.map(async (number, at) => {
      await pause(random() * PLACING_MS);
      if (at >= inbound) {
        const placed = await ask(stack, tenant.apiKey, 'POST', `/agents/${tenant.agentId}/call`, { to_number: number });
        return (placed as { id: string }).id;
      }
      const url = `${stack.apiUrls[0]}/carriers/twilio/inbound`;
      const statusUrl = `${stack.apiUrls[0]}/carriers/twilio/status`;
      carrier.placeInbound({ from: number, to: tenant.own, url, statusUrl });
      return '';
    }),
  );
  return ids.slice(inbound);
}

/** Speaks every few seconds and hangs up. Broken streams are expected. */
async function talk(call: CarrierCall, lengthMs: number): Promise<void> {
  try {
    const phone = await call.waitForPhone(60_000);
    const untilMs = performance.now() + lengthMs;
    while (performance.now() < untilMs && call.state !== 'over') {
      await phone.say(loadSpeech('short-two-people').samples).done;
      await pause(1_500);
    }
  } catch {
    // The call was never connected.
  }
  call.hangUp();
}

async function crash(stack: CrashStack, victim: Victim, atMs: number, downMs: number): Promise<void> {
  await pause(atMs);
  await stack.kill(victim);
  await pause(downMs);
  await stack.revive(victim);
}

/** Waits until all calls are over and all deliveries are done. */
async function untilQuiet(sql: Sql, workspaceId: string): Promise<boolean> {
  const startMs = performance.now();
  while (performance.now() - startMs < QUIET_WITHIN_MS) {
    const [open] = await sql<{ open: number }[]>`
      select (select count(*) from calls where workspace_id = ${workspaceId}
          and (status in ('queued', 'ringing', 'in-progress', 'ended')
            or (started_at is not null and completed_at is null)))::integer
        + (select count(*) from webhook_deliveries where workspace_id = ${workspaceId}
          and status in ('pending', 'retrying'))::integer as open`.catch(() => [{ open: 1 }]);
    if (open!.open === 0) return true;
    await pause(500);
  }
  return false;
}

/** Checks that every call that the API confirmed is in the database. */
async function missingAnswers(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  const found = await sql<{ id: string }[]>`
    select id from calls where workspace_id = ${workspaceId} and id = any(${[...ids]})`;
  const missing = ids.filter((id) => id !== '').length - found.length;
  const [all] = await sql<{ count: number }[]>`
    select count(*)::integer as count from calls where workspace_id = ${workspaceId} and direction = 'outbound'`;
  return [
    ...(missing > 0 ? [`${missing} calls were answered for and are not there`] : []),
    ...(all!.count === ids.length ? [] : [`${all!.count} outbound calls for ${ids.length} requests`]),
  ];
}

/** Checks that no number was dialled twice. */
function doubleDials(carrier: CarrierSimulator, numbers: readonly string[]): string[] {
  return numbers.flatMap((number) => {
    const dials = carrier.calls.filter((call) => call.direction === 'outbound' && call.to === number).length;
    return dials > 1 ? [`${number} was dialled ${dials} times`] : [];
  });
}

process.exit((await main()) ? 0 : 1);
