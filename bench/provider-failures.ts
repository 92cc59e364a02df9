import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFallbackModels } from '../control/operators/workspaces.ts';
import { asOperator } from '../dev/first-workspace.ts';
import type { Phone } from '../fixtures/simulators/carrier-phone.ts';
import { LOUD, playedBetween } from '../fixtures/simulators/carrier-playback.ts';
import { type OpenAiSimulator, startOpenAiSimulator } from '../fixtures/simulators/openai.ts';
import { loadSpeech } from '../fixtures/speech.ts';
import { errorText } from '../shared/log.ts';
import { eventually } from '../test/support/until.ts';
import { type Service, startService } from '../test/support/whole-service.ts';

/**
 * Measures the audible effect of provider failures with the whole service in real time: the silence before the reply, and the
 * longest gap in it, without failures and with one provider failing. The difference is the cost of the failure.
 */

const ANSWER = 'Let me see. There is a table by the window at seven, and another one in the garden at eight.';
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const RATE = 8_000;
/** Shorter than pauses of speech. */
const WINDOW_SAMPLES = 160;

type Failure = 'none' | 'transcriber fails in mid-sentence' | 'synthesizer stalls in mid-reply' | 'model responds 429';
const FAILURES: Failure[] = [
  'none',
  'transcriber fails in mid-sentence',
  'synthesizer stalls in mid-reply',
  'model responds 429',
];

interface Silences {
  /** From the caller's last sample to the agent's first audio. */
  waitMs: number;
  /** Longest silence within the reply. */
  gapMs: number;
}

async function main(): Promise<void> {
  const other = await startOpenAiSimulator({ firstTokenMs: 50, answer: () => ({ text: ANSWER }) });
  const results = new Map<Failure, Silences[]>();
  try {
    for (const failure of FAILURES) {
      const silences: Silences[] = [];
      for (let round = 0; round < ROUNDS; round++) silences.push(await callWith(failure, other));
      results.set(failure, silences);
      console.log(`${failure}: ${ROUNDS} calls`);
    }
  } finally {
    await other.close();
  }
  report(results);
}

/** Starts a service for every call, because an engine remembers failed providers. */
async function callWith(failure: Failure, other: OpenAiSimulator): Promise<Silences> {
  const service = await startService({
    transcripts: ['for two people'],
    answer: () => ({ text: ANSWER }),
    settings: { LLM_BASE_URL: other.url, LLM_API_KEY: other.apiKey },
  });
  try {
    return await call(service, failure);
  } finally {
    await service.close();
  }
}

let callers = 0;

async function call(service: Service, failure: Failure): Promise<Silences> {
  const { agentId, number } = await service.agentOn('twilio', {
    transcriber: { provider: 'deepgram_flux', fallbacks: [{ provider: 'deepgram_flux', model: 'flux-general-en' }] },
    voice: {
      provider: 'elevenlabs',
      voice_id: 'test',
      language: 'en',
      fallbacks: [{ provider: 'local', voice_id: 'en', language: 'en' }],
    },
  });
  await asOperator(service.stack, async (sql) => {
    const [{ workspace_id }] = await sql<
      [{ workspace_id: string }]
    >`select workspace_id from agents where id = ${agentId}`;
    await setFallbackModels({ sql, wallMs: Date.now() }, workspace_id, ['custom/default']);
  });
  const url = `${service.stack.apiUrl}/carriers/twilio`;
  const from = `+9198765${String(callers++).padStart(5, '0')}`;
  const incoming = service.carriers.twilio.placeInbound({
    from,
    to: number,
    url: `${url}/inbound`,
    statusUrl: `${url}/status`,
  });
  const phone = await incoming.waitForPhone(20_000);
  const callId = await service.callOf(from);
  await phone.waitForAgentSpeech(20_000, 0);
  await phone.waitForAgentSilence(600, 20_000);

  if (failure === 'synthesizer stalls in mid-reply') service.tts.faults.stallAfterChunks = 3;
  if (failure === 'model responds 429') service.llm.setMode('full');
  const speech = loadSpeech('short-two-people');
  const { startSample, done } = phone.say(speech.samples);
  if (failure === 'transcriber fails in mid-sentence') {
    const stt = service.stt.connections.at(-1)!;
    await eventually('speech at the transcriber', 10_000, async () => stt.speech.length > 0 || null);
    stt.break();
  }
  await done;
  const endSample = startSample + speech.speech.at(-1)!.end;
  const endMs = phone.sentTimeOfSample(endSample - 1);
  await phone.waitForAgentSpeech(20_000);
  await phone.waitForAgentSilence(2_500, 40_000);
  service.tts.faults.stallAfterChunks = null;
  service.llm.setMode('normal');
  phone.hangUp();
  await service.finished(callId);
  return silencesOf(phone, endMs);
}

function silencesOf(phone: Phone, endMs: number): Silences {
  const chunks = phone.playback.chunks.filter(({ atMs }) => atMs >= endMs);
  const audio = playedBetween({ ...phone.playback, chunks }, RATE, endMs, performance.now());
  let firstMs: number | null = null;
  let lastMs = 0;
  let gapMs = 0;
  for (let at = 0; at + WINDOW_SAMPLES <= audio.length; at += WINDOW_SAMPLES) {
    if (!audio.subarray(at, at + WINDOW_SAMPLES).some((sample) => Math.abs(sample) >= LOUD)) continue;
    const ms = (at / RATE) * 1_000;
    if (firstMs === null) firstMs = ms;
    else gapMs = Math.max(gapMs, ms - lastMs - 20);
    lastMs = ms;
  }
  return { waitMs: firstMs ?? Number.NaN, gapMs };
}

function report(results: Map<Failure, Silences[]>): void {
  const middle = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!;
  const well = results.get('none')!;
  const rows = [...results].map(([failure, silences]) => {
    const waitMs = Math.max(...silences.map((each) => each.waitMs));
    const gapMs = Math.max(...silences.map((each) => each.gapMs));
    const extraMs = Math.max(
      waitMs - middle(well.map((each) => each.waitMs)),
      gapMs - middle(well.map((each) => each.gapMs)),
    );
    return {
      'who fails': failure,
      'wait ms (median)': Math.round(middle(silences.map((each) => each.waitMs))),
      'wait ms (longest)': Math.round(waitMs),
      'hole ms (longest)': Math.round(gapMs),
      'extra silence ms (worst)': failure === 'none' ? 0 : Math.round(extraMs),
    };
  });
  console.table(rows);
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'provider-failures.json'), `${JSON.stringify({ rounds: ROUNDS, rows }, null, 2)}\n`);
}

main().catch((error: unknown) => {
  console.error(errorText(error));
  process.exitCode = 1;
});
