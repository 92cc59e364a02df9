import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentText, type OpenAiSimulator, startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { type AgentInput, agentConfigSchema } from '../../../shared/agent.ts';
import type { CallEvent, Session, TestTurn, TestTurnReply } from '../../../shared/bus/messages.ts';
import { newId } from '../../../shared/ids.ts';
import { type MediaProgram, startMediaProgram } from '../../support/media-program.ts';
import { providerSettings } from '../../support/simulated-providers.ts';
import { eventually } from '../../support/until.ts';

/** A test's caller at a real engine, over a real socket, with the transcriber and the synthesizer of this machine. */

/** Long enough that a caller on a slow machine still talks over it. */
const LONG = 'All tables are taken tomorrow, and the day after as well, but there is one left on Friday by the window. '
  .repeat(3)
  .trim();

let llm: OpenAiSimulator;
let media: MediaProgram;

beforeAll(async () => {
  llm = await startOpenAiSimulator({
    firstTokenMs: 1,
    answer(messages) {
      const last = messages.at(-1)!;
      if (last.role === 'tool') return { text: contentText(last) };
      if (messages.some(({ role }) => role === 'tool')) return { text: 'All right.' };
      return { toolCalls: [{ name: 'book_table', arguments: {} }] };
    },
  });
  media = await startMediaProgram({
    ...providerSettings({ llm }),
    LANGUAGE_MODELS_DIR: fileURLToPath(new URL('../../../fixtures/language-models', import.meta.url)),
  });
});
afterAll(async () => {
  await media.stop();
  await llm.close();
});

const AGENT: AgentInput = {
  name: 'Asha',
  system_prompt: 'You book tables.',
  welcome_message: 'Hello.',
  tools: [{ name: 'book_table', description: 'Books.', url: 'https://restaurant.invalid/' }],
  llm: { provider: 'openai' },
  transcriber: { provider: 'local', model: 'booking', language: 'en', endpointing_ms: 400 },
  voice: { provider: 'local', voice_id: 'en', language: 'en' },
  call: { record: false },
};

const sessionOf = (call_id: string): Session => ({
  ...{ call_id, workspace_id: newId(), agent_id: newId(), direction: 'inbound', channel: 'phone' },
  ...{ from_number: '', to_number: '', user_data_json: '{}', max_duration_seconds: 60, llm_fallbacks: [] },
  agent_json: JSON.stringify(agentConfigSchema.parse(AGENT)),
  test: { tool_results_json: JSON.stringify({ book_table: LONG }) },
});

const start = (call_id: string) =>
  media.bus.testCalls.start({ session: sessionOf(call_id), language: '', background_noise: 'office' }, 60_000);

async function take(call_id: string, turn: number, more: Partial<TestTurn> = {}): Promise<TestTurnReply> {
  for (;;) {
    const next = { call_id, turn, text: '', interruption: '', hangs_up: false, ...more };
    const reply = await media.bus.testCalls.sendTurn(next, 60_000, '');
    if (reply.done) return reply;
  }
}

describe('the call of a test', { retry: 2 }, () => {
  it('is a conversation aloud, in noise, interrupted, whose tools answer what is given', async () => {
    const callId = newId();
    const events: CallEvent[] = [];
    const listening = media.bus.testCalls.onEvents(callId, (event) => events.push(event));
    expect(await start(callId)).toMatchObject({ done: true, detail: '' });
    expect((await start(callId)).detail).toBe('the call is here already');

    expect((await take(callId, 0)).result).toMatchObject({ agent_spoke: true, talk_over_ms: 0 });
    const text = 'I would like to book a table for two people.';
    const { result } = await take(callId, 1, { text, interruption: 'Wait, make it eight.' });
    expect(result).toMatchObject({ agent_spoke: true, stopped_after_ms: expect.any(Number) });
    expect(result!.interrupted_at_ms).toBeGreaterThan(result!.said_at_ms!);
    expect(result!.talk_over_ms).toBeGreaterThan(0);
    expect(JSON.parse(result!.provider_usage_json)).toMatchObject([
      { component: 'voice', provider: 'local', tts_characters: text.length + 20 },
    ]);
    expect(await take(callId, 2, { hangs_up: true })).toMatchObject({ over: true, failed: '' });

    const { ending } = await eventually('the end', 60_000, async () => events.find((event) => event.ending) ?? null);
    listening.stop();
    expect(ending).toMatchObject({ hangup_reason: 'caller hung up' });
    const of = (type: string) => events.filter((event) => event.type === type);
    expect(of('tool.result').map(({ data_json }) => JSON.parse(data_json))).toEqual([
      { name: 'book_table', status: 200, result: LONG },
    ]);
    expect(of('interrupted')).toHaveLength(1);
    expect(of('user.turn')[0]!.message).toContain('book a table for two people');
    // Nothing of a test is stored for the calls of the workspace.
    expect(await media.bus.lastEventSeq(callId)).toBe(0);
    // The next call of this test may be at another engine.
    await eventually('the end of the caller', 60_000, () =>
      take(callId, 3).then(
        () => null,
        () => true,
      ),
    );
  });
});
