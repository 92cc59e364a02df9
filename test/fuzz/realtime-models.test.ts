import { beforeAll, describe, expect, it } from 'vitest';
import { MULAW_8K } from '../../media/audio/format.ts';
import { ProviderError } from '../../media/provider/provider-error.ts';
import { adapter as geminiLive } from '../../media/realtime/gemini-live.ts';
import { adapter as openAiRealtime } from '../../media/realtime/openai-realtime.ts';
import type {
  RealtimeEvent,
  RealtimeLlm,
  RealtimeModel,
  RealtimeOptions,
} from '../../media/realtime/realtime-model.ts';
import { agentConfigSchema } from '../../shared/agent.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { createDraws, type Draws } from './draws.ts';
import { gone, type HostileProvider, sendAnything, startHostileProvider } from './hostile-provider.ts';
import * as samples from './provider-samples.ts';
import { createTally, messagesOf, SEED } from './tally.ts';

/** Speech-to-speech models whose provider sends anything: none throws, and what they emit is well-formed. SEED, COUNT for each. */

const FRAME = new Uint8Array(160).fill(0x55);

let provider: HostileProvider;
const errors: string[] = [];
const log = createLogger('media', 'error', { write: (line: string) => void errors.push(line) });

beforeAll(async () => {
  provider = await startHostileProvider();
});

const httpUrl = () => provider.url.replace(/^ws/, 'http');
const MODELS: Record<string, [readonly object[], llm: object, (options: RealtimeOptions) => RealtimeModel]> = {
  'OpenAI Realtime': [
    samples.OPENAI_REALTIME,
    { provider: 'openai', model: 'gpt-realtime-2.1' },
    (options) => openAiRealtime({ ...options, settings: { OPENAI_BASE_URL: httpUrl(), OPENAI_API_KEY: 'key' } }),
  ],
  'Gemini Live': [
    samples.GEMINI_LIVE,
    { provider: 'google', model: 'gemini-3.8-live' },
    (options) => geminiLive({ ...options, settings: { GOOGLE_URL: httpUrl(), GOOGLE_API_KEY: 'key' } }),
  ],
};

const isText = (value: unknown) => typeof value === 'string';
const isCount = (value: unknown) => Number.isFinite(value) && Number(value) >= 0;

function isWellFormed(event: RealtimeEvent): boolean {
  switch (event.type) {
    case 'failed':
      return event.error instanceof ProviderError;
    case 'usage':
      return Object.values(event.tokens).every(isCount);
    case 'transcribed':
      return isCount(event.seconds);
    case 'expires':
      return isCount(event.inMs);
    case 'partial':
      return isText(event.text);
    case 'transcript':
      return isText(event.itemId) && (event.text === null || isText(event.text));
    case 'turn_started':
      return true;
    case 'turn_ended':
      return isText(event.itemId);
    case 'item':
      return isText(event.itemId);
    case 'text':
      return isText(event.itemId) && isText(event.text);
    case 'audio':
      return isText(event.itemId) && event.bytes instanceof Uint8Array && event.bytes.length > 0;
    case 'tool_call':
      return [event.itemId, event.call.id, event.call.name, event.call.arguments].every(isText);
    case 'reply_ended':
      return event.failure === null || isText(event.failure.kind);
  }
}

/** What a call does with a session, in one order or another. */
function use(model: RealtimeModel, draws: Draws, over: Set<string>): void {
  model.startSpeech();
  for (let frame = 0; frame < 20; frame++) model.audio(FRAME);
  model.commit('u1');
  model.reply({ replyId: 'r1', maxTokens: 100, mayCallTools: true });
  model.add(
    { id: 'i1', type: 'tool_result', callId: 'c', name: 'end_call', result: '{}' },
    draws.pick(['first', 'last', { after: 'u1' }]),
  );
  if (draws.chance(0.3)) model.truncate('i', 20);
  if (draws.chance(0.3)) model.remove('i1');
  if (draws.chance(0.3)) model.instruct({ instructions: 'Be kind.', tools: [] });
  if (draws.chance(0.5)) {
    over.add('r1');
    model.cancel('r1');
  }
  model.reply({ replyId: 'r2', maxTokens: 100, mayCallTools: false });
}

describe.each(Object.entries(MODELS))('the session of %s', (name, [messages, llm, create]) => {
  it('survives any message', async () => {
    const total = messagesOf(1_000);
    const tally = createTally(`realtime ${name}`, total);
    const draws = createDraws(SEED);
    while (tally.count < total) {
      let closed: Promise<void> | null = null;
      provider.onConnection = (socket) => {
        closed = gone(socket);
        if (draws.chance(0.9)) socket.send(JSON.stringify(messages[0]));
        void sendAnything(socket, draws, () => messages, tally);
      };
      /** Replies that have ended, or were cancelled. */
      const over = new Set<string>();
      let isClosed = false;
      let failures = 0;
      const agent = agentConfigSchema.parse({ name: 'A', llm });
      const detects = draws.pick(['service', 'model'] as const);
      const model = create({
        llm: { ...agent.llm, realtime: { ...agent.llm.realtime!, turn_detection: detects } } as RealtimeLlm,
        ...{ language: 'hi', prompt: { instructions: 'Be brief.', tools: [] }, clock: systemClock, log },
        ...{ callerFormat: MULAW_8K, agentFormat: MULAW_8K },
        listener(event) {
          if (isClosed || ('replyId' in event && over.has(event.replyId))) tally.found(`${event.type} after the end`);
          if (event.type === 'failed' && ++failures > 1) tally.found('failed twice');
          if (!isWellFormed(event)) tally.found(JSON.stringify(event));
          if (event.type === 'reply_ended') over.add(event.replyId);
        },
      });
      const opened = model.open().catch((error: unknown) => {
        if (!(error instanceof ProviderError)) tally.found(`open rejects with ${String(error)}`);
      });
      await opened;
      use(model, draws, over);
      if (closed) await closed;
      isClosed = true;
      await model.close();
    }
    for (const line of errors.splice(0)) tally.found(line);
    expect(tally.end()).toEqual([]);
  }, 86_400_000);
});
