import { expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createCallProviders } from '../../../media/call/call-providers.ts';
import { ProviderError } from '../../../media/provider/provider-error.ts';
import type { EventDetails } from '../../../media/report/reporter.ts';
import type { SynthesizerListener } from '../../../media/tts/synthesizer.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import { createLogger } from '../../../shared/log.ts';
import { emptyUsage } from '../../../shared/usage.ts';
import { createFakeModel } from '../../support/fake-model.ts';
import { createFakeSynthesizer } from '../../support/fake-synthesizer.ts';
import { unlimitedPermits } from '../../support/memory-permits.ts';
import { startSingleCall } from '../../support/single-call.ts';
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
function providersWithout(...accounts: string[]) {
  const full = new Set(accounts);
  const clock = createVirtualClock();
  const events: { type: string; data: EventDetails['data'] }[] = [];
  const permit = (account: string) => (full.has(account) ? null : { release() {} });
  const usage = emptyUsage();
  const spokenBy: string[] = [];
  const listeners: SynthesizerListener[] = [];
  const providers = createCallProviders({
    ...{ agent: AGENT, llmFallbacks: [], callerFormat: MULAW_8K, agentFormat: MULAW_8K, usage, clock },
    scope: { guard: (run) => run, watch() {} },
    log: createLogger('test', 'silent'),
    prompt: () => ({ instructions: '', tools: [] }),
    providerFactory: {
      realtime: () => Promise.reject() as never,
      transcriber: ({ transcriber: { provider, model } }) => ({
        ...{ provider, model, input: MULAW_8K, decidesTurns: true },
        ...{ open: async () => {}, audio() {}, finalize() {}, close: async () => {} },
      }),
      synthesizer: ({ voice: { provider } }, _format, listener) => {
        listeners.push(listener);
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
    permits: { ...unlimitedPermits(), tryAcquire: permit, acquire: async (account) => permit(account) },
    health: { unhealthyReason: () => null, onTried() {}, onOutcome() {}, unhealthy: () => [] },
    reporter: { report: (type, _message, { data } = {}) => void events.push({ type, data }) },
    onTranscriber() {},
    onSynthesizer() {},
    onActiveTranscriber() {},
  });
  return {
    providers,
    full,
    events,
    clock,
    listeners,
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

test('the characters of a reply are usage of the voice that speaks it, also when the next one is generated already', async () => {
  const { providers, full, usage, reply } = providersWithout('cartesia');
  await providers.synthesizer.open();
  await reply('a');
  providers.replyStarted('a');
  full.clear();
  await reply('b');
  usage.tts_characters += 10;
  providers.replyStarted('b');
  usage.tts_characters += 5;
  full.add('cartesia');
  await reply('c');
  providers.replyStarted('c');
  usage.tts_characters += 2;
  expect(providers.usageMeter.parts()).toEqual([
    { component: 'voice', provider: 'sarvam', model: 'bulbul', tts_characters: 12 },
    { component: 'voice', provider: 'cartesia', model: 'sonic', tts_characters: 5 },
  ]);
});

test('a voice that fails in the middle of a reply leaves its characters to the one that ends it', async () => {
  const { providers, usage, clock, listeners } = providersWithout();
  await providers.synthesizer.open();
  providers.synthesizer.speak('a', 'Good morning.');
  await clock.advance(500);
  providers.replyStarted('a');
  listeners.at(-1)!({ type: 'failed', contextId: null, error: new ProviderError('cartesia', 'auth', 'no more') });
  await clock.advance(5_000);
  usage.tts_characters += 13;
  expect(providers.usageMeter.parts()).toEqual([
    { component: 'voice', provider: 'sarvam', model: 'bulbul', tts_characters: 13 },
  ]);
});

test('a call whose account is full at the welcome ends with the usage of the fallback', async () => {
  const tryAcquire = (account: string) => (account === 'cartesia' ? null : { release() {} });
  const call = startSingleCall({
    agent: { voice: AGENT.voice, transcriber: AGENT.transcriber, welcome_message: 'Good morning.' },
    permits: { ...unlimitedPermits(), tryAcquire },
  });
  for (let tick = 0; tick < 500; tick++) {
    await call.clock.advance(20);
    call.tick();
  }
  await call.close();
  const { ending } = call.emitted.find(({ type }) => type === 'call.ended')!.more;
  expect(JSON.parse(ending!.provider_usage_json!)).toContainEqual(
    expect.objectContaining({ component: 'voice', provider: 'sarvam', tts_characters: 13 }),
  );
});

test('without any permit the own voice speaks after a short wait, and its limit is reported as exceeded', async () => {
  const { providers, events, spokenBy, reply } = providersWithout('cartesia', 'sarvam-tts');
  await providers.synthesizer.open();
  for (const id of ['a', 'b']) await reply(id);
  expect(spokenBy).toEqual(['cartesia', 'cartesia']);
  expect(events.map(({ type, data }) => [type, data?.provider])).toEqual([['capacity.exceeded', 'cartesia']]);
});
