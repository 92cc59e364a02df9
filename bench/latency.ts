import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addPhoneNumber } from '../control/operators/numbers.ts';
import { createApiClient } from '../dev/api-client.ts';
import { asOperator, firstWorkspace } from '../dev/first-workspace.ts';
import { startStack } from '../dev/stack.ts';
import type { Phone } from '../fixtures/simulators/carrier-phone.ts';
import { type SpeechInterval, startDeepgramSimulator } from '../fixtures/simulators/deepgram.ts';
import { startElevenLabsSimulator } from '../fixtures/simulators/elevenlabs.ts';
import { startOpenAiSimulator } from '../fixtures/simulators/openai.ts';
import { startTwilioSimulator } from '../fixtures/simulators/twilio.ts';
import { loadSpeech, type Speech } from '../fixtures/speech.ts';
import { errorText } from '../shared/log.ts';
import { percentiles, percentileTable } from './percentiles.ts';

/**
 * What the engine adds to a turn and to an interruption, on one call, with everything else real: carrier socket,
 * control, bus, database, recording. The providers are simulated with scripted delays; what is reported is
 *
 *   first agent frame on the wire − frame with the caller's last sample on the wire − the scripted delays
 *
 * and, for the interruption, clear on the wire − frame with the first sample of the caller's speech on the wire, with
 * nothing subtracted. All moments are read from one clock, in the process of the simulators. Nothing else is left out:
 * the simulators' own timers, the carrier's 20 ms raster and the loopback are in the figures.
 */

const END_OF_TURN_MS = 200;
const START_OF_TURN_MS = 120;
const FIRST_TOKEN_MS = 250;
const FIRST_AUDIO_MS = 120;
const SCRIPTED_MS = END_OF_TURN_MS + FIRST_TOKEN_MS + FIRST_AUDIO_MS;
/** Each round is an answered turn, an interruption of that answer, and the answer to it. */
const ROUNDS = Number(process.env.ROUNDS ?? 28);
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
];
const INTERRUPTION = 'change-time';

interface Measured {
  turns: number[];
  interruptions: number[];
  hearing: number[];
  deciding: number[];
  phrasing: number[];
  speaking: number[];
  noticing: number[];
  hushing: number[];
}

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'antiphon-bench-'));
  const closing: (() => Promise<unknown>)[] = [];
  try {
    await measure(home, closing);
  } finally {
    for (const close of closing.toReversed()) await close().catch((error: unknown) => console.error(errorText(error)));
    rmSync(home, { recursive: true, force: true });
  }
}

async function measure(home: string, closing: (() => Promise<unknown>)[]): Promise<void> {
  const account = { accountSid: `AC${randomBytes(16).toString('hex')}`, authToken: randomBytes(16).toString('hex') };
  const carrier = await startTwilioSimulator(account);
  closing.push(() => carrier.close());
  const truth: SpeechInterval[] = [];
  const said: string[] = [];
  const ears = await startDeepgramSimulator({
    script: {
      truth,
      turns: (index) => ({
        text: said[index] ?? 'hello',
        startAfterMs: START_OF_TURN_MS,
        endAfterMs: END_OF_TURN_MS,
        eagerAfterMs: null,
      }),
    },
  });
  closing.push(() => ears.close());
  let answers = 0;
  const mind = await startOpenAiSimulator({
    firstTokenMs: FIRST_TOKEN_MS,
    answer: () => ({ text: answers++ % 2 === 0 ? LONG : SHORT }),
  });
  closing.push(() => mind.close());
  const mouth = await startElevenLabsSimulator({ firstAudioMs: FIRST_AUDIO_MS });
  closing.push(() => mouth.close());

  const stack = await startStack({
    home,
    apiPort: 0,
    mediaPort: 0,
    settings: () => ({
      TWILIO_ACCOUNT_SID: account.accountSid,
      TWILIO_AUTH_TOKEN: account.authToken,
      TWILIO_API_URL: carrier.url,
      DEEPGRAM_URL: ears.url,
      DEEPGRAM_API_KEY: 'simulated',
      ELEVENLABS_URL: mouth.url,
      ELEVENLABS_API_KEY: 'simulated',
      OPENAI_BASE_URL: mind.url,
      OPENAI_API_KEY: mind.apiKey,
    }),
    say: (line) => console.log(`starting ${line}`),
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

  const incoming = carrier.placeInbound({ from: CALLER, to: NUMBER, url: `${stack.apiUrl}/carriers/twilio/inbound` });
  const phone = await incoming.waitForPhone(20_000);
  await sleep(1_500);
  const measured: Measured = {
    turns: [],
    interruptions: [],
    hearing: [],
    deciding: [],
    phrasing: [],
    speaking: [],
    noticing: [],
    hushing: [],
  };
  const interruption = loadSpeech(INTERRUPTION);
  const line = process.stdout.isTTY ? (text: string) => process.stdout.write(`\r${text}`) : () => {};

  for (let round = 0; round < ROUNDS; round++) {
    const question = loadSpeech(QUESTIONS[round % QUESTIONS.length]!);
    await turn(question, round * 2);
    await sleep(1_200 + (round % 5) * 7);
    const interruptedAtMs = await interrupt(round * 2 + 1);
    await answered(interruptedAtMs.lastSample, round * 2 + 1);
    await phone.waitForAgentSilence(400, 20_000);
    line(`round ${round + 1} of ${ROUNDS}  `);
    if (!process.stdout.isTTY && (round + 1) % 7 === 0) console.log(`round ${round + 1} of ${ROUNDS}`);
  }
  phone.hangUp();
  await incoming.delivered();
  line('');

  const violations = [...carrier.violations, ...ears.violations, ...mouth.violations];
  if (violations.length > 0) throw new Error(`the engine broke a provider's rules: ${violations[0]}`);
  report(measured);

  /** Says it; the simulated transcriber is told where in the audio its speech truly lies. */
  function speak(phone: Phone, speech: Speech): { firstSample: number; lastSample: number } {
    said.push(speech.text);
    const { startSample } = phone.say(speech.samples);
    const first = startSample + speech.speech[0]!.start;
    const end = startSample + speech.speech.at(-1)!.end;
    truth.push({ start: first, end });
    return { firstSample: first, lastSample: end - 1 };
  }

  async function turn(speech: Speech, number: number): Promise<void> {
    const { lastSample } = speak(phone, speech);
    await answered(lastSample, number);
  }

  /** Waits for the answer to the speech that ends with this sample, and takes its times. */
  async function answered(lastSample: number, number: number): Promise<void> {
    const spokenMs = await phone.waitFor(
      'the caller to finish',
      20_000,
      () => phone.wireTimeOfSample(lastSample) || null,
    );
    const frame = await phone.waitFor('the answer', 10_000, () => phone.agentFrames.find((one) => one.atMs > spokenMs));
    const end = ears.connections[0]!.events.findLast((event) => event.event === 'EndOfTurn')!;
    const request = mind.requests.filter((one) => one.path.endsWith('/completions'))[number]!;
    const context = mouth.connections.flatMap((connection) => connection.contexts)[number]!;
    measured.turns.push(frame.atMs - spokenMs - SCRIPTED_MS);
    measured.hearing.push(end.at - spokenMs - END_OF_TURN_MS);
    measured.deciding.push(request.arrivedMs - end.at);
    measured.phrasing.push(context.firstTextAt! - request.firstTokenMs!);
    measured.speaking.push(frame.atMs - context.firstAudioAt!);
  }

  async function interrupt(_number: number): Promise<{ lastSample: number }> {
    const sinceMs = performance.now();
    const { firstSample, lastSample } = speak(phone, interruption);
    const clearMs = await phone.waitForClear(10_000, sinceMs);
    const spokenMs = phone.wireTimeOfSample(firstSample);
    const start = ears.connections[0]!.events.findLast((event) => event.event === 'StartOfTurn')!;
    measured.interruptions.push(clearMs - spokenMs);
    measured.noticing.push(start.at - spokenMs - START_OF_TURN_MS);
    measured.hushing.push(clearMs - start.at);
    return { lastSample };
  }
}

function report(measured: Measured): void {
  console.log(`\n${measured.turns.length} turns, ${measured.interruptions.length} interruptions, milliseconds\n`);
  const rows: [string, number[]][] = [
    ['engine-added latency of a turn', measured.turns],
    ['  hearing: audio to the transcriber', measured.hearing],
    ['  deciding: end of turn to model request', measured.deciding],
    ['  phrasing: first token to the voice', measured.phrasing],
    ['  speaking: first audio to the wire', measured.speaking],
    ['interruption: first sample to clear', measured.interruptions],
    ['  noticing: audio to the transcriber', measured.noticing],
    ['  hushing: start of turn to clear', measured.hushing],
  ];
  for (const text of percentileTable(rows)) console.log(text);
  console.log(
    `\nscripted and subtracted from a turn: end of turn ${END_OF_TURN_MS}, first token ${FIRST_TOKEN_MS}, first audio ${FIRST_AUDIO_MS}; in the interruption: start of turn after ${START_OF_TURN_MS}`,
  );
  const { turns, interruptions, ...stages } = measured;
  const result = {
    turns: turns.length,
    engine_added_ms: percentiles(turns),
    interruption_ms: percentiles(interruptions),
    stages: Object.fromEntries(Object.entries(stages).map(([name, values]) => [`${name}_ms`, percentiles(values)])),
  };
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'latency.json'), `${JSON.stringify(result, null, 2)}\n`);
  console.log('the same in bench/results/latency.json');
}

await main();
