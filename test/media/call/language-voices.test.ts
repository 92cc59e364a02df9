import { expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createCallProviders } from '../../../media/call/call-providers.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import { createLogger } from '../../../shared/log.ts';
import { emptyUsage } from '../../../shared/usage.ts';
import { createFakeModel } from '../../support/fake-model.ts';
import { createFakeSynthesizer } from '../../support/fake-synthesizer.ts';
import { unlimitedPermits } from '../../support/memory-permits.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** Which voice speaks a language that the caller changes to. */

const AGENT = agentConfigSchema.parse({
  name: 'Agent',
  voice: {
    ...{ provider: 'sarvam', model: 'bulbul:v3', voice_id: 'own', language: 'hi' },
    by_language: [{ provider: 'cartesia', voice_id: 'spanish', language: 'es-MX' }],
  },
});

async function voiceIn(language: string) {
  const clock = createVirtualClock();
  const opened: string[] = [];
  const closed: string[] = [];
  const providers = createCallProviders({
    ...{ agent: AGENT, llmFallbacks: [], callerFormat: MULAW_8K, agentFormat: MULAW_8K, usage: emptyUsage(), clock },
    scope: { guard: (run) => run, watch() {} },
    log: createLogger('test', 'silent'),
    prompt: () => ({ instructions: '', tools: [] }),
    providerFactory: {
      realtime: () => Promise.reject() as never,
      transcriber: ({ transcriber: { provider, model } }) => ({
        ...{ provider, model, input: MULAW_8K, decidesTurns: true },
        ...{ open: async () => {}, audio() {}, finalize() {}, close: async () => {} },
      }),
      synthesizer: ({ voice }, _format, listener) => {
        const name = `${voice.provider} ${voice.voice_id} ${voice.language}`;
        opened.push(name);
        return {
          ...createFakeSynthesizer(clock, [], {}, listener).synthesizer,
          close: async () => void closed.push(name),
        };
      },
      model: () =>
        createFakeModel(
          clock,
          100,
          () => ({ text: 'Yes.' }),
          () => {},
        ).model,
    },
    permits: unlimitedPermits(),
    health: { unhealthyReason: () => null, onTried() {}, onOutcome() {}, unhealthy: () => [] },
    reporter: { report() {} },
    onTranscriber() {},
    onSynthesizer() {},
    onActiveTranscriber() {},
  });
  await providers.synthesizer.open();
  const synthesizer = providers.synthesizerIn(language);
  const again = providers.synthesizerIn(language);
  await providers.closeSynthesizers();
  return { own: synthesizer === providers.synthesizer, once: again === synthesizer, opened, closed };
}

test.each([
  ['es', false, ['sarvam own hi', 'cartesia spanish es-MX']],
  ['ta', false, ['sarvam own hi', 'sarvam own ta']],
  ['fr', true, ['sarvam own hi']],
  ['hi', true, ['sarvam own hi']],
])('%s', async (language, own, opened) => {
  const voice = await voiceIn(language);
  expect(voice).toEqual({ own, once: true, opened, closed: opened });
});
