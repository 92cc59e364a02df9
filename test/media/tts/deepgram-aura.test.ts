import { afterEach, expect, test } from 'vitest';
import { type AuraSimulatorOptions, startAuraSimulator } from '../../../fixtures/simulators/deepgram-aura.ts';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import { auraAddress, auraCloseFailure, createDeepgramAura } from '../../../media/tts/deepgram-aura.ts';
import type { CloudSynthesizerOptions } from '../../../media/tts/streaming-synthesizer.ts';
import type { SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { createLogger } from '../../../shared/log.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const VOICE = { voiceId: 'aura-2-thalia-en', model: 'aura-2', apiKey: 'key', output: MULAW_8K };

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

/** The adapter on a virtual clock, the simulator on the real one, where it speaks at once. */
async function start(simulated: AuraSimulatorOptions = {}, options: Partial<CloudSynthesizerOptions> = {}) {
  const simulator = await startAuraSimulator({ firstAudioMs: 1, realtimeFactor: 5_000, apiKey: 'key', ...simulated });
  const clock = createVirtualClock();
  const events: SynthesizerEvent[] = [];
  const synthesizer = createDeepgramAura({
    ...{ ...VOICE, url: simulator.url, clock, log: createLogger('test', 'silent') },
    listener: (event) => events.push(event.type === 'audio' ? { ...event, bytes: event.bytes.slice() } : event),
    ...options,
  });
  close = async () => {
    await synthesizer.close();
    await simulator.close();
    expect(simulator.violations).toEqual([]);
  };
  const settled = async () => {
    const open = simulator.connections.filter(({ closeCode }) => closeCode === null);
    await Promise.all(open.map((connection) => connection.roundTrip()));
  };
  return {
    ...{ simulator, clock, synthesizer, events, settled },
    texts: () => simulator.connections.flatMap(({ messages }) => messages.flatMap(({ text }) => text ?? [])),
    audioMs: (id: string) =>
      events.reduce(
        (sum, event) => sum + (event.type === 'audio' && event.contextId === id ? event.bytes.length / 8 : 0),
        0,
      ),
    done: (id: string) => () => events.some((event) => event.type === 'done' && event.contextId === id),
    /** Time passes on connections that answer. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 4_000) {
        await clock.advance(4_000);
        await settled();
      }
    },
  };
}

test('asks for the voice in the format of the call', () => {
  const address = (options: Partial<CloudSynthesizerOptions>) =>
    new URL(auraAddress({ url: 'wss://api.example/', ...VOICE, ...options })).searchParams.toString();
  expect(address({})).toBe('model=aura-2-thalia-en&encoding=mulaw&sample_rate=8000');
  expect(address({ output: PCM_16K, speed: 9 })).toBe(
    'model=aura-2-thalia-en&encoding=linear16&sample_rate=16000&speed=1.5',
  );
  expect(address({ voiceId: 'aura-2-julius-de', speed: 1.2 })).not.toContain('speed');
});

const IPA = [
  { word: 'Siobhan', say: 'shivawn', ipa: 'ʃɪˈvɔːn' },
  { word: 'New Delhi', say: '', ipa: 'njuː ˈdɛli' },
  { word: 'B2B', say: 'bee to bee', ipa: 'ˌbiːtəˈbiː' },
];

test.each([
  [
    'English',
    'aura-2-thalia-en',
    'shivawn in New Delhi. ',
    '\\{"word": "shivawn", "pronounce": "ʃɪˈvɔːn"\\} in \\{"word": "New", "pronounce": "njuː"\\} \\{"word": "Delhi", "pronounce": "ˈdɛli"\\}. ',
  ],
  ['another language', 'aura-2-julius-de', 'shivawn. ', 'shivawn. '],
  ['a phrase of other words', 'aura-2-thalia-en', 'bee to bee. ', 'bee to bee. '],
  ['a text that would be too long', 'aura-2-thalia-en', `shivawn${' a'.repeat(990)} `, `shivawn${' a'.repeat(990)} `],
])('IPA in %s', async (_, voiceId, text, sent) => {
  const call = await start({}, { voiceId, pronunciations: IPA });
  await call.synthesizer.open();
  call.synthesizer.speak('a', text);
  call.synthesizer.end('a');
  await until(call.done('a'));
  expect(call.texts()).toEqual([sent]);
});

test('speaks the first segment at once, and collects the rest while it plays', async () => {
  const call = await start();
  await call.synthesizer.open();
  for (const word of ['This is the first sentence, of more than three seconds. ', 'Two. ', 'Three. ']) {
    call.synthesizer.speak('a', word);
  }
  call.synthesizer.end('a');
  await until(() => call.audioMs('a') > 3_000);
  await call.settled();
  expect(call.texts()).toHaveLength(1);
  await call.clock.advance(700);
  await until(call.done('a'));
  expect(call.texts()).toEqual(['This is the first sentence, of more than three seconds. ', 'Two. Three. ']);
});

test('never flushes more often than the vendor allows', async () => {
  const call = await start({ msPerCharacter: 1 });
  await call.synthesizer.open();
  for (let count = 0; count < 22; count++) {
    call.synthesizer.speak('a', `Sentence ${count}. `);
    await until(() => call.simulator.connections[0]?.spokenFlushes === Math.min(20, count + 1));
    await call.settled();
  }
  call.synthesizer.end('a');
  expect(call.texts()).toHaveLength(20);
  // The vendor's minute is real, and over by then.
  call.simulator.connections[0]!.flushesAtMs.length = 0;
  await call.pass(60_000);
  await until(call.done('a'));
  expect(call.texts().at(-1)).toBe('Sentence 20. Sentence 21. ');
});

test('a reply that is cut off is cleared, and the next one has its connection without the rest of it', async () => {
  const call = await start({ realtimeFactor: 10 });
  await call.synthesizer.open();
  call.synthesizer.speak('a', 'A sentence that is cut off before it has come to its end. ');
  await until(() => call.audioMs('a') > 0);
  call.synthesizer.cancel('a');
  call.synthesizer.speak('b', 'Yes. ');
  call.synthesizer.end('b');
  await until(call.done('b'));
  expect(call.audioMs('b')).toBeCloseTo(5 * 65);
  expect(call.simulator.connections).toHaveLength(1);
});

test('a connection is replaced before its hour is over', async () => {
  const call = await start();
  await call.synthesizer.open();
  await call.pass(55 * 60_000);
  await until(() => call.simulator.connections[0]!.closeCode !== null);
  call.synthesizer.speak('a', 'Still here. ');
  call.synthesizer.end('a');
  await until(call.done('a'));
  expect(call.simulator.connections).toHaveLength(2);
});

test('a flush that the vendor did not take fails the reply, so that another voice speaks it', async () => {
  const call = await start();
  await call.synthesizer.open();
  call.simulator.faults.silent = true;
  call.synthesizer.speak('a', 'Hello. ');
  await call.settled();
  call.simulator.connections[0]!.raw('{"type":"Warning","code":"X","description":"Flush ignored"}');
  await until(() => call.events.length > 0);
  expect(call.events).toMatchObject([{ type: 'failed', contextId: 'a', error: { kind: 'capacity' } }]);
});

test.each([
  ['DATA-0001: too much', 'capacity'],
  ['NET-0003', 'unavailable'],
  ['DATA-0000', undefined],
])('a close with the reason %s means %s', (reason, kind) => {
  expect(auraCloseFailure(1008, reason)).toBe(kind);
});
