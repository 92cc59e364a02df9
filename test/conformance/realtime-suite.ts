import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Refusal } from '../../fixtures/simulators/provider-socket-server.ts';
import { type AudioFormat, FRAME_MS, frameBytes, MULAW_8K } from '../../media/audio/format.ts';
import { ProviderError } from '../../media/provider/provider-error.ts';
import type {
  RealtimeEvent,
  RealtimeLlm,
  RealtimeModel,
  RealtimeOptions,
} from '../../media/realtime/realtime-model.ts';
import { agentConfigSchema } from '../../shared/agent.ts';
import { createLogger } from '../../shared/log.ts';
import { patientClock } from '../support/patient-clock.ts';
import { eventually } from '../support/until.ts';

/** Tests the rules of `media/realtime/realtime-model.ts`, which every speech-to-speech model keeps. */

/** A simulated provider: it answers `Certainly, for how many?`, and a caller who typed `tool` with a call of `find_table`. */
export interface RealtimeUnderTest {
  create(options: RealtimeOptions): RealtimeModel;
  refuse(refusal: Refusal | null): void;
  /** Breaks all connections. */
  disconnect(): void;
  /** Sends this on every connection. */
  send(message: Record<string, unknown>): void;
  violations: readonly string[];
  close(): Promise<void>;
}

export const ANSWER = 'Certainly, for how many?';
export const MS_PER_CHARACTER = 20;

export function realtimeConformance(
  name: string,
  llm: { provider: 'openai' | 'google'; model: string },
  setUp: () => Promise<RealtimeUnderTest>,
): void {
  describe(name, () => {
    let subject: RealtimeUnderTest;
    let model: RealtimeModel;
    let events: RealtimeEvent[] = [];
    let audioBytes = 0;

    beforeEach(async () => {
      subject = await setUp();
      events = [];
      audioBytes = 0;
      model = subject.create({
        llm: agentConfigSchema.parse({ name: 'A', llm }).llm as RealtimeLlm,
        language: 'en',
        prompt: {
          instructions: 'Be brief.',
          tools: [
            { name: 'find_table', description: 'Finds a table.', parameters: { type: 'object', properties: {} } },
          ],
        },
        ...{ callerFormat: MULAW_8K, agentFormat: MULAW_8K, clock: patientClock, log: createLogger('test', 'silent') },
        listener: (event) => {
          if (event.type === 'audio') audioBytes += event.bytes.length;
          else events.push(event);
        },
      });
    });
    afterEach(async () => {
      await model.close();
      await subject.close();
      expect(subject.violations).toEqual([]);
    });

    const seen = (type: RealtimeEvent['type']) => events.filter((event) => event.type === type);
    const happened = (type: RealtimeEvent['type'], times = 1) =>
      eventually(`${type} ${times} times`, 60_000, async () => seen(type).length >= times || null);
    const bytesPerMs = (format: AudioFormat) => frameBytes(format) / FRAME_MS;
    const reply = (replyId: string) => model.reply({ replyId, maxTokens: 900, mayCallTools: true });
    const hears = (itemId: string) => {
      model.startSpeech();
      model.audio(new Uint8Array(1_000 * bytesPerMs(model.input)));
      model.commit(itemId);
    };
    const textOf = (replyId: string) =>
      events.map((event) => (event.type === 'text' && event.replyId === replyId ? event.text : '')).join('');

    test('speech is transcribed once, as the item that was committed', async () => {
      await model.open();
      hears('u1');
      await happened('transcript');
      expect(seen('transcript')).toEqual([{ type: 'transcript', itemId: 'u1', text: 'book a table' }]);
    });

    test('a reply has an item, its words, its audio and one end', async () => {
      await model.open();
      hears('u1');
      reply('r1');
      await happened('reply_ended');
      expect(seen('item')).toHaveLength(1);
      expect(textOf('r1')).toBe(ANSWER);
      expect(audioBytes).toBe(ANSWER.length * MS_PER_CHARACTER * bytesPerMs(model.output));
      expect(seen('reply_ended')).toEqual([{ type: 'reply_ended', replyId: 'r1', failure: null }]);
      await happened('usage');
    });

    test('two replies that are asked for at once come one after the other', async () => {
      await model.open();
      reply('r1');
      reply('r2');
      await happened('reply_ended', 2);
      expect([textOf('r1'), textOf('r2')]).toEqual([ANSWER, ANSWER]);
    });

    test('nothing of a cancelled reply comes after it', async () => {
      await model.open();
      reply('r1');
      await happened('item');
      model.cancel('r1');
      events = [];
      audioBytes = 0;
      reply('r2');
      await happened('reply_ended');
      expect(textOf('r1')).toBe('');
      expect(audioBytes).toBe(ANSWER.length * MS_PER_CHARACTER * bytesPerMs(model.output));
    });

    test('a tool is called with an id, and its result leads to the next reply', async () => {
      await model.open();
      model.add({ id: 'i1', type: 'message', role: 'user', text: 'tool' }, 'last');
      reply('r1');
      await happened('reply_ended');
      const [call] = seen('tool_call');
      if (call?.type !== 'tool_call') throw new Error('no call');
      expect(call.call).toMatchObject({ name: 'find_table', arguments: '{"people":2}' });
      model.add({ id: 'i2', type: 'tool_result', callId: call.call.id, name: 'find_table', result: '{}' }, 'last');
      reply('r2');
      await happened('reply_ended', 2);
      expect(textOf('r2')).toBe(ANSWER);
    });

    test.each([
      ['auth', 401],
      ['capacity', 429],
    ] as const)('a connection that is refused fails with its kind: %s', async (kind, status) => {
      subject.refuse({ status });
      await expect(model.open()).rejects.toMatchObject({ kind });
      expect(events).toEqual([]);
    });

    test('a lost connection is one failure', async () => {
      await model.open();
      subject.disconnect();
      await happened('failed');
      expect(seen('failed')).toEqual([{ type: 'failed', error: expect.any(ProviderError) }]);
    });

    test('messages that nobody expects change nothing, before a reply and within it', async () => {
      const unexpected = [
        {},
        { type: 'nothing' },
        { type: 7 },
        { serverContent: null },
        { toolCall: 'x' },
        { error: {} },
      ];
      await model.open();
      for (const message of unexpected) subject.send(message);
      reply('r1');
      for (const message of unexpected) subject.send(message);
      await happened('reply_ended');
      expect(textOf('r1')).toBe(ANSWER);
    });

    test('no event follows a close', async () => {
      await model.open();
      reply('r1');
      await model.close();
      events = [];
      subject.disconnect();
      reply('r2');
      hears('u1');
      expect(events).toEqual([]);
    });
  });
}
