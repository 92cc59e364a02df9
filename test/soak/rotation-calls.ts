import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setPriority } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { lagCountsSince } from '../../bench/tick-lag.ts';
import { connectDatabase, type Sql } from '../../control/db/connect.ts';
import { giveCredits } from '../../control/operators/credits.ts';
import { addPhoneNumber } from '../../control/operators/numbers.ts';
import { createWorkspace } from '../../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../../control/workspaces/plan.ts';
import { createApiClient } from '../../dev/api-client.ts';
import type { CarrierCall } from '../../fixtures/simulators/carrier-call.ts';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { startTwilioSimulator } from '../../fixtures/simulators/twilio.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { type CallStatus, isOver } from '../../shared/call.ts';
import { startSimulatedProviders } from '../support/simulated-providers.ts';
import { eventually, pause } from '../support/until.ts';
import { newSecret, type RotationStack, startRotationStack } from './rotation-stack.ts';

/** Every key, secret and certificate of the service is replaced during calls, of which none may notice. */

export interface RotationStep {
  step: string;
  /** Of all calls in the time of the step. */
  frames: number;
  /** Frames more than 40 ms after the one before. */
  late: number;
  worstGapMs: number;
  /** Audio that callers did not get. */
  lostMs: number;
  /** The latest tick of the engine, up to 200 ms: whether it, or the process that measures, was late. */
  engineLagMs: number;
  /** The longest time for which this process, which is all callers and providers, did nothing else. */
  ownLagMs: number;
}

export interface Rotation {
  steps: RotationStep[];
  calls: number;
  /** Calls that are not as they should be, and why; empty after a good run. */
  failures: string[];
}

const WITHIN_MS = 60_000;
const NUMBER = '+911140000301';
const FRAME_MS = 20;
const FRAME_BYTES = 160;
const LATE_MS = 40;
/** What comes at the end of a step instead of at its beginning, or the other way round; this process's own lag comes to it. */
const ENDS_MS = 200;
const OPERATOR = fileURLToPath(new URL('../../control/operator.ts', import.meta.url));

interface LiveCall {
  phone: Phone;
  carrierCall: CarrierCall;
}

/** @param stepMs how long is listened after each change. */
export async function rotateDuringCalls({ calls, stepMs }: { calls: number; stepMs: number }): Promise<Rotation> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    return await rotate(calls, stepMs, closing);
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function rotate(calls: number, stepMs: number, closing: (() => Promise<unknown>)[]): Promise<Rotation> {
  const account = { accountSid: `AC${randomBytes(16).toString('hex')}`, authToken: randomBytes(16).toString('hex') };
  const carrier = await startTwilioSimulator(account);
  closing.push(() => carrier.close());
  const providers = await startSimulatedProviders({
    stt: { script: { turns: () => ({ text: 'for two people', startAfterMs: 120, endAfterMs: 500 }) } },
    llm: { firstTokenMs: 50, answer: () => ({ text: 'For when?' }) },
    tts: { firstAudioMs: 40 },
  });
  closing.push(() => providers.close());
  const stack = await startRotationStack({
    TWILIO_ACCOUNT_SID: account.accountSid,
    TWILIO_AUTH_TOKEN: account.authToken,
    TWILIO_API_URL: carrier.url,
    ADMISSION: 'fixed',
    ...providers.settings,
  });
  closing.push(() => stack.stop());
  const sql = connectDatabase({ url: stack.databaseUrl, name: 'antiphon-rotation', max: 2 });
  closing.push(() => sql.end({ timeout: 5 }));
  const { apiKey, keyId } = await setUp(stack, sql);

  const live: LiveCall[] = [];
  for (let number = 0; number < calls; number++) live.push(await callIn(number));
  const steps: RotationStep[] = [];
  const ownLag = monitorEventLoopDelay({ resolution: 10 });
  ownLag.enable();
  closing.push(async () => ownLag.disable());
  const failures: string[] = [];

  async function callIn(number: number): Promise<LiveCall> {
    const url = `${stack.apiUrl}/carriers/twilio`;
    const from = `+9198760${String(10_000 + number)}`;
    const carrierCall = carrier.placeInbound({ from, to: NUMBER, url: `${url}/inbound`, statusUrl: `${url}/status` });
    const phone = await carrierCall.waitForPhone(WITHIN_MS);
    await playedMore(phone, 10);
    return { phone, carrierCall };
  }

  /** During each step one caller speaks, so that all parts of a conversation are used. */
  async function during(step: string, change: () => unknown): Promise<void> {
    const fromMs = performance.now();
    const before = await stack.lagCounts();
    ownLag.reset();
    const speaker = live[steps.length % live.length]!.phone;
    const spoken = speaker.say(loadSpeech('short-two-people').samples).done;
    await change();
    await Promise.all([spoken, pause(stepMs)]);
    const toMs = performance.now();
    const ownLagMs = Math.round(ownLag.max / 1e6);
    const engineLagMs = lagCountsSince(before, await stack.lagCounts()).findLastIndex((count) => count > 0);
    steps.push({ step, ...gapsBetween(live, fromMs, toMs, ownLagMs), engineLagMs, ownLagMs });
  }

  const { SECRETS_KEY: oldKey = '', MEDIA_TOKEN_SECRET: oldSecret = '' } = stack.env;
  const [newKey, newTokenSecret] = [newSecret(), newSecret()];
  let rotatedKey = '';
  await during('nothing', () => {});
  await during("the bus's certificate", () => stack.renewBusCertificate());
  await during("the keys of the bus's users", () => stack.renewBusKeys());
  await during('an engine that accepts both token secrets', () =>
    stack.replaceEngine({ MEDIA_TOKEN_SECRET: `${oldSecret},${newTokenSecret}` }),
  );
  await during('control with the new token secret and key of secrets', () =>
    stack.replaceControl({
      MEDIA_TOKEN_SECRET: `${newTokenSecret},${oldSecret}`,
      SECRETS_KEY: `${newKey},${oldKey}`,
    }),
  );
  await during('secrets reseal', async () => failures.push(...(await reseal(stack))));
  await during('an API key, with overlap', async () => {
    rotatedKey = await rotateKey(stack, apiKey, keyId);
  });
  await during('the certificates of control and media', () => stack.renewCertificates());
  // A last one, which passes by all that is new.
  live.push(await callIn(calls));
  await during('nothing, with one more call', () => {});

  for (const { phone, carrierCall } of live) {
    if (phone.ended !== null) failures.push(`a call was ended by ${phone.ended}`);
    carrierCall.hangUp();
  }
  const api = createApiClient(stack.apiUrl, rotatedKey);
  for (const { carrierCall } of live) failures.push(...(await failuresOf(carrierCall, sql, api)));
  failures.push(...carrier.violations, ...(await operator(stack, ['billing', 'audit'])));
  if (failures.length > 0) failures.push(stack.tail());
  return { steps, calls: live.length, failures };
}

async function setUp(stack: RotationStack, sql: Sql) {
  const deps = { sql, wallMs: Date.now() };
  const { workspace_id, api_key: apiKey } = await createWorkspace(deps, 'Rotation');
  await setRequestsPerMinute(sql, workspace_id, 60_000);
  await giveCredits(deps, 'grant', workspace_id, 100_000_000, 'for the test');
  await sql`update workspaces set concurrency_limit = 100, own_concurrency_limit = 100, keys_may_make_keys = true
    where id = ${workspace_id}`;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const endpoint = { url: 'https://example.com/hook', events: ['call.completed'] };
  // Its secret is sealed.
  const added = await fetch(`${stack.apiUrl}/api/v1/webhooks`, {
    ...{ method: 'POST', headers, body: JSON.stringify(endpoint), signal: AbortSignal.timeout(WITHIN_MS) },
  });
  if (!added.ok) throw new Error(`the endpoint was not added: ${await added.text()}`);
  const agent = await createApiClient(stack.apiUrl, apiKey).createAgent({
    name: 'Agent',
    welcome_message: 'Welcome.',
    system_prompt: 'Answer.',
    transcriber: { provider: 'deepgram_flux' },
    voice: { provider: 'elevenlabs', voice_id: 'test', language: 'en' },
    // Continuous audio, so that a gap is visible.
    call: { record: false, ambient_sound: 'office', hangup_after_silence_seconds: 120, max_duration_seconds: 3600 },
  });
  await addPhoneNumber(deps, { workspace_id, number: NUMBER, provider: 'twilio', agent_id: agent.id });
  const [key] = await sql<{ id: string }[]>`select id from api_keys where workspace_id = ${workspace_id}`;
  return { apiKey, keyId: key!.id };
}

/** Empty when every secret has the newest key. */
async function reseal(stack: RotationStack): Promise<string[]> {
  const failed = await operator(stack, ['secrets', 'reseal']);
  const { output } = await runOperator(stack, ['secrets', 'status', '--json']);
  const names = (JSON.parse(output) as { key: string }[]).map(({ key }) => key);
  if (names.length === 0) failed.push('there was no secret to reseal');
  return [...failed, ...names.filter((name) => name !== 'SECRETS_KEY, the newest').map((name) => `sealed: ${name}`)];
}

async function rotateKey(stack: RotationStack, apiKey: string, keyId: string): Promise<string> {
  const send = (method: string, path: string, key: string) =>
    fetch(`${stack.apiUrl}/api/v1${path}`, {
      ...{ method, signal: AbortSignal.timeout(WITHIN_MS) },
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: JSON.stringify({ overlap_hours: 1 }) } : {}),
    });
  const answer = await send('POST', `/keys/${keyId}/rotate`, apiKey);
  const made = (await answer.json()) as { key: string };
  if (!answer.ok) throw new Error(`the key was not rotated: ${JSON.stringify(made)}`);
  for (const key of [apiKey, made.key]) {
    const { status } = await send('GET', '/agents', key);
    if (status !== 200) throw new Error(`a key answered ${status} during the overlap`);
  }
  return made.key;
}

async function operator(stack: RotationStack, args: string[]): Promise<string[]> {
  const { code, output, errors } = await runOperator(stack, args);
  return code === 0 ? [] : [`operator ${args.join(' ')} exited with ${code}: ${(output + errors).slice(-500)}`];
}

/** In a process of its own: the calls of this one go on meanwhile. */
function runOperator(
  stack: RotationStack,
  args: string[],
): Promise<{ code: number | null; output: string; errors: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', OPERATOR, ...args], {
      env: stack.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    setPriority(child.pid!, 15);
    let output = '';
    let errors = '';
    child.stdout.on('data', (part) => {
      output += part;
    });
    child.stderr.on('data', (part) => {
      errors += part;
    });
    child.once('close', (code) => resolve({ code, output, errors }));
  });
}

async function failuresOf(carrierCall: CarrierCall, sql: Sql, api: ReturnType<typeof createApiClient>) {
  const [row] = await sql<{ id: string }[]>`select id from calls where provider_call_id = ${carrierCall.id}`;
  if (!row) return ['a call is not known'];
  const call = await eventually('the call to be over', WITHIN_MS, async () => {
    const seen = await api.call(row.id);
    return isOver(seen.status as CallStatus) && seen.status !== 'ended' ? seen : null;
  });
  const events = await api.events(row.id);
  const { status, hangup_reason, cost_paise } = call;
  const failures: string[] = [];
  if (status !== 'completed' || hangup_reason !== 'caller hung up')
    failures.push(`a call is ${status}: ${hangup_reason}`);
  if (cost_paise <= 0) failures.push('a call was not charged');
  if (events.some(({ seq }, index) => seq !== index + 1)) failures.push('events of a call are missing');
  return failures;
}

async function playedMore(phone: Phone, frames: number): Promise<void> {
  const before = phone.agentFrames.length;
  await phone.waitFor('audio', WITHIN_MS, () => phone.agentFrames.length >= before + frames);
}

function gapsBetween(live: readonly LiveCall[], fromMs: number, toMs: number, ownLagMs: number) {
  let [frames, late, worstGapMs, lostMs] = [0, 0, 0, 0];
  for (const { phone } of live) {
    const received = phone.agentFrames.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    frames += received.length;
    received.forEach(({ atMs }, index) => {
      const gapMs = index === 0 ? 0 : atMs - received[index - 1]!.atMs;
      if (gapMs > LATE_MS) late++;
      worstGapMs = Math.max(worstGapMs, gapMs);
    });
    const bytes = received.reduce((sum, frame) => sum + frame.bytes, 0);
    const missingMs = toMs - fromMs - (bytes / FRAME_BYTES) * FRAME_MS;
    if (missingMs > ENDS_MS + ownLagMs) lostMs += missingMs;
  }
  return { frames, late, worstGapMs: Math.round(worstGapMs), lostMs: Math.round(lostMs) };
}
