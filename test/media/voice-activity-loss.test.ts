import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type GeneralSimulator, startDeepgramGeneralSimulator } from '../../fixtures/simulators/deepgram-general.ts';
import { type OpenAiSimulator, startOpenAiSimulator } from '../../fixtures/simulators/openai.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { type MediaProgram, startMediaProgram } from '../support/media-program.ts';
import { eventually } from '../support/until.ts';

/** The media program loses its thread of voice activity while a caller speaks, to a transcriber that leaves the turns to the engine. */

const WITHIN_MS = 60_000;
const speech = loadSpeech('day-time');
const AGENT = {
  welcome_message: '',
  transcriber: { provider: 'deepgram', model: 'nova-3', language: 'en' },
  voice: { provider: 'local', language: 'en' },
  call: { record: false, hangup_after_silence_seconds: 120 },
};

let stt: GeneralSimulator;
let llm: OpenAiSimulator;
let media: MediaProgram;
let calls = 0;

beforeAll(async () => {
  stt = await startDeepgramGeneralSimulator({
    script: { utterances: (index) => (index === 0 ? { text: speech.text } : undefined) },
  });
  llm = await startOpenAiSimulator({ firstTokenMs: 20, answer: () => ({ text: 'Yes.' }) });
  media = await startMediaProgram(
    {
      ...{ DEEPGRAM_URL: stt.url, DEEPGRAM_API_KEY: 'simulated' },
      ...{ OPENAI_BASE_URL: llm.url, OPENAI_API_KEY: llm.apiKey },
    },
    [`--import=${new URL('../support/failing-threads/in-media-program.ts', import.meta.url)}`],
  );
});
beforeEach(({ onTestFailed }) => {
  onTestFailed(() => console.log(media.tail(40)));
});
afterAll(async () => {
  await media?.stop();
  await stt?.close();
  await llm?.close();
});

async function restarts(): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${media.port}/metricsz`);
  const { workers } = (await response.json()) as { workers: { name: string; running: boolean; restarts: number }[] };
  const worker = workers.find(({ name }) => name === 'voice activity')!;
  return worker.running ? worker.restarts : Number.NaN;
}

test.each(['exit', 'hang'])('the turn is found, and the call goes on with another thread (%s)', async (failure) => {
  const restarted = await restarts();
  const { phone, events, ended } = await media.call(AGENT);
  const has = (type: string) =>
    eventually(type, WITHIN_MS, async () => events.some((event) => event.type === type) || null);
  const connection = await eventually('the transcriber', WITHIN_MS, async () => stt.connections[calls] ?? null);
  calls++;
  const spoken = phone.say(speech.samples);
  const before = connection.receivedSamples;
  const half = (speech.speech[0]!.start + speech.speech.at(-1)!.end) / 2;
  await eventually('half of the speech', WITHIN_MS, async () => connection.receivedSamples - before >= half || null);
  media.send(failure);
  await spoken.done;
  await has('agent.reply');
  const turns = events.filter(({ type }) => type === 'user.turn');
  expect(turns.flatMap(({ transcript }) => transcript.map(({ text }) => text))).toEqual([speech.text]);
  expect(connection.finalizes).toBeGreaterThan(0);
  // On a slow machine another one may be taken for hung.
  await eventually('another thread', WITHIN_MS, async () => (await restarts()) >= restarted + 1 || null);
  phone.hangUp();
  expect((await ended(WITHIN_MS)).at(-1)!.ending).toMatchObject({ hangup_reason: 'caller hung up' });
});
