import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { answerBooking, BOOKING_AGENT, bookTableTool } from '../fixtures/conversations/booking.ts';
import { startOpenAiSimulator } from '../fixtures/simulators/openai.ts';
import { startRestaurant } from '../fixtures/simulators/restaurant.ts';
import { startTwilioSimulator } from '../fixtures/simulators/twilio.ts';
import { type CallStatus, isOver } from '../shared/call.ts';
import { errorText } from '../shared/log.ts';
import { type ApiClient, type CallRecord, createApiClient, type TimelineRecord } from './api-client.ts';
import {
  type CallSummary,
  createPaint,
  endingText,
  eventLine,
  eventTimeMs,
  latencyTable,
  summarise,
  transcriptLines,
  turnLatencies,
} from './call-report.ts';
import { playCaller } from './demo-caller.ts';
import { connectSimulatedNumber, firstWorkspace } from './first-workspace.ts';
import { interruptSignal } from './interrupt-signal.ts';
import { type Stack, startStack } from './stack.ts';

/**
 * `make demo`: starts the whole service and a simulated carrier that places an inbound call with recorded speech. The carrier
 * and, without an account, the language model are simulated; the transcriber and the synthesizer are real, and local unless
 * `DEEPGRAM_API_KEY` and `ELEVENLABS_API_KEY` are set. The last line of output is JSON.
 * Exit code 0 when the call completed with at least 3 turns, 1 interruption and 1 backchannel that did not end a reply.
 */

const CALLER = '+911140000001';
const NUMBER = '+911140000002';
const HOME = process.env.ANTIPHON_HOME
  ? join(process.env.ANTIPHON_HOME, 'demo')
  : fileURLToPath(new URL('../.antiphon/demo', import.meta.url));
const LANGUAGE_MODELS = fileURLToPath(new URL('../fixtures/language-models', import.meta.url));
/** `Rachel`, a voice that every ElevenLabs account has. */
const PUBLIC_VOICE = '21m00Tcm4TlvDq8ikWAM';
const POLL_INTERVAL_MS = 150;
const CALL_DEADLINE_MS = 150_000;
const MIN_TURNS = 3;
const MIN_INTERRUPTIONS = 1;
const MIN_BACKCHANNELS = 1;

const paint = createPaint(process.stdout.isTTY === true && !process.env.NO_COLOR);
const print = (line: string) => console.log(line);
const closing: (() => Promise<unknown>)[] = [];

async function main(
  interrupted: AbortSignal,
): Promise<{ summary: CallSummary & { backchannels: number }; passed: boolean }> {
  const accountSid = `AC${randomBytes(16).toString('hex')}`;
  const authToken = randomBytes(16).toString('hex');
  const carrier = await startTwilioSimulator({ accountSid, authToken });
  closing.push(() => carrier.close());
  const restaurant = await startRestaurant();
  closing.push(() => restaurant.close());
  const model = await languageModel();

  const stack = await startStack({
    home: HOME,
    apiPort: 0,
    mediaPort: 0,
    settings: () => ({
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: authToken,
      TWILIO_API_URL: carrier.url,
      LANGUAGE_MODELS_DIR: LANGUAGE_MODELS,
      // The restaurant's system is on this machine.
      FETCH_ALLOW: '127.0.0.0/8',
      ...model.settings,
    }),
    onProgress: (line) => print(`starting ${line}`),
    signal: interrupted,
  });
  closing.push(() => stack.stop());

  const api = await setUpAgent(stack, model.provider, restaurant.url);
  const { transcriber, voice } = speech();
  print(
    `\n${paint.bold('A call comes in')} from ${CALLER}; transcriber: ${transcriber.provider}, voice: ${voice.provider}, language model: ${model.name}\n`,
  );
  const earlier = (await api.calls(50)).items.map((call) => call.id);
  const incoming = carrier.placeInbound({
    from: CALLER,
    to: NUMBER,
    url: `${stack.apiUrl}/carriers/twilio/inbound`,
    statusUrl: `${stack.apiUrl}/carriers/twilio/status`,
  });
  closing.push(async () => incoming.hangUp());
  const caller = incoming
    .waitForPhone(20_000)
    .then((phone) => playCaller(phone))
    .catch((error: unknown): string[] => {
      print(paint.level('warning', `the simulated caller failed: ${errorText(error)}`));
      incoming.hangUp();
      return [];
    });
  const { call, events } = await Promise.race([
    watch(api, earlier, interrupted),
    stack.failed.then((why) => Promise.reject(new Error(why))),
  ]);
  const spoken = await caller;
  await incoming.delivered();

  const wav = await api.recording(call.id);
  const recording = wav && join(stack.recordingsDir, `${call.id}.wav`);
  if (wav && recording) {
    mkdirSync(stack.recordingsDir, { recursive: true });
    writeFileSync(recording, wav);
  }
  print(`\n${paint.bold('Transcript')}`);
  for (const line of transcriptLines(call, paint)) print(line);
  print(`\n${paint.bold('Latency')}, from the end of the caller's speech to the first audio of the reply`);
  for (const line of latencyTable(turnLatencies(events), paint)) print(line);
  print(
    `\n${paint.bold('Recording')}  ${recording ?? 'none'}${wav ? paint.dim(`  (${Math.round(wav.length / 1024)} KiB, caller left, agent right)`) : ''}`,
  );
  print(`${paint.bold('Ended')}      ${endingText(call)}\n`);
  for (const violation of carrier.violations) print(paint.level('error', `rejected by the carrier:  ${violation}`));

  // A backchannel that was taken for a turn would be an event `user.turn`.
  const turns = events.filter((event) => event.type === 'user.turn').map((event) => event.message);
  const backchannels = spoken.filter((text) => !turns.includes(text)).length;

  print(
    `${paint.bold('Backchannel')}   ${spoken.map((text) => `"${text}"`).join(', ')} while the agent spoke, which it ${backchannels === spoken.length ? 'ignored' : 'took for a turn'}\n`,
  );
  const summary = { ...summarise(call, events, recording), backchannels };
  const missing = [
    summary.status !== 'completed' && `The call ended as ${summary.status}.`,
    summary.turns < MIN_TURNS && `${summary.turns} turns, expected ${MIN_TURNS}.`,
    summary.interruptions < MIN_INTERRUPTIONS && 'The caller interrupted the agent, and the agent did not stop.',
    backchannels < MIN_BACKCHANNELS && 'No backchannel of the caller was ignored.',
    recording === null && 'There is no recording.',
  ].filter((each) => each !== false);
  for (const each of missing) print(paint.level('error', each));
  if (missing.length > 0) print('On a machine that is busy with other work the call can go another way: try again.');
  const passed = missing.length === 0 && carrier.violations.length === 0;
  return { summary, passed };
}

interface DemoModel {
  name: string;
  provider: 'openai' | 'custom';
  settings: Record<string, string>;
}

async function languageModel(): Promise<DemoModel> {
  if (process.env.LLM_BASE_URL) return { name: process.env.LLM_BASE_URL, provider: 'custom', settings: {} };
  if (process.env.OPENAI_API_KEY) return { name: 'OpenAI, with your key', provider: 'openai', settings: {} };
  const simulator = await startOpenAiSimulator({ answer: answerBooking });
  closing.push(() => simulator.close());
  const settings = { OPENAI_BASE_URL: simulator.url, OPENAI_API_KEY: simulator.apiKey };
  return { name: 'simulated (set OPENAI_API_KEY or LLM_BASE_URL for a real one)', provider: 'openai', settings };
}

/** Cloud providers where their keys are set, with the local ones as fallbacks; otherwise the local ones. */
function speech() {
  const localVoice = { provider: 'local', voice_id: 'en', language: 'en' };
  // The caller pauses for three quarters of a second in the middle of a sentence.
  const localTranscriber = { provider: 'local', model: 'booking', language: 'en', endpointing_ms: 600 };
  const { DEEPGRAM_API_KEY, ELEVENLABS_API_KEY, ELEVENLABS_VOICE_ID = PUBLIC_VOICE } = process.env;
  const { endpointing_ms: _, ...fallback } = localTranscriber;
  return {
    voice: ELEVENLABS_API_KEY
      ? { provider: 'elevenlabs', voice_id: ELEVENLABS_VOICE_ID, language: 'en', fallbacks: [localVoice] }
      : localVoice,
    transcriber: DEEPGRAM_API_KEY
      ? { provider: 'deepgram_flux', language: 'en', endpointing_ms: 600, fallbacks: [fallback] }
      : localTranscriber,
  };
}

/** Creates or updates the agent and connects its number. */
async function setUpAgent(stack: Stack, provider: DemoModel['provider'], restaurantUrl: string): Promise<ApiClient> {
  const { workspace_id, api_key } = await firstWorkspace(stack, 'Demo');
  const api = createApiClient(stack.apiUrl, api_key);
  const config = {
    ...BOOKING_AGENT,
    tools: [bookTableTool(restaurantUrl)],
    llm: { provider },
    ...speech(),
  };
  const before = (await api.agents()).find((agent) => agent.name === BOOKING_AGENT.name);
  const agent = before ? await api.updateAgent(before.id, config) : await api.createAgent(config);
  await connectSimulatedNumber(stack, workspace_id, NUMBER, agent.id);
  return api;
}

/** Finds the new call and prints its timeline until it is complete. */
async function watch(
  api: ApiClient,
  earlier: readonly string[],
  interrupted: AbortSignal,
): Promise<{ call: CallRecord; events: TimelineRecord[] }> {
  const deadline = Date.now() + CALL_DEADLINE_MS;
  let callId: string | undefined;
  let printed = 0;
  let startedAtMs = 0;
  for (;;) {
    interrupted.throwIfAborted();
    if (Date.now() > deadline) throw new Error('the call did not come to its end in time');
    callId ??= (await api.calls(1)).items.find((item) => !earlier.includes(item.id))?.id;
    if (callId === undefined) {
      await sleep(POLL_INTERVAL_MS);
      continue;
    }
    const call = await api.call(callId);
    const events = await api.events(callId);
    if (events[0]) startedAtMs ||= eventTimeMs(events[0]);
    for (const event of events.slice(printed)) print(eventLine(event, startedAtMs, paint));
    printed = events.length;
    // A connected call is `ended` first, and `completed` when its record is complete.
    if (isOver(call.status as CallStatus) && call.status !== 'ended') return { call, events };
    await sleep(POLL_INTERVAL_MS);
  }
}

async function run(): Promise<number> {
  const interrupted = interruptSignal(print);
  let result: Awaited<ReturnType<typeof main>> | undefined;
  try {
    result = await main(interrupted);
  } catch (error) {
    console.error(interrupted.aborted ? 'interrupted' : `\nThe demo failed: ${errorText(error)}`);
  }
  for (const close of closing.toReversed()) {
    await close().catch((error: unknown) => console.error(`stopping: ${errorText(error)}`));
  }
  if (result) print(JSON.stringify(result.summary));
  return result?.passed ? 0 : 1;
}

process.exit(await run());
