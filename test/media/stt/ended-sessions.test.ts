import { afterEach, expect, test } from 'vitest';
import { startAssemblyAiSimulator } from '../../../fixtures/simulators/assemblyai.ts';
import { startElevenLabsTranscriberSimulator } from '../../../fixtures/simulators/elevenlabs-transcriber.ts';
import { startOpenAiTranscriberSimulator } from '../../../fixtures/simulators/openai-transcriber.ts';
import { startSonioxSimulator } from '../../../fixtures/simulators/soniox.ts';
import type { SimulatedTranscriber } from '../../../fixtures/simulators/transcriber-server.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createAssemblyAi } from '../../../media/stt/assemblyai.ts';
import { createElevenLabsTranscriber } from '../../../media/stt/elevenlabs.ts';
import { createFallbackTranscriber, type FallbackTranscriber } from '../../../media/stt/fallback-transcriber.ts';
import { createOpenAiTranscriber } from '../../../media/stt/openai.ts';
import { createSoniox, sonioxConfig } from '../../../media/stt/soniox.ts';
import { createSonioxProtocol } from '../../../media/stt/soniox-protocol.ts';
import { createStreamingTranscriber } from '../../../media/stt/streaming-transcriber.ts';
import type { Transcriber, TranscriberEvent, TranscriberListener } from '../../../media/stt/transcriber.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';
import { SILENCE, SPEECH } from './cloud-call.ts';

/** Sessions that end, by the provider's hand or by ours, over real sockets: no word is lost. */

const SENTENCE = 'a table for two on friday please';
const script = { utterances: () => ({ text: SENTENCE, finalAfterMs: 1 }) };
const common = { apiKey: 'key', language: 'hi', clock: patientClock, log: createLogger('test', 'silent') };

let simulator: SimulatedTranscriber;
let transcriber: Transcriber;
afterEach(async () => {
  await transcriber.close();
  await simulator.close();
  expect(simulator.violations).toEqual([]);
});

function say(frame: Uint8Array, ms: number): void {
  for (let sent = 0; sent < ms; sent += 20) transcriber.audio(frame);
}

interface Ending {
  start(options: { script: typeof script }): Promise<SimulatedTranscriber>;
  create(url: string, listener: TranscriberListener): Transcriber;
  /** The provider's last message, and the code of its close. */
  last: object;
  code: number;
}

const ENDINGS: Record<string, Ending> = {
  soniox: {
    start: startSonioxSimulator,
    create: (url, listener) => createSoniox({ ...common, url, listener, model: 'stt-rt-v5', input: MULAW_8K }),
    last: { tokens: [], error_code: 503, error_message: 'Cannot continue request (code 1).' },
    code: 1000,
  },
  elevenlabs: {
    start: startElevenLabsTranscriberSimulator,
    create: (url, listener) =>
      createElevenLabsTranscriber({ ...common, url, listener, model: 'scribe_v2_realtime', legFormat: MULAW_8K }),
    last: { message_type: 'session_time_limit_exceeded', error: 'x' },
    code: 1000,
  },
  assemblyai: {
    start: startAssemblyAiSimulator,
    create: (url, listener) =>
      createAssemblyAi({ ...common, url, listener, model: 'universal-3-5-pro', legFormat: MULAW_8K }),
    last: { type: 'Error', error_code: 3008, error: 'Session expired' },
    code: 3008,
  },
  openai: {
    start: startOpenAiTranscriberSimulator,
    create: (url, listener) =>
      createOpenAiTranscriber({
        ...{ ...common, url: `${url}/v1`, listener, model: 'gpt-live-transcribe', legFormat: MULAW_8K },
      }),
    last: { type: 'error', error: { type: 'invalid_request_error', code: 'session_expired', message: 'x' } },
    code: 1001,
  },
};

test.each(Object.entries(ENDINGS))('%s ends a session in the middle of a sentence', async (provider, ending) => {
  simulator = await ending.start({ script });
  const events: TranscriberEvent[] = [];
  const permit = { release() {} };
  const chain: FallbackTranscriber = createFallbackTranscriber({
    choices: [
      {
        ...{ name: { provider, model: 'm', language: 'hi' }, account: provider, decidesTurns: false },
        create: (listener) => ending.create(simulator.url, listener),
      },
    ],
    permits: { tryAcquire: () => permit, acquire: async () => permit, reportRefusal() {} },
    ...{ inputFormat: MULAW_8K, clock: patientClock, log: common.log },
    ...{ listener: (event) => events.push(event), watch() {}, onFallback() {}, onCapacity() {}, onActive() {} },
  });
  transcriber = chain;
  await chain.open();
  say(SPEECH, 1_000);
  await until(() => events.some(({ type }) => type === 'partial'));
  simulator.connections[0]!.raw(JSON.stringify(ending.last));
  simulator.connections[0]!.break(ending.code);
  await until(() => simulator.connections.length === 2);
  say(SPEECH, 800);
  say(SILENCE, 400);
  chain.finalize();
  await until(() => events.some(({ type }) => type === 'final'));
  expect(events.filter(({ type }) => type !== 'partial')).toEqual([{ type: 'final', turn: 0, text: SENTENCE }]);
});

test('a session that is old is replaced by the next, and turns go on', async () => {
  simulator = await startSonioxSimulator({ script });
  const finals: [number, string][] = [];
  const options = { ...common, url: simulator.url, model: 'stt-rt-v5', input: MULAW_8K };
  const config = sonioxConfig({ ...options, listener: () => {} });
  transcriber = createStreamingTranscriber({
    ...options,
    provider: 'soniox',
    decidesTurns: false,
    socket: { url: `${simulator.url}/transcribe-websocket`, headers: { Authorization: 'Bearer key' } },
    handshake: 'after_audio',
    maxSilentSpeechMs: 5_000,
    renewAfterMs: 100,
    closeMessage: '',
    protocol: (connection) => createSonioxProtocol(connection, config, MULAW_8K, patientClock),
    listener: (event) => {
      if (event.type === 'final') finals.push([event.turn, event.text]);
    },
  });
  await transcriber.open();
  for (const turn of [0, 1]) {
    say(SPEECH, 600);
    transcriber.finalize();
    await until(() => finals.length === turn + 1);
    await until(() => simulator.connections[turn]!.closeCode !== null);
  }
  expect(finals).toEqual([
    [0, SENTENCE],
    [1, SENTENCE],
  ]);
});
