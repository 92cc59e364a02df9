import { afterAll, beforeAll, expect, test } from 'vitest';
import { setFallbackModels } from '../../control/operators/workspaces.ts';
import { asOperator } from '../../dev/first-workspace.ts';
import { type OpenAiSimulator, type ScriptedAnswer, startOpenAiSimulator } from '../../fixtures/simulators/openai.ts';
import type { ProviderUsage } from '../../shared/usage.ts';
import { say, waitForEvents, waitForWelcome } from '../support/conversing-caller.ts';
import { eventually } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/** All providers fail in one call: it continues to its end, no word is lost, and none is spoken twice. */

const ANSWER = 'Let me see. There is a table by the window at seven, and another one in the garden at eight.';
const OTHER_ANSWER = 'The one at eight is yours.';

let service: Service;
let otherMind: OpenAiSimulator;

const answer = (words: string): ScriptedAnswer => {
  if (words.includes('goodbye')) return { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] };
  return { text: words.includes('change') ? OTHER_ANSWER : ANSWER };
};

beforeAll(async () => {
  otherMind = await startOpenAiSimulator({
    firstTokenMs: 50,
    answer: (messages) => answer(String(messages.at(-1)?.content ?? '')),
  });
  service = await startService({
    transcripts: ['for two people', 'i want to change the time', 'thank you very much goodbye'],
    answer,
    settings: { LLM_BASE_URL: otherMind.url, LLM_API_KEY: otherMind.apiKey },
  });
});
afterAll(async () => {
  await service?.close();
  await otherMind?.close();
});

test('a call in which the transcriber fails in a sentence, the synthesizer in a reply, and the model is rate limited', async () => {
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
    const [{ workspace_id }] = await sql<[{ workspace_id: string }]>`
      select workspace_id from agents where id = ${agentId}`;
    await setFallbackModels({ sql, wallMs: Date.now() }, workspace_id, ['custom/default']);
  });

  const url = `${service.stack.apiUrl}/carriers/twilio`;
  const from = '+919876512345';
  const incoming = service.carriers.twilio.placeInbound({
    from,
    to: number,
    url: `${url}/inbound`,
    statusUrl: `${url}/status`,
  });
  const phone = await incoming.waitForPhone(60_000);
  const callId = await service.callOf(from);
  await waitForWelcome(phone);

  // The transcriber fails while the caller speaks; the synthesizer stops after its first chunks.
  service.tts.faults.stallAfterChunks = 3;
  const speaking = say(phone, 'short-two-people');
  const stt = service.stt.connections.at(-1)!;
  await eventually('speech at the transcriber', 60_000, async () => stt.speech.length > 0 || null);
  stt.break();
  await speaking;
  await waitForEvents(service, callId, 'agent.reply');

  service.llm.setMode('full');
  await say(phone, 'change-time');
  await waitForEvents(service, callId, 'agent.reply', 2);
  await say(phone, 'goodbye');
  await phone.waitForEnd(60_000);

  const { call, events } = await service.finished(callId);
  expect(call).toMatchObject({ status: 'completed', hangup_reason: 'agent ended the call' });
  expect(call.transcript.map((line) => `${line.role}: ${line.text}`)).toEqual([
    'agent: Welcome.',
    'user: for two people',
    `agent: ${ANSWER}`,
    'user: i want to change the time',
    `agent: ${OTHER_ANSWER}`,
    'user: thank you very much goodbye',
    'agent: Goodbye.',
  ]);
  const fallbacks = events
    .filter(({ type }) => type === 'fallback.used')
    .map(({ data, level }) => ({ ...data, level }));
  expect(fallbacks).toMatchObject([
    { component: 'stt', level: 'warning', to: { model: 'flux-general-en' } },
    { component: 'tts', from: { provider: 'elevenlabs' }, to: { provider: 'local' } },
    { component: 'llm', from: { provider: 'openai' }, to: { provider: 'custom' } },
  ]);
  expect(fallbacks[2]).toMatchObject({ reason: expect.stringMatching(/^capacity/) });
  const [row] = await asOperator(
    service.stack,
    (sql) => sql<[{ provider_usage: ProviderUsage[] }]>`select provider_usage from calls where id = ${callId}`,
  );
  expect(row.provider_usage.map(({ component, provider }) => `${component} ${provider}`).sort()).toEqual([
    'llm custom',
    'llm openai',
    'transcriber deepgram_flux',
    'transcriber deepgram_flux',
    'voice elevenlabs',
    'voice local',
  ]);
});
