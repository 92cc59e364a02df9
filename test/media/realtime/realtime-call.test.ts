import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type GeminiLiveSimulator, startGeminiLiveSimulator } from '../../../fixtures/simulators/gemini-live.ts';
import { type OpenAiSimulator, startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import {
  type OpenAiRealtimeSimulator,
  startOpenAiRealtimeSimulator,
} from '../../../fixtures/simulators/openai-realtime.ts';
import { loadSpeech } from '../../../fixtures/speech.ts';
import type { ProviderUsage } from '../../../shared/usage.ts';
import { afterFile } from '../../support/after-file.ts';
import { type MediaProgram, startMediaProgram } from '../../support/media-program.ts';
import { eventually } from '../../support/until.ts';

/** Whole calls with a speech-to-speech model, over real sockets, with the synthesizer and the transcriber of this machine beside it. */

const WITHIN_MS = 60_000;
/** Far longer than what is waited for in it. */
const LONG = `Let me read that back to you: ${Array.from({ length: 3 }, () => 'a table for two people tomorrow evening at seven, under your name, by the window').join(', ')}.`;
const AGENT = {
  system_prompt: 'You book tables.',
  llm: { provider: 'openai', model: 'gpt-realtime-2.1' },
  transcriber: { provider: 'local', model: 'booking', language: 'en' },
  voice: { provider: 'local', voice_id: 'en', language: 'en' },
  call: { record: false, hangup_after_silence_seconds: 60 },
};

let realtime: OpenAiRealtimeSimulator;
let gemini: GeminiLiveSimulator;
let llm: OpenAiSimulator;
let media: MediaProgram;

beforeAll(async () => {
  realtime = await startOpenAiRealtimeSimulator({
    transcripts: ['I would like a table.', 'No, not that one.', 'For two people.', 'At seven.'],
    answer: (_lines, index) => (index === 0 ? LONG : 'All right.'),
  });
  afterFile(() => realtime.close());
  gemini = await startGeminiLiveSimulator({ transcripts: ['A table for two.'], answer: () => 'All right.' });
  afterFile(() => gemini.close());
  llm = await startOpenAiSimulator({ firstTokenMs: 1, answer: () => ({ text: 'The text model speaks.' }) });
  afterFile(() => llm.close());
  media = await startMediaProgram({
    ...{
      OPENAI_BASE_URL: realtime.url,
      OPENAI_API_KEY: 'sk-simulated',
      GOOGLE_URL: gemini.url,
      GOOGLE_API_KEY: 'AIza-simulated',
      LLM_BASE_URL: llm.url,
      LLM_API_KEY: llm.apiKey,
    },
    LANGUAGE_MODELS_DIR: fileURLToPath(new URL('../../../fixtures/language-models', import.meta.url)),
  });
  afterFile(() => media.stop());
});

beforeEach(({ onTestFailed }) => {
  onTestFailed(() => console.log(media.tail(30)));
});

it('hears, answers in its own voice, and knows where it was interrupted', async () => {
  const { phone, events, ended } = await media.call({ ...AGENT, welcome_message: 'Good evening.' });
  const has = (type: string, times = 1) =>
    eventually(type, WITHIN_MS, async () => events.filter((event) => event.type === type).length >= times || null);
  await phone.waitForAgentSilence(400, WITHIN_MS);
  const welcomeFrames = phone.agentFrames.length;
  await phone.say(loadSpeech('short-two-people').samples).done;
  await has('tts.first_audio', 2);
  const isLoud = ({ peak }: { peak: number }) => peak > 1_000;
  const answered = () => phone.agentFrames.slice(welcomeFrames).filter(isLoud).length;
  await eventually('some of the answer', WITHIN_MS, async () => answered() > 60 || null);
  await phone.say(loadSpeech('short-seven-thirty').samples).done;
  await has('interrupted');
  await has('agent.reply');
  const [connection] = realtime.connections;
  const believes = connection!.lines().map(({ role, text }) => `${role}: ${text}`);
  phone.hangUp();
  const all = await ended(WITHIN_MS);
  const lines = all.flatMap(({ transcript }) => transcript).map(({ role, text }) => `${role}: ${text}`);
  expect(realtime.violations).toEqual([]);
  expect(lines).toEqual([
    'agent: Good evening.',
    'user: I would like a table.',
    expect.stringMatching(/^agent: Let me read/),
    'user: No, not that one.',
    'agent: All right.',
  ]);
  // The word at the cut itself may be counted by one of both.
  const playedOut = lines[2] ?? '';
  const said = believes[2]!.replace('assistant', 'agent');
  expect(said.startsWith(playedOut) || playedOut.startsWith(said)).toBe(true);
  expect(Math.abs(said.length - playedOut.length)).toBeLessThan(12);
  expect(believes).toEqual([
    'assistant: Good evening.',
    'user: I would like a table.',
    expect.any(String),
    'user: No, not that one.',
    'assistant: All right.',
  ]);
  expect(connection!.received.filter(({ type }) => type === 'conversation.item.truncate')).toHaveLength(1);
  const used = JSON.parse(all.at(-1)!.ending!.provider_usage_json ?? '[]') as ProviderUsage[];
  expect(used.toSorted((a, b) => a.component.localeCompare(b.component))).toMatchObject([
    { component: 'realtime', provider: 'openai', model: 'gpt-realtime-2.1', text_input_tokens: 200 },
    { component: 'transcriber', provider: 'openai', model: 'gpt-4o-mini-transcribe' },
    { component: 'voice', provider: 'local', tts_characters: 'Good evening.'.length },
  ]);
  // Of speech only, with what lies before and behind it.
  expect(used.find(({ component }) => component === 'transcriber')!.stt_seconds).toBeGreaterThan(1);
});

it.each([
  ['Gemini Live', { provider: 'google', model: 'gemini-3.8-live', realtime: { text_provider: 'custom' } }],
  ['a model that writes for the agent’s voice', { ...AGENT.llm, realtime: { output: 'text' } }],
])('with %s the caller is answered, and the welcome is known to it', async (_, llm) => {
  const { phone, events, ended } = await media.call({ ...AGENT, llm, welcome_message: 'Good evening.' });
  await phone.waitForAgentSilence(400, WITHIN_MS);
  const saidMs = performance.now();
  await phone.say(loadSpeech('short-two-people').samples).done;
  await phone.waitForAgentSpeech(WITHIN_MS, saidMs);
  await eventually('the reply', WITHIN_MS, async () => events.find(({ type }) => type === 'agent.reply'));
  phone.hangUp();
  const all = await ended(WITHIN_MS);
  expect(all.filter(({ type }) => type === 'fallback.used')).toEqual([]);
  expect(all.flatMap(({ transcript }) => transcript).map(({ role }) => role)).toEqual(['agent', 'user', 'agent']);
  const { connections } = llm.provider === 'google' ? gemini : realtime;
  expect(connections.at(-1)!.lines()[0]).toMatchObject({ text: expect.stringContaining('Good evening.') });
  expect([...realtime.violations, ...gemini.violations]).toEqual([]);
});

it('leaves the end of turns to the model, where the agent says so', async () => {
  const agent = { ...AGENT, llm: { ...AGENT.llm, realtime: { turn_detection: 'model' } } };
  const { phone, events, ended } = await media.call(agent);
  const has = (type: string) =>
    eventually(type, WITHIN_MS, async () => events.some((event) => event.type === type) || null);
  await has('call.started');
  await phone.say(loadSpeech('short-two-people').samples).done;
  await has('agent.reply');
  phone.hangUp();
  const all = await ended(WITHIN_MS);
  const sent = realtime.connections.at(-1)!.received.map(({ type }) => type);
  expect(sent).not.toContain('input_audio_buffer.commit');
  expect(all.flatMap(({ transcript }) => transcript.map(({ role }) => role))).toEqual(['user', 'agent']);
  expect(realtime.violations).toEqual([]);
});

it('goes on with transcriber, model and voice of its own when there is no session', async () => {
  realtime.faults.refuse = { status: 503 };
  const agent = { ...AGENT, llm: { ...AGENT.llm, realtime: { text_provider: 'custom' } } };
  const { phone, events, ended } = await media.call(agent);
  const has = (type: string) =>
    eventually(type, WITHIN_MS, async () => events.some((event) => event.type === type) || null);
  await has('call.started');
  await phone.say(loadSpeech('short-two-people').samples).done;
  await has('agent.reply');
  phone.hangUp();
  const all = await ended(WITHIN_MS);
  realtime.faults.refuse = null;
  const fallbacks = all.filter(({ type }) => type === 'fallback.used').map(({ data_json }) => JSON.parse(data_json));
  expect(fallbacks).toMatchObject([
    { component: 'stt', from: { provider: 'openai' }, to: { provider: 'local' } },
    { component: 'llm', from: { provider: 'openai' }, to: { provider: 'custom' } },
  ]);
  expect(all.find(({ type }) => type === 'agent.reply')!.message).toBe('The text model speaks.');
});
