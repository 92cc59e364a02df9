import { afterEach, expect, test } from 'vitest';
import {
  type AzureTranscriberSimulatorOptions,
  startAzureTranscriberSimulator,
} from '../../../fixtures/simulators/azure-transcriber.ts';
import {
  azureSpeechContext,
  azureTranscriberAddress,
  createAzureTranscriber,
} from '../../../media/stt/azure-speech.ts';
import { until } from '../../support/until.ts';
import { type CloudCall, cloudCall, SILENCE, SPEECH } from './cloud-call.ts';

let call: CloudCall | undefined;
afterEach(async () => {
  await call?.close();
  expect(call?.simulator.violations ?? []).toEqual([]);
  call = undefined;
});

async function open(options: Partial<AzureTranscriberSimulatorOptions> = {}): Promise<CloudCall> {
  const utterances = ['Book a table.', 'For two, please.', 'Thanks.'].map((text) => ({ text, finalAfterMs: 5 }));
  const simulator = await startAzureTranscriberSimulator({ script: { utterances }, apiKey: 'key', ...options });
  call = await cloudCall(simulator, ({ input, ...common }) =>
    createAzureTranscriber({ ...common, model: 'conversation', legFormat: input }),
  );
  return call;
}
const texts = ({ finals }: CloudCall) => finals().map(([, text]) => text);

test('final words come when the audio ends, and the next ones in a request of their own', async () => {
  const { say, transcriber, connection } = await open();
  for (const count of [1, 2]) {
    say(SPEECH, 600);
    say(SILENCE, 300);
    transcriber.finalize();
    await until(() => texts(call!).length === count);
  }
  expect(call!.finals()).toEqual([
    [0, 'Book a table.'],
    [1, 'For two, please.'],
  ]);
  const requests = connection.texts.flatMap(
    (raw) => /Path: speech\.context\r\nX-RequestId: (\w+)/.exec(raw)?.[1] ?? [],
  );
  expect(new Set(requests).size).toBe(2);
});

test('what is said while a request comes to its end is not lost', async () => {
  const { say, transcriber, simulator } = await open();
  simulator.faults.delayMs = 50;
  say(SPEECH, 600);
  say(SILENCE, 300);
  transcriber.finalize();
  say(SPEECH, 600);
  say(SILENCE, 300);
  transcriber.finalize();
  await until(() => texts(call!).length === 2);
  expect(texts(call!)).toEqual(['Book a table.', 'For two, please.']);
});

test('a pause in which the vendor makes words final itself ends no request', async () => {
  const { say, transcriber } = await open();
  say(SPEECH, 600);
  say(SILENCE, 1_400);
  await until(() => texts(call!).length === 1);
  transcriber.finalize();
  await until(() => texts(call!).length === 2);
  expect(texts(call!)).toEqual(['Book a table.', '']);
});

test('without any audio there are no words', async () => {
  const { transcriber } = await open();
  transcriber.finalize();
  expect(texts(call!)).toEqual(['']);
});

test('a status that is no phrase is a failure of its kind', async () => {
  const { say, connection, events } = await open();
  say(SPEECH, 100);
  await until(() => connection.receivedChunks > 0);
  const requestId = /X-RequestId: (\w+)/.exec(connection.texts[0]!)![1]!;
  connection.raw(`X-RequestId:${requestId}\r\nPath:speech.phrase\r\n\r\n{"RecognitionStatus":"TooManyRequests"}`);
  await until(() => events.some((event) => event.type === 'failed'));
  expect(events.at(-1)).toMatchObject({ type: 'failed', error: { kind: 'capacity' } });
});

test.each([
  ['hi', 'hi-IN'],
  ['en-IN', 'en-IN'],
  ['hi-en', 'hi-IN'],
  ['ta,en', 'ta-IN'],
])('the language %s is the locale %s', (language, locale) => {
  const address = new URL(azureTranscriberAddress({ url: 'wss://x.example', language }));
  expect(address.searchParams.get('language')).toBe(locale);
});

test('a language that is not offered is refused, not taken for English', () => {
  expect(() => azureTranscriberAddress({ url: 'wss://x.example', language: 'multi' })).toThrow('multi');
});

test('expected words are a list of phrases', () => {
  expect(azureSpeechContext([' Antiphon ', ''])).toMatchObject({
    dgi: { Groups: [{ Type: 'Generic', Items: [{ Text: 'Antiphon' }] }] },
  });
});
