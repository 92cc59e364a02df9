import { expect, it } from 'vitest';
import { agentConfigSchema, textModelOf } from '../../shared/agent.ts';

const agentOf = (llm: Record<string, unknown>) => agentConfigSchema.safeParse({ name: 'A', llm });
const messageOf = (llm: Record<string, unknown>) =>
  agentOf(llm)
    .error?.issues.map(({ message }) => message)
    .join();

it('a speech-to-speech model has all of its settings, and any other model none', () => {
  expect(agentOf({ provider: 'openai', model: 'gpt-realtime-2.1' }).data!.llm.realtime).toEqual({
    ...{ voice: 'marin', output: 'audio', turn_detection: 'service' },
    ...{ text_provider: 'openai', text_model: 'gpt-4.1-mini' },
  });
  expect(agentOf({ provider: 'openai' }).data!.llm).not.toHaveProperty('realtime');
});

it('what is not spoken is asked of the model beside it', () => {
  const own = agentOf({ provider: 'google', model: 'gemini-3.8-live' }).data!.llm;
  expect(textModelOf(own)).toEqual({ provider: 'google', model: 'gemini-2.5-flash' });
  expect(textModelOf(agentOf({ provider: 'openai' }).data!.llm)).toEqual({ provider: 'openai', model: 'gpt-4.1-mini' });
});

it.each([
  [{ provider: 'openai', model: 'gpt-4.1', realtime: {} }, 'settings of a speech-to-speech model'],
  [{ provider: 'openai', model: 'gpt-realtime', realtime: { voice: 'Kore' } }, 'OpenAI Realtime has no voice Kore'],
  [{ provider: 'google', model: 'gemini-3.8-live', realtime: { output: 'text' } }, 'Gemini Live answers in audio only'],
  [
    { provider: 'google', model: 'gemini-3.8-live', realtime: { turn_detection: 'model' } },
    'leaves the caller’s turns',
  ],
  [{ provider: 'openai', model: 'gpt-realtime', realtime: { text_model: 'gpt-realtime' } }, 'a model that writes text'],
])('%j is refused', (llm, reason) => {
  expect(messageOf(llm)?.replaceAll("'", '’')).toContain(reason);
});
