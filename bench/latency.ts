import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addPhoneNumber } from '../control/operators/numbers.ts';
import { createApiClient } from '../dev/api-client.ts';
import { asOperator, firstWorkspace } from '../dev/first-workspace.ts';
import { startStack } from '../dev/stack.ts';
import type { CarrierSimulator } from '../fixtures/simulators/carrier-simulator.ts';
import { startTwilioSimulator } from '../fixtures/simulators/twilio.ts';
import { loadSpeech } from '../fixtures/speech.ts';
import { errorText } from '../shared/log.ts';
import { startSimulatedProviders } from '../test/support/simulated-providers.ts';
import { type MeasuredCall, measuredCall, type Providers } from './latency-call.ts';
import { type LatencyRow, reportLatency } from './latency-report.ts';
import { thisMachine } from './machine.ts';
import { planDelays, scriptedWaitMs, type TurnDelays } from './provider-delays.ts';

/**
 * Measures the latency that the engine adds to a turn and to an interruption, on one call with a real carrier socket, control,
 * NATS, database and recording. The providers are simulated with scripted delays; the result is
 *
 *   first agent frame received − frame with the caller's last sample sent − scripted delays
 *
 * and, for the interruption, clear received − frame with the first sample of the caller's speech sent, with nothing subtracted.
 * All times are of one clock, in the process of the simulators. The simulators' timers, the carrier's 20 ms frames and the
 * loopback are included.
 *
 * Four sequential calls: fixed delays and recorded delays (`provider-delays.ts`), each without and with an eager end of turn,
 * which triggers preemptive generation. The first call also has the interruptions. ROUNDS and TURNS set the numbers of turns.
 */

/** Each round is a turn, an interruption of its reply, and the reply to that. */
const ROUNDS = Number(process.env.ROUNDS ?? 28);
/** Turns of each of the other three calls. */
const TURNS = Number(process.env.TURNS ?? 40);
const SEED = 20_261_122;
const CALLER = '+911140000001';
const NUMBER = '+911140000002';
const LONG =
  'Certainly, let me read that back to you slowly. A table for two people tomorrow evening at seven, by the window, under your name, with a highchair.';
const SHORT = 'Of course, done.';
const QUESTIONS = [
  'short-yes-please',
  'short-two-people',
  'short-friday-evening',
  'short-seven-thirty',
  'short-that-is-right',
].map((name) => loadSpeech(name));
const INTERRUPTION = loadSpeech('change-time');

/** The state that the simulators follow. */
interface Script {
  call: MeasuredCall | null;
  delays: TurnDelays;
  answer: string;
}

interface LatencySetup extends Providers {
  carrier: CarrierSimulator;
  violations: () => string[];
  script: Script;
  inboundUrl: string;
}

async function main(): Promise<void> {
  const machine = thisMachine();
  const home = mkdtempSync(join(tmpdir(), 'antiphon-bench-'));
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const ground = await startSetup(home, closing);
    const rows: LatencyRow[] = [];
    for (const delays of ['fixed', 'recorded'] as const) {
      for (const preemptive of [false, true]) {
        const interrupted = rows.length === 0;
        // One reference turn, then a turn and an interruption in every round.
        const turns = interrupted ? 2 * ROUNDS + 1 : TURNS;
        const plan = planDelays(delays, preemptive, turns, SEED);
        console.log(`${delays} delays, ${preemptive ? 'with' : 'without'} preemptive: ${turns} turns`);
        const call = await oneCall(ground, plan, interrupted);
        rows.push({ delays, preemptive, turns: call.turns, interruptions: call.interruptions });
      }
    }
    reportLatency(rows, machine);
  } finally {
    for (const close of closing.toReversed()) await close().catch((error: unknown) => console.error(errorText(error)));
    rmSync(home, { recursive: true, force: true });
  }
}

async function startSetup(home: string, closing: (() => Promise<unknown>)[]): Promise<LatencySetup> {
  const account = { accountSid: `AC${randomBytes(16).toString('hex')}`, authToken: randomBytes(16).toString('hex') };
  const carrier = await startTwilioSimulator(account);
  closing.push(() => carrier.close());
  const script: Script = { call: null, delays: planDelays('fixed', false, 1, SEED)[0]!, answer: SHORT };
  const { llm, tts, ...providers } = await startSimulatedProviders({
    stt: { script: (connection) => script.call!.scriptFor(connection) },
    llm: { firstTokenMs: () => script.delays.firstTokenMs, answer: () => ({ text: script.answer }) },
    tts: { firstAudioMs: () => script.delays.firstAudioMs },
  });
  closing.push(() => providers.close());

  const stack = await startStack({
    home,
    apiPort: 0,
    mediaPort: 0,
    settings: () => ({
      TWILIO_ACCOUNT_SID: account.accountSid,
      TWILIO_AUTH_TOKEN: account.authToken,
      TWILIO_API_URL: carrier.url,
      ...providers.settings,
    }),
    onProgress: (line) => console.log(`starting ${line}`),
  });
  closing.push(() => stack.stop());
  const { workspace_id, api_key } = await firstWorkspace(stack, 'Bench');
  const api = createApiClient(stack.apiUrl, api_key);
  const agent = await api.createAgent({
    name: 'Bench',
    system_prompt: 'Answer.',
    voice: { provider: 'elevenlabs', voice_id: 'bench', language: 'en' },
    call: { max_duration_seconds: 3600 },
  });
  await asOperator(stack, (sql) =>
    addPhoneNumber(
      { sql, wallMs: Date.now() },
      { workspace_id, number: NUMBER, provider: 'twilio', agent_id: agent.id },
    ),
  );
  const violations = () => [...carrier.violations, ...providers.violations()];
  return { carrier, llm, tts, violations, script, inboundUrl: `${stack.apiUrl}/carriers/twilio/inbound` };
}

/** Runs a call with one turn per delay; with `interrupted` every second is an interruption. */
async function oneCall(ground: LatencySetup, plan: readonly TurnDelays[], interrupted: boolean): Promise<MeasuredCall> {
  const { carrier, script } = ground;
  const call = measuredCall(ground);
  script.call = call;
  const incoming = carrier.placeInbound({ from: CALLER, to: NUMBER, url: ground.inboundUrl });
  const phone = await incoming.waitForPhone(20_000);
  await sleep(1_500);
  let turns = 0;
  const next = (answer: string) => {
    const delays = plan[turns]!;
    Object.assign(script, { delays, answer });
    turns++;
    return { ...delays, scriptedMs: scriptedWaitMs(delays) };
  };
  const question = () => QUESTIONS[turns % QUESTIONS.length]!;

  if (interrupted) {
    await call.turn(phone, question(), next(LONG));
    await phone.waitForAgentSilence(400, 20_000);
    call.replyPlayedOut(phone);
    // Words of the agent that are repeated within two seconds count as echo, and some questions contain such words.
    await sleep(2_500);
  }
  while (turns < plan.length) {
    if (interrupted) {
      await call.turn(phone, question(), next(LONG));
      await sleep(1_200 + ((turns >> 1) % 5) * 7);
      await call.interruption(phone, INTERRUPTION, next(SHORT));
    } else {
      await call.turn(phone, question(), next(SHORT));
    }
    await phone.waitForAgentSilence(400, 20_000);
    if (turns % 10 === 0) console.log(`  turn ${turns} of ${plan.length}`);
  }
  phone.hangUp();
  await incoming.delivered();
  const [broken] = ground.violations();
  if (broken) throw new Error(`the engine broke a provider's rules: ${broken}`);
  return call;
}

await main();
