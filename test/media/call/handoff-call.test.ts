import { expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import type { OpenHandoffRequest, SearchKnowledgeRequest } from '../../../shared/bus/messages.ts';
import { HANDOFF_TOOL } from '../../../shared/handoff.ts';
import { createFakeSynthesizer } from '../../support/fake-synthesizer.ts';
import { startSingleCall } from '../../support/single-call.ts';

/** A whole call that is handed to another agent: who speaks, whose knowledge is searched, what is paid, and when it ends. */

const BILLING = {
  llm: { provider: 'anthropic', model: 'claude-haiku-4-5' },
  voice: { provider: 'cartesia', voice_id: 'other', language: 'es' },
};

async function handedOverCall() {
  const spokenBy: string[] = [];
  const handoffs: OpenHandoffRequest[] = [];
  const searches: SearchKnowledgeRequest[] = [];
  const call = startSingleCall({
    agent: {
      llm: { provider: 'openai', model: 'gpt-4.1-mini' },
      voice: { provider: 'sarvam', voice_id: 'own', language: 'hi' },
    },
    settings: { handoffs: [{ agent_id: 'b', name: 'Billing' }] },
    session: { capped_by_credits: false },
    synthesizer: ({ voice }, _format, listener) => {
      let fake: ReturnType<typeof createFakeSynthesizer>['synthesizer'] | null = null;
      return {
        ...{ provider: voice.provider, model: voice.model, output: MULAW_8K },
        open: async () => {},
        speak(contextId, words) {
          spokenBy.push(`${voice.voice_id} ${voice.language}`);
          fake ??= createFakeSynthesizer(call.clock, [], {}, listener).synthesizer;
          fake.speak(contextId, words);
        },
        end: (contextId) => fake?.end(contextId),
        cancel: (contextId) => fake?.cancel(contextId),
        close: async () => {},
      };
    },
    answer: ({ tools }) =>
      tools?.some(({ name }) => name === HANDOFF_TOOL)
        ? { text: '', tool: HANDOFF_TOOL, toolArguments: '{"target":"Billing","reason":"a bill"}' }
        : { text: 'Which bill is it?' },
    async handoff(request) {
      handoffs.push(request);
      const agent = { agent_id: 'b', agent_json: JSON.stringify(agentConfigSchema.parse({ name: 'B', ...BILLING })) };
      return { refused: '', agent: { ...agent, knowledge: { text: '', search: true }, paid_seconds: 30 } };
    },
    async knowledge(request) {
      searches.push(request);
      return { error: '', passages: [], hits: 0, embed_ms: 0, search_ms: 0 };
    },
  });
  await call.clock.advance(20);
  for (const [turn, text] of ['I have a question about my bill', 'the one of last month please'].entries()) {
    call.transcriberEvent({ type: 'turn_started', turn, text });
    call.transcriberEvent({ type: 'turn_ended', turn, text });
    for (let tick = 0; tick < 300; tick++) {
      await call.clock.advance(20);
      call.tick();
    }
  }
  await call.clock.advance(30_000);
  await call.call.over;
  return { ...call, spokenBy, handoffs, searches };
}

test('goes on with the voice, the knowledge and the price of the other agent', async () => {
  const { spokenBy, handoffs, searches, emitted } = await handedOverCall();
  expect(handoffs).toMatchObject([{ from_agent_id: 'a', agent_id: 'b' }]);
  expect(new Set(spokenBy)).toEqual(new Set(['other es']));
  expect(searches.at(-1)).toMatchObject({ agent_id: 'b', query: expect.stringContaining('month') });
  const ending = emitted.find(({ type }) => type === 'call.ended')!.more.ending!;
  const used: { component: string; provider: string }[] = JSON.parse(ending.provider_usage_json!);
  expect(used.map(({ component, provider }) => `${component} ${provider}`)).toEqual([
    'llm openai',
    'voice cartesia',
    'llm anthropic',
  ]);
  expect(ending).toMatchObject({ hangup_reason: 'credits ran out', duration_seconds: 30 });
});
