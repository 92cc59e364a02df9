import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type GeminiLiveSimulator, startGeminiLiveSimulator } from '../../../fixtures/simulators/gemini-live.ts';
import type { ModelLine, RealtimeAnswer } from '../../../fixtures/simulators/openai-realtime.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { adapter } from '../../../media/realtime/gemini-live.ts';
import type { RealtimeEvent, RealtimeLlm, RealtimeModel } from '../../../media/realtime/realtime-model.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import { type Clock, systemClock } from '../../../shared/clock.ts';
import { UNTRANSCRIBED } from '../../../shared/llm/prompt.ts';
import { createLogger } from '../../../shared/log.ts';
import { afterFile } from '../../support/after-file.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { eventually } from '../../support/until.ts';

const agent = agentConfigSchema.parse({ name: 'A', llm: { provider: 'google', model: 'gemini-3.8-live' } });
const SECOND = new Uint8Array(32_000);

let simulator: GeminiLiveSimulator;
let answer: (lines: ModelLine[]) => string | RealtimeAnswer = () => 'Yes of course.';
let events: RealtimeEvent[] = [];
let audioBytes = 0;
let model: RealtimeModel;

beforeAll(async () => {
  simulator = await startGeminiLiveSimulator({
    transcripts: Array.from({ length: 20 }, () => 'book a table'),
    answer: (lines) => answer(lines),
    msPerCharacter: 20,
  });
  afterFile(() => simulator.close());
});

beforeEach(async () => {
  events = [];
  audioBytes = 0;
  answer = () => 'Yes of course.';
  Object.assign(simulator.faults, { freezeOnce: false, mute: false });
  await connect();
});

afterEach(() => model.close());

async function connect(clock: Clock = patientClock): Promise<void> {
  model = adapter({
    settings: { GOOGLE_URL: simulator.url, GOOGLE_API_KEY: 'AIza-simulated' },
    llm: agent.llm as RealtimeLlm,
    language: 'en',
    prompt: { instructions: 'Be brief.', tools: [{ name: 'find_table', description: 'Finds.', parameters: {} }] },
    callerFormat: MULAW_8K,
    agentFormat: MULAW_8K,
    clock,
    log: createLogger('test', 'silent'),
    listener: (event) => {
      if (event.type === 'audio') audioBytes += event.bytes.length;
      else events.push(event);
    },
  });
  await model.open();
}

const connection = () => simulator.connections.at(-1)!;
const seen = (type: RealtimeEvent['type']) => events.filter((event) => event.type === type);
const happened = (type: RealtimeEvent['type'], times = 1) =>
  eventually(`${type} ${times} times`, 60_000, async () => seen(type).length >= times || null);
const said = () => events.map((event) => (event.type === 'text' ? event.text : '')).join('');
const reply = (replyId: string) => model.reply({ replyId, maxTokens: 900, mayCallTools: true });

function hears(itemId: string): void {
  model.startSpeech();
  model.audio(SECOND);
  model.commit(itemId);
}

it('hears, and answers when it is asked to, with the words after the audio', async () => {
  hears('u1');
  await happened('transcript');
  expect(seen('transcript')).toEqual([{ type: 'transcript', itemId: 'u1', text: 'book a table' }]);
  reply('r1');
  await happened('reply_ended');
  expect(said()).toBe('Yes of course.');
  expect(audioBytes).toBe('Yes of course.'.length * 20 * 48);
  await happened('usage');
  expect(seen('usage')).toMatchObject([{ tokens: { audio_input_tokens: 20, text_input_tokens: 100 } }]);
});

it('audio of a cancelled reply does not come back in the next one', async () => {
  answer = (lines) => (lines.length > 1 ? 'No.' : 'A long story that nobody wants to hear to its end, I am afraid.');
  hears('u1');
  reply('r1');
  await happened('item');
  model.cancel('r1');
  audioBytes = 0;
  events = [];
  hears('u2');
  reply('r2');
  await happened('reply_ended');
  expect(audioBytes).toBe('No.'.length * 20 * 48);
  expect(said()).toBe('No.');
});

it('a tool is answered, and the model goes on by itself', async () => {
  answer = (lines) =>
    lines.some(({ role }) => role === 'tool')
      ? 'There is one.'
      : { says: 'Let me see.', tool: { name: 'find_table', arguments: '{}', callId: 'c1' } };
  hears('u1');
  reply('r1');
  await happened('reply_ended');
  expect(seen('tool_call')).toMatchObject([{ call: { id: 'c1', name: 'find_table', arguments: '{}' } }]);
  model.add({ id: 'i1', type: 'tool_result', callId: 'c1', name: 'find_table', result: '{"free":true}' }, 'last');
  reply('r2');
  await happened('reply_ended', 2);
  expect(said()).toBe('Let me see.There is one.');
});

it('a call that was not run is answered before the next turn', async () => {
  answer = (lines) =>
    lines.some(({ role }) => role === 'tool')
      ? 'Goodbye.'
      : { says: 'Let me see.', tool: { name: 'find_table', arguments: '{}' } };
  hears('u1');
  reply('r1');
  await happened('reply_ended');
  hears('u2');
  reply('r2');
  await happened('reply_ended', 2);
  expect(said()).toContain('Goodbye.');
});

it('a model that freezes is asked once more', async () => {
  await model.close();
  await connect(systemClock);
  simulator.faults.freezeOnce = true;
  hears('u1');
  reply('r1');
  await happened('reply_ended');
  expect(said()).toBe('Yes of course.');
});

it('a reply without a transcript is one', async () => {
  simulator.faults.mute = true;
  hears('u1');
  reply('r1');
  await happened('reply_ended');
  expect(said()).toBe(UNTRANSCRIBED);
});

it('speaks first, and knows what was typed', async () => {
  model.add({ id: 'i1', type: 'message', role: 'user', text: '[pressed 1]' }, 'last');
  reply('r1');
  await happened('reply_ended');
  expect(connection().lines()[0]).toEqual({ role: 'user', text: '[pressed 1]' });
});

it('reports the end of the connection before it comes', async () => {
  connection().send({ goAway: { timeLeft: '50s' } });
  await happened('expires');
  expect(seen('expires')).toEqual([{ type: 'expires', inMs: 50_000 }]);
});

it('an account without credits is at its limit', async () => {
  connection().break(1011, 'You exceeded your current quota.');
  await happened('failed');
  expect(seen('failed')).toMatchObject([{ error: { kind: 'capacity' } }]);
});

it('did nothing that the provider forbids', () => {
  expect(simulator.violations).toEqual([]);
});
