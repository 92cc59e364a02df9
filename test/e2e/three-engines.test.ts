import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Sql } from '../../control/db/connect.ts';
import { giveCredits } from '../../control/operators/credits.ts';
import { addPhoneNumber } from '../../control/operators/numbers.ts';
import { createWorkspace } from '../../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../../control/workspaces/plan.ts';
import { type ApiClient, createApiClient } from '../../dev/api-client.ts';
import type { CarrierCall } from '../../fixtures/simulators/carrier-call.ts';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import type { CarrierSimulator } from '../../fixtures/simulators/carrier-simulator.ts';
import { startTwilioSimulator } from '../../fixtures/simulators/twilio.ts';
import { type CallStatus, isOver } from '../../shared/call.ts';
import { type CrashStack, startCrashStack } from '../soak/crash-stack.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { startSimulatedProviders } from '../support/simulated-providers.ts';
import { eventually } from '../support/until.ts';

/** Three engine processes and two control processes: one engine is drained during calls, another one killed. */

const ENGINES = 3;
/** Control routes calls by headroom; by this many calls every engine has one. */
const MOST_CALLS = 40;
const WITHIN_MS = 60_000;
const OWN_NUMBER = '+911140000201';

let stack: CrashStack;
let sql: Sql;
let carrier: CarrierSimulator;
let api: ApiClient;
let agentId: string;
let workspaceId: string;
let apiKey: string;
const closing: (() => Promise<unknown>)[] = [];
const kept = <T extends { close(): Promise<unknown> }>(made: T): T => {
  closing.push(() => made.close());
  return made;
};

beforeAll(async () => {
  const account = { accountSid: `AC${randomBytes(16).toString('hex')}`, authToken: randomBytes(16).toString('hex') };
  carrier = kept(await startTwilioSimulator({ ...account, callee: () => ({ outcome: 'answer' }) }));
  const providers = kept(
    await startSimulatedProviders({
      stt: { script: { turns: () => undefined } },
      llm: { firstTokenMs: 20, answer: () => ({ text: 'Yes.' }) },
      tts: { firstAudioMs: 20 },
    }),
  );
  const settings = {
    MEDIA_PROCESSES: String(ENGINES),
    PUBLIC_ENGINE_URL: 'ws://127.0.0.1:{port}',
    DRAIN_SECONDS: '120',
    // Less to start.
    API_PROCESSES: '0',
    ADMISSION: 'fixed',
    TWILIO_ACCOUNT_SID: account.accountSid,
    TWILIO_AUTH_TOKEN: account.authToken,
    TWILIO_API_URL: carrier.url,
    ...providers.settings,
  };
  stack = await startCrashStack(settings, selfSignedCertificate('127.0.0.1').cert);
  closing.push(() => stack.stop());
  sql = connectDatabase({ url: stack.databaseUrl, name: 'antiphon-engines', max: 2 });
  closing.push(() => sql.end({ timeout: 5 }));
  const deps = { sql, wallMs: Date.now() };
  ({ workspace_id: workspaceId, api_key: apiKey } = await createWorkspace(deps, 'Engines'));
  await setRequestsPerMinute(sql, workspaceId, 60_000);
  await giveCredits(deps, 'grant', workspaceId, 100_000_000, 'for the test');
  await sql`update workspaces set concurrency_limit = 60, own_concurrency_limit = 60 where id = ${workspaceId}`;
  api = createApiClient(stack.apiUrls[1]!, apiKey);
  const agent = await api.createAgent({
    name: 'Agent',
    welcome_message: 'Welcome.',
    system_prompt: 'Answer.',
    transcriber: { provider: 'deepgram_flux' },
    voice: { provider: 'elevenlabs', voice_id: 'test', language: 'en' },
    // Continuous audio, so that a gap would be visible.
    call: { record: false, ambient_sound: 'office', hangup_after_silence_seconds: 120 },
  });
  agentId = agent.id;
  await addPhoneNumber(deps, { workspace_id: workspaceId, number: OWN_NUMBER, provider: 'twilio', agent_id: agentId });
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

interface EngineMetrics {
  engine_id: string;
  pid: number;
  headroom: number;
}

/** Polls the engines' metrics until the condition holds. */
function engines(expected: (found: EngineMetrics[]) => boolean): Promise<EngineMetrics[]> {
  return eventually('the engines to be as expected', WITHIN_MS, async () => {
    const url = `${stack.mediaUrl}/metricsz`;
    const answer = await fetch(url, { headers: { connection: 'close' } }).catch(() => null);
    const { engines: found } = answer?.ok ? ((await answer.json()) as { engines: EngineMetrics[] }) : { engines: [] };
    return expected(found) ? found : null;
  });
}

interface LiveCall {
  id: string;
  engineId: string;
  phone: Phone;
  carrierCall: CarrierCall;
}

let callsMade = 0;

/** Every second call is inbound over the first control process; the others are placed by the second. */
async function newCall(): Promise<LiveCall> {
  const number = `+9198765${String(10_000 + callsMade)}`;
  const carrierCall = callsMade++ % 2 === 0 ? callIn(number) : await callOut(number);
  const phone = await carrierCall.waitForPhone(WITHIN_MS);
  await playedMore(phone, 10);
  const [call] = await sql<{ id: string; engine_id: string }[]>`
    select id, engine_id from calls where workspace_id = ${workspaceId} and provider_call_id = ${carrierCall.id}`;
  return { id: call!.id, engineId: call!.engine_id, phone, carrierCall };
}

function callIn(from: string): CarrierCall {
  const url = `${stack.apiUrls[0]}/carriers/twilio`;
  return carrier.placeInbound({ from, to: OWN_NUMBER, url: `${url}/inbound`, statusUrl: `${url}/status` });
}

async function callOut(to: string): Promise<CarrierCall> {
  const answer = await fetch(`${stack.apiUrls[1]}/api/v1/agents/${agentId}/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to_number: to }),
  });
  expect(answer.status).toBe(201);
  return eventually('the dial', WITHIN_MS, async () => carrier.calls.find((call) => call.to === to));
}

async function playedMore(phone: Phone, frames = 50): Promise<void> {
  const before = phone.agentFrames.length;
  await phone.waitFor('more audio', WITHIN_MS, () => phone.agentFrames.length >= before + frames);
}

/** Resolves with the call and its timeline when it is over. */
async function over({ id }: LiveCall) {
  const call = await eventually('the call to be over', WITHIN_MS, async () => {
    const seen = await api.call(id).catch(() => null);
    return seen && isOver(seen.status as CallStatus) && seen.status !== 'ended' ? seen : null;
  });
  const events = await api.events(id);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ type }) => type === 'call.started')).toHaveLength(1);
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['call.ended', 'call.completed']);
  expect(events.filter(({ type }) => type === 'call.ended')).toHaveLength(1);
  return call;
}

async function hangUp(call: LiveCall): Promise<void> {
  expect(call.phone.ended).toBeNull();
  call.carrierCall.hangUp();
  expect(await over(call)).toMatchObject({ status: 'completed', hangup_by: 'caller', hangup_reason: 'caller hung up' });
}

test('one engine is drained and one is killed during calls', async () => {
  const all = await engines((found) => found.length === ENGINES);
  const on: LiveCall[] = [];
  while (all.some(({ engine_id }) => !on.some((call) => call.engineId === engine_id))) {
    expect(on.length).toBeLessThan(MOST_CALLS);
    on.push(await newCall());
  }
  const of = ({ engine_id }: EngineMetrics) => on.filter(({ engineId }) => engineId === engine_id);
  const [drained, killed] = all as [EngineMetrics, EngineMetrics, EngineMetrics];

  process.kill(drained.pid, 'SIGTERM');
  await engines((found) => found.some(({ engine_id, headroom }) => engine_id === drained.engine_id && headroom === 0));
  for (const _ of [1, 2, 3]) {
    const call = await newCall();
    expect(call.engineId).not.toBe(drained.engine_id);
    on.push(call);
  }
  await Promise.all(on.map(({ phone }) => playedMore(phone)));

  process.kill(killed.pid, 'SIGKILL');
  const lost = of(killed);
  const others = on.filter((call) => !lost.includes(call));
  await Promise.all(others.map(({ phone }) => playedMore(phone)));
  for (const dropped of lost) {
    const call = await over(dropped);
    // The carrier reports the end before the missing heartbeats are detected.
    expect(call.hangup_reason).toBe('media engine lost');
  }

  // The drained engine stays until its last call is over; then both have a successor.
  expect(others.every(({ phone }) => phone.ended === null)).toBe(true);
  await engines((found) => found.some(({ engine_id }) => engine_id === drained.engine_id));
  await Promise.all(others.map(hangUp));
  const last = await engines(
    (found) =>
      found.length === ENGINES &&
      found.every(({ pid, headroom }) => headroom > 0 && pid !== drained.pid && pid !== killed.pid),
  );
  expect(new Set(last.map(({ engine_id }) => engine_id)).size).toBe(ENGINES);
  expect(carrier.violations).toEqual([]);
});
