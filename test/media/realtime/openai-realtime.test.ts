import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ModelLine,
  type OpenAiRealtimeSimulator,
  type RealtimeAnswer,
  startOpenAiRealtimeSimulator,
} from '../../../fixtures/simulators/openai-realtime.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { adapter } from '../../../media/realtime/openai-realtime.ts';
import { transcribedSeconds } from '../../../media/realtime/openai-realtime-protocol.ts';
import type { RealtimeEvent, RealtimeLlm, RealtimeModel } from '../../../media/realtime/realtime-model.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import { createLogger } from '../../../shared/log.ts';
import { afterFile } from '../../support/after-file.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { eventually } from '../../support/until.ts';

const agent = agentConfigSchema.parse({ name: 'A', llm: { provider: 'openai', model: 'gpt-realtime-2.1' } });
/** A second of G.711: silence, and a loud tone. */
const SECOND = new Uint8Array(8_000).fill(0xff);
const SILENCE = SECOND;
const LOUD = new Uint8Array(8_000).map((_, at) => (at % 8 < 4 ? 0x20 : 0xa0));

let simulator: OpenAiRealtimeSimulator;
let answer: (lines: ModelLine[]) => string | RealtimeAnswer = () => 'Yes of course.';
let events: RealtimeEvent[] = [];
let audio: { replyId: string; itemId: string; bytes: number }[] = [];
let model: RealtimeModel;

beforeAll(async () => {
  simulator = await startOpenAiRealtimeSimulator({
    transcripts: ['book a table', 'for two', 'thank you', 'one', 'two', 'three', 'four'],
    answer: (lines) => answer(lines),
    msPerCharacter: 20,
  });
  afterFile(() => simulator.close());
});

beforeEach(async () => {
  events = [];
  audio = [];
  answer = () => 'Yes of course.';
  Object.assign(simulator.faults, { slowStartMs: 0, formatFlips: 0, busyOnce: false, sessionMs: null });
  await connect();
});

afterEach(() => model.close());

async function connect(llm = agent.llm as RealtimeLlm): Promise<void> {
  model = adapter({
    settings: { OPENAI_BASE_URL: simulator.url, OPENAI_API_KEY: 'sk-simulated' },
    llm,
    language: 'en-IN',
    prompt: { instructions: 'Be brief.', tools: [] },
    callerFormat: MULAW_8K,
    agentFormat: MULAW_8K,
    clock: patientClock,
    log: createLogger('test', 'silent'),
    listener: (event) => {
      if (event.type === 'audio') {
        audio.push({ replyId: event.replyId, itemId: event.itemId, bytes: event.bytes.length });
      } else events.push(event);
    },
  });
  await model.open();
}

const connection = () => simulator.connections.at(-1)!;
const seen = (type: RealtimeEvent['type']) => events.filter((event) => event.type === type);
const happened = (type: RealtimeEvent['type'], times = 1) =>
  eventually(`${type} ${times} times`, 60_000, async () => seen(type).length >= times || null);
const said = () => events.map((event) => (event.type === 'text' ? event.text : '')).join('');
const reply = (replyId: string, mayCallTools = true) => model.reply({ replyId, maxTokens: 900, mayCallTools });

function hears(itemId: string): void {
  model.startSpeech();
  model.audio(SECOND);
  model.commit(itemId);
}

it('asks for the audio of the line and finds turns itself', () => {
  expect(connection().session).toMatchObject({
    output_modalities: ['audio'],
    instructions: 'Be brief.',
    audio: {
      input: { format: { type: 'audio/pcmu' }, turn_detection: null, transcription: { language: 'en' } },
      output: { format: { type: 'audio/pcmu' }, voice: 'marin' },
    },
  });
});

it('hears, answers with words and audio of one item, and reports what it cost', async () => {
  hears('u1');
  reply('r1');
  await happened('reply_ended');
  await happened('transcript');
  expect(seen('transcript')).toEqual([{ type: 'transcript', itemId: 'u1', text: 'book a table' }]);
  expect(seen('transcribed')).toEqual([{ type: 'transcribed', seconds: 1 }]);
  expect(said()).toBe('Yes of course.');
  expect(audio.reduce((sum, { bytes }) => sum + bytes, 0)).toBe('Yes of course.'.length * 20 * 8);
  expect(seen('usage')).toEqual([
    {
      type: 'usage',
      tokens: {
        ...{ text_input_tokens: 100, audio_input_tokens: 20, text_output_tokens: 10, audio_output_tokens: 6 },
        ...{ cached_text_input_tokens: 64, cached_audio_input_tokens: 4 },
      },
    },
  ]);
});

it('transcripts are billed by the second, whichever way their model counts', () => {
  const audio = { input_token_details: { audio_tokens: 25, text_tokens: 3 } };
  expect(transcribedSeconds({ type: 'tokens', ...audio })).toBe(2.5);
  expect(transcribedSeconds({ type: 'duration', seconds: 1.25 })).toBe(1.25);
  for (const strange of [undefined, {}, { type: 'duration', seconds: -1 }, { type: 'duration', seconds: 'many' }]) {
    expect(transcribedSeconds(strange)).toBe(0);
  }
});

it('a reply that is cancelled before the provider has named it is never played', async () => {
  hears('u1');
  reply('r1');
  model.cancel('r1');
  reply('r2');
  await happened('reply_ended');
  expect(new Set(audio.map(({ replyId }) => replyId))).toEqual(new Set(['r2']));
  await eventually('the first to be gone', 60_000, async () => connection().lines().length === 2 || null);
});

it('what was not played out is in nobody’s memory', async () => {
  answer = () => ({ says: ['First the one thing.', 'Then the other.'] });
  reply('r1');
  await happened('reply_ended');
  const [first, second] = [...new Set(audio.map(({ itemId }) => itemId))];
  model.truncate(first!, 9 * 20);
  model.remove(second!);
  await eventually('the cut', 60_000, async () => connection().items.length === 1 || null);
  expect(connection().lines()).toEqual([{ role: 'assistant', text: 'First the' }]);
});

it('asks again when another response is in the way', async () => {
  simulator.faults.busyOnce = true;
  reply('r1');
  await happened('reply_ended');
  expect(seen('reply_ended')).toEqual([{ type: 'reply_ended', replyId: 'r1', failure: null }]);
});

it('speech too short for the provider has no words', async () => {
  model.startSpeech();
  model.audio(SECOND.subarray(0, 400));
  model.commit('u1');
  await happened('transcript');
  expect(seen('transcript')).toEqual([{ type: 'transcript', itemId: 'u1', text: '' }]);
});

it('items lie after the speech they were put after, though its name is not known yet', async () => {
  hears('u1');
  model.add({ id: 'i1', type: 'message', role: 'user', text: '[pressed 1]' }, { after: 'u1' });
  await eventually('both', 60_000, async () => connection().items.length === 2 || null);
  expect(connection().lines().at(-1)).toEqual({ role: 'user', text: '[pressed 1]' });
});

it('a tool is called once, and its result is asked for again', async () => {
  answer = (lines) =>
    lines.some(({ role, text }) => role === 'tool' && text === '{"free":true}')
      ? 'There is one.'
      : { says: 'Let me see.', tool: { name: 'find_table', arguments: '{"people":2}', callId: 'call_1' } };
  reply('r1');
  await happened('reply_ended');
  expect(seen('tool_call')).toMatchObject([{ call: { id: 'call_1', name: 'find_table', arguments: '{"people":2}' } }]);
  model.add({ id: 'i1', type: 'tool_result', callId: 'call_1', name: 'find_table', result: '{"free":true}' }, 'last');
  reply('r2');
  await happened('reply_ended', 2);
  expect(said()).toBe('Let me see.There is one.');
});

it('a reply that fails for too many requests says so', async () => {
  answer = () => ({ fails: 'rate_limit_exceeded' });
  reply('r1');
  await happened('reply_ended');
  expect(seen('reply_ended')).toMatchObject([{ failure: { kind: 'capacity' } }]);
});

it('formats that come back changed are asked for again', async () => {
  await model.close();
  simulator.faults.formatFlips = 1;
  await connect();
  expect(connection().session).toMatchObject({ audio: { output: { format: { type: 'audio/pcmu' } } } });
});

it('has the turns that the model finds, where it is to find them', async () => {
  await model.close();
  await connect({ ...agent.llm, realtime: { ...agent.llm.realtime!, turn_detection: 'model' } } as RealtimeLlm);
  expect(connection().session).toMatchObject({
    audio: { input: { turn_detection: { type: 'semantic_vad', create_response: false, interrupt_response: false } } },
  });
  for (const sound of [SILENCE, LOUD, SILENCE]) {
    for (let from = 0; from < sound.length; from += 160) model.audio(sound.subarray(from, from + 160));
  }
  await happened('transcript');
  const [ended] = seen('turn_ended');
  expect(events.map(({ type }) => type)).toEqual(['turn_started', 'turn_ended', 'transcribed', 'transcript']);
  expect(seen('transcript')).toMatchObject([{ itemId: (ended as { itemId: string }).itemId }]);
});

describe('the end of a session', () => {
  it('at the provider’s limit is a failure that another connection mends', async () => {
    connection().break(1001, 'Your session hit the maximum duration of 60 minutes.');
    await happened('failed');
    expect(seen('failed')).toMatchObject([{ error: { kind: 'unavailable' } }]);
  });

  it('because of the key is one that none mends', async () => {
    connection().send({ type: 'error', error: { type: 'x', code: 'insufficient_quota', message: 'no' } });
    await happened('failed');
    expect(seen('failed')).toMatchObject([{ error: { kind: 'auth' } }]);
  });
});

it('did nothing that the provider forbids', () => {
  expect(simulator.violations).toEqual([]);
});
