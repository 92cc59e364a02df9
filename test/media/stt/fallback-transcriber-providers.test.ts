import { afterEach, expect, test } from 'vitest';
import { type GeneralSimulator, startDeepgramGeneralSimulator } from '../../../fixtures/simulators/deepgram-general.ts';
import {
  type SarvamTranscriberSimulator,
  startSarvamTranscriberSimulator,
} from '../../../fixtures/simulators/sarvam-transcriber.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createDeepgram } from '../../../media/stt/deepgram.ts';
import {
  createFallbackTranscriber,
  type FallbackTranscriber,
  type TranscriberChoice,
} from '../../../media/stt/fallback-transcriber.ts';
import { createSarvam } from '../../../media/stt/sarvam.ts';
import type { TranscriberEvent } from '../../../media/stt/transcriber.ts';
import { type Clock, systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';

/** The chain over real sockets: what the second transcriber hears is all that the first had not settled. */

const SPEECH = new Uint8Array(160).map((_, i) => (i % 2 ? 0x10 : 0x90));
const SILENCE = new Uint8Array(160).fill(0xff);
const SENTENCE = 'a table for two on friday please';

let deepgram: GeneralSimulator;
let sarvam: SarvamTranscriberSimulator;
let chain: FallbackTranscriber;
let events: TranscriberEvent[];
let changes: string[];

afterEach(async () => {
  await chain.close();
  await deepgram.close();
  await sarvam.close();
  expect([...deepgram.violations, ...sarvam.violations]).toEqual([]);
});

interface Opened {
  /** The first provider's account is at its limit. */
  full?: boolean;
  /** What the providers transcribe. */
  text?: string;
  /** The call has this transcriber alone. */
  only?: string;
  clock?: Clock;
}

async function open({ full = false, text = SENTENCE, only, clock = patientClock }: Opened = {}): Promise<void> {
  const script = { utterances: () => ({ text, finalAfterMs: 20 }) };
  deepgram = await startDeepgramGeneralSimulator({ script });
  if (full) deepgram.faults.refuse = { status: 429 };
  sarvam = await startSarvamTranscriberSimulator({ script });
  events = [];
  changes = [];
  const log = createLogger('test', 'silent');
  const common = { apiKey: 'key', language: 'hi', endpointingMs: 300, clock, log };
  const permit = { release() {} };
  const choices: TranscriberChoice[] = [
    {
      name: { provider: 'deepgram', model: 'nova-3', language: 'hi' },
      account: 'deepgram',
      decidesTurns: false,
      create: (listener) =>
        createDeepgram({ ...common, model: 'nova-3', url: deepgram.url, input: MULAW_8K, listener }),
    },
    {
      name: { provider: 'sarvam', model: 'saaras:v3-realtime', language: 'hi' },
      account: 'sarvam',
      decidesTurns: false,
      create: (listener) =>
        createSarvam({ ...common, model: 'saaras:v3-realtime', url: sarvam.url, legFormat: MULAW_8K, listener }),
    },
  ];
  chain = createFallbackTranscriber({
    choices: choices.filter(({ name }) => name.provider === (only ?? name.provider)),
    inputFormat: MULAW_8K,
    permits: { tryAcquire: () => permit, acquire: async () => permit, reportRefusal: () => {} },
    clock,
    log,
    watch() {},
    listener: (event) => events.push(event),
    onFallback: ({ from, to }) => changes.push(`${from.provider} > ${to.provider}`),
    onCapacity: ({ from, to }) => changes.push(`${from.provider} > ${to?.provider} for capacity`),
    onActive: () => {},
  });
  await chain.open();
}

function send(frame: Uint8Array, ms: number): void {
  for (let sent = 0; sent < ms; sent += 20) chain.audio(frame);
}

const finals = () => events.flatMap((event) => (event.type === 'final' ? [event.text] : []));

test('a transcriber that breaks in the middle of a sentence costs no word', async () => {
  await open();
  send(SPEECH, 1_000);
  await until(() => events.some((event) => event.type === 'partial'));
  deepgram.connections[0]!.break();
  await until(() => changes.length === 1);
  send(SPEECH, 800);
  send(SILENCE, 400);
  chain.finalize();
  await until(() => finals().length === 1);
  expect(finals()).toEqual([SENTENCE]);
  expect(changes).toEqual(['deepgram > sarvam']);
  expect(sarvam.connections[0]!.receivedSamples).toBe(8 * 2_200);
});

test('a transcriber that falls silent in the middle of a sentence costs no word', async () => {
  // It is waited for until its deadline.
  await open({ clock: systemClock });
  chain.speech(true);
  send(SPEECH, 600);
  await until(() => events.some((event) => event.type === 'partial'));
  await until(() => deepgram.connections[0]!.receivedSamples === 8 * 600);
  deepgram.faults.silent = true;
  send(SPEECH, 1_200);
  send(SILENCE, 300);
  chain.finalize();
  // A call sends audio without a break.
  send(SILENCE, 1_500);
  await until(() => finals().length === 1);
  expect(finals()).toEqual([SENTENCE]);
  expect(changes).toEqual(['deepgram > sarvam']);
});

test('a full transcriber gives the call to the next', async () => {
  await open({ full: true });
  await until(() => changes.length === 1);
  await until(() => sarvam.connections.length === 1);
  send(SPEECH, 600);
  send(SILENCE, 400);
  chain.finalize();
  await until(() => finals().length === 1);
  expect(finals()).toEqual([SENTENCE]);
  expect(changes).toEqual(['deepgram > sarvam for capacity']);
});

test.each(['deepgram', 'sarvam'])('speech that %s has no words for, again and again, is no failure', async (only) => {
  await open({ text: '', only });
  for (let requests = 1; requests <= 6; requests++) {
    send(SPEECH, 1_000);
    send(SILENCE, 400);
    chain.finalize();
    await until(() => finals().length === requests);
  }
  expect(events.map(({ type }) => type)).toEqual(Array(6).fill('final'));
  expect(deepgram.connections.length + sarvam.connections.length).toBe(1);
});
