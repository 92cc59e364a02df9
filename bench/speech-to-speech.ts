import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOpenAiRealtimeSimulator } from '../fixtures/simulators/openai-realtime.ts';
import { loadSpeech } from '../fixtures/speech.ts';
import { percentiles, percentileTable } from '../shared/percentiles.ts';
import { startMediaProgram } from '../test/support/media-program.ts';
import { eventually } from '../test/support/until.ts';
import { thisMachine } from './machine.ts';

/**
 * Measures the latency that the engine adds to a turn of a speech-to-speech model, on one call with a real carrier socket:
 *
 *   deciding: the caller's words sent by the provider → request for the reply at the provider
 *   speaking: first audio sent by the provider → first agent frame received by the carrier
 *
 * The words come after the endpointing delay, so that nothing of it is in `deciding`. All times are of one clock, in the process of
 * the simulators; their timers, the carrier's 20 ms frames and the loopback are included. TURNS sets the number of turns.
 */

const TURNS = Number(process.env.TURNS ?? 40);
const WITHIN_MS = 20_000;
/** After the commit, which comes 250 ms after the end of speech; later than 300 ms a turn is answered without its words. */
const WORDS_AFTER_MS = 200;
const FIRST_AUDIO_AFTER_MS = 250;
const QUESTIONS = ['short-yes-please', 'short-two-people', 'short-seven-thirty'].map((name) => loadSpeech(name));

const AGENT = {
  system_prompt: 'Answer.',
  llm: { provider: 'openai', model: 'gpt-realtime-2.1' },
  transcriber: { provider: 'local', language: 'en', endpointing_ms: 10, turn_detection: 'responsive' },
  voice: { provider: 'local', language: 'en' },
  call: { record: false, hangup_after_silence_seconds: 120 },
};

const machine = thisMachine();
const realtime = await startOpenAiRealtimeSimulator({
  transcripts: Array.from({ length: TURNS }, () => 'Yes, that is right, thank you.'),
  transcriptAfterMs: WORDS_AFTER_MS,
  answer: () => ({ says: 'Of course, done.', afterMs: FIRST_AUDIO_AFTER_MS }),
});
const media = await startMediaProgram({ OPENAI_BASE_URL: realtime.url, OPENAI_API_KEY: 'sk-simulated' });
const deciding: number[] = [];
const speaking: number[] = [];
try {
  const { phone, events } = await media.call(AGENT);
  await eventually('the call', WITHIN_MS, async () => events.some(({ type }) => type === 'call.started') || null);
  const connection = await eventually('the session', WITHIN_MS, async () => realtime.connections[0]);
  for (let turn = 0; turn < TURNS; turn++) {
    const sinceMs = performance.now();
    await phone.say(QUESTIONS[turn % QUESTIONS.length]!.samples).done;
    const frame = await eventually('the answer', WITHIN_MS, async () =>
      phone.agentFrames.find(({ atMs }) => atMs > sinceMs),
    );
    const last = (what: string) => connection.moments.findLast((moment) => moment.what === what)!.atMs;
    deciding.push(last('asked') - last('words'));
    speaking.push(frame.atMs - last('first audio'));
    await phone.waitForAgentSilence(400, WITHIN_MS);
    if ((turn + 1) % 10 === 0) console.log(`  turn ${turn + 1} of ${TURNS}`);
  }
  phone.hangUp();
} finally {
  await media.stop();
  await realtime.close();
}
const [broken] = realtime.violations;
if (broken) throw new Error(`the engine broke the provider's rules: ${broken}`);

const added = deciding.map((ms, turn) => ms + speaking[turn]!);
console.log('\nmilliseconds\n');
for (const line of percentileTable([
  ['speech to speech: added by the engine', added],
  ['  deciding: words to request', deciding],
  ['  speaking: first audio to the socket', speaking],
])) {
  console.log(line);
}
const result = {
  ...{ machine, turns: TURNS, engine_added_ms: percentiles(added) },
  stages: { deciding_ms: percentiles(deciding), speaking_ms: percentiles(speaking) },
};
const folder = join(import.meta.dirname, 'results');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'speech-to-speech.json'), `${JSON.stringify(result, null, 2)}\n`);
console.log('the same in bench/results/speech-to-speech.json');
