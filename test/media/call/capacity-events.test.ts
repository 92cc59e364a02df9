import { expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createCallProviders } from '../../../media/call/call-providers.ts';
import type { EventDetails } from '../../../media/report/reporter.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import { createLogger } from '../../../shared/log.ts';
import { emptyUsage } from '../../../shared/usage.ts';
import { createFakeModel } from '../../support/fake-model.ts';
import { createFakeSynthesizer } from '../../support/fake-synthesizer.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** What the timeline says of accounts at their limit, and who is paid for what was used in their place. */

const AGENT = agentConfigSchema.parse({
  name: 'Agent',
  transcriber: { provider: 'deepgram', model: 'nova-3', fallbacks: [{ provider: 'sarvam', model: 'saarika:v2.5' }] },
  voice: {
    ...{ provider: 'cartesia', model: 'sonic', voice_id: 'v' },
    fallbacks: [{ provider: 'sarvam', model: 'bulbul', voice_id: 'w' }],
  },
});

/** The providers of one call, while these accounts have no permit left. */
function providersWithout(...full: string[]) {
  const clock = createVirtualClock();
  const events: { type: string; data: EventDetails['data'] }[] = [];
  const permit = (account: string) => (full.includes(account) ? null : { release() {} });
  const usage = emptyUsage();
  const spokenBy: string[] = [];
  const providers = createCallProviders({
    ...{ agent: AGENT, llmFallbacks: [], callerFormat: MULAW_8K, agentFormat: MULAW_8K, usage, clock },
    scope: { guard: (run) => run, watch() {} },
    log: createLogger('test', 'silent'),
    providerFactory: {
      transcriber: ({ transcriber: { provider, model } }) => ({
        ...{ provider, model, input: MULAW_8K, decidesTurns: true },
        ...{ open: async () => {}, audio() {}, finalize() {}, close: async () => {} },
      }),
      synthesizer: ({ voice: { provider } }, _format, listener) => {
        const { synthesizer } = createFakeSynthesizer(clock, [], {}, listener);
        return {
          ...synthesizer,
          speak(...given) {
            spokenBy.push(provider);
            synthesizer.speak(...given);
          },
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
    permits: {
      tryAcquire: permit,
      acquire: async (account) => permit(account),
      reportRefusal() {},
      inUse: () => 0,
      close: async () => {},
    },
    health: { unhealthyReason: () => null, onTried() {}, onOutcome() {}, unhealthy: () => [] },
    reporter: { report: (type, _message, { data } = {}) => void events.push({ type, data }) },
    onTranscriber() {},
    onSynthesizer() {},
    onActiveTranscriber() {},
  });
  return {
    providers,
    events,
    spokenBy,
    /** Speaks one reply. */
    async reply(id: string) {
      providers.synthesizer.speak(id, 'Good morning.');
      providers.synthesizer.end(id);
      await clock.advance(10_000);
    },
    usageOf: (component: string) =>
      providers.usageMeter.parts().flatMap((part) => (part.component === component ? [part.provider] : [])),
    usage,
  };
}

test('a transcriber at its limit is replaced, which is said once and paid to the one that was used', async () => {
  const { providers, events, usage, usageOf } = providersWithout('deepgram');
  await providers.transcriber.open();
  usage.stt_seconds += 10;
  expect(events).toEqual([
    {
      type: 'capacity.fallback',
      data: {
        component: 'stt',
        provider: 'deepgram',
        from: expect.objectContaining({ provider: 'deepgram', model: 'nova-3' }),
        to: expect.objectContaining({ provider: 'sarvam', model: 'saarika:v2.5' }),
      },
    },
  ]);
  expect(usageOf('transcriber')).toEqual(['sarvam']);
});

test("without any permit the agent's own transcriber is used, and its limit reported as exceeded", async () => {
  const { providers, events, usage, usageOf } = providersWithout('deepgram', 'sarvam-stt');
  await providers.transcriber.open();
  usage.stt_seconds += 10;
  expect(events.map(({ type, data }) => [type, data?.provider, data?.to])).toEqual([
    ['capacity.exceeded', 'deepgram', undefined],
  ]);
  expect(usageOf('transcriber')).toEqual(['deepgram']);
});

test('a voice at its limit is replaced for each reply, which is said once in a call', async () => {
  const { providers, events, spokenBy, reply } = providersWithout('cartesia');
  await providers.synthesizer.open();
  for (const id of ['a', 'b', 'c']) await reply(id);
  expect(spokenBy).toEqual(['sarvam', 'sarvam', 'sarvam']);
  expect(events.map(({ type, data }) => [type, data?.component, data?.provider])).toEqual([
    ['capacity.fallback', 'tts', 'cartesia'],
  ]);
});

test('without any permit the own voice speaks after a short wait, and its limit is reported as exceeded', async () => {
  const { providers, events, spokenBy, reply } = providersWithout('cartesia', 'sarvam-tts');
  await providers.synthesizer.open();
  for (const id of ['a', 'b']) await reply(id);
  expect(spokenBy).toEqual(['cartesia', 'cartesia']);
  expect(events.map(({ type, data }) => [type, data?.provider])).toEqual([['capacity.exceeded', 'cartesia']]);
});
