import { setImmediate as nextTick } from 'node:timers/promises';
import { audioFrame } from '../fixtures/simulators/azure-frame.ts';
import { startAzureSynthesizerSimulator } from '../fixtures/simulators/azure-synthesizer.ts';
import { startCartesiaSimulator } from '../fixtures/simulators/cartesia.ts';
import { startAuraSimulator } from '../fixtures/simulators/deepgram-aura.ts';
import { startElevenLabsSimulator } from '../fixtures/simulators/elevenlabs.ts';
import { startOpenAiSpeechSimulator } from '../fixtures/simulators/openai-speech.ts';
import { startSarvamSynthesizerSimulator } from '../fixtures/simulators/sarvam-synthesizer.ts';
import { MULAW_8K } from '../media/audio/format.ts';
import { createAzureSynthesizer } from '../media/tts/azure-speech.ts';
import { createCartesiaSynthesizer } from '../media/tts/cartesia.ts';
import { createDeepgramAura } from '../media/tts/deepgram-aura.ts';
import { createElevenLabsSynthesizer } from '../media/tts/elevenlabs.ts';
import { createOpenAiSynthesizer } from '../media/tts/openai.ts';
import { createSarvamSynthesizer } from '../media/tts/sarvam.ts';
import type { Synthesizer, SynthesizerListener } from '../media/tts/synthesizer.ts';
import { systemClock } from '../shared/clock.ts';
import { createLogger } from '../shared/log.ts';
import { DEFAULT_SYNTHESIZER_MODEL, type SynthesizerProvider } from '../shared/providers/registry.ts';
import { waitFor } from './wait-for.ts';

/**
 * Measures the overhead of the synthesizer adapters. Out: from a sentence at the adapter until the simulator has it. In: from the
 * simulator's write of 200 ms of audio until the adapter's event. Both sides run in this process on one clock; loopback and the
 * simulator's own work are included, so the real overhead is lower. `local` has no connection.
 */
export interface SynthesizerOverhead {
  provider: SynthesizerProvider;
  outMs: number[];
  inMs: number[];
}

/** A connection of a simulator. */
interface SimulatorConnection {
  messages: Record<string, unknown>[];
  raw(data: string | Buffer): void;
}

/** An adapter connected to its simulator. */
interface AdapterSetup {
  synthesizer: Synthesizer;
  connections: readonly SimulatorConnection[];
  /** Whether a message contains the sentence. */
  isText(message: Record<string, unknown>): boolean;
  /** Makes an audio message of 200 ms for the context of that message. */
  audioMessage(message: Record<string, unknown>): string | Buffer;
  /** The connection of the next sentence is open; left out: always. */
  isReady?(): boolean;
  /** A message after the audio, without which the next sentence would need a new connection. */
  end?: string;
  close(): Promise<void>;
}

type Start = (listener: SynthesizerListener) => Promise<AdapterSetup>;

const SENTENCE = 'Of course, your table for two is booked for seven. ';
const AUDIO = Buffer.alloc(1600, 0x7f);
const PCM_24K = Buffer.alloc(9_600);
const AUDIO_BASE64 = AUDIO.toString('base64');
const WARM_UP = 50;
const common = { apiKey: 'key', output: MULAW_8K, clock: systemClock, log: createLogger('bench', 'silent') };
/** Suppresses the simulator's own audio. */
const mute = { firstAudioMs: 3_600_000, msPerCharacter: 1 };

const SETUPS: Partial<Record<SynthesizerProvider, Start>> = {
  async elevenlabs(listener) {
    const simulator = await startElevenLabsSimulator({ ...mute, closeStops: true });
    const how = {
      ...common,
      voiceId: 'v',
      model: DEFAULT_SYNTHESIZER_MODEL.elevenlabs,
      language: 'hi',
      url: simulator.url,
    };
    return {
      synthesizer: createElevenLabsSynthesizer({ ...how, listener }),
      connections: simulator.connections,
      isText: (message) => message.text === SENTENCE,
      audioMessage: ({ context_id }) =>
        JSON.stringify({ audio: AUDIO_BASE64, isFinal: null, contextId: context_id, alignment: null }),
      close: () => simulator.close(),
    };
  },
  async cartesia(listener) {
    const simulator = await startCartesiaSimulator({ ...mute, cancelStops: true });
    const how = {
      ...common,
      voiceId: 'v',
      model: DEFAULT_SYNTHESIZER_MODEL.cartesia,
      language: 'hi',
      url: simulator.url,
    };
    return {
      synthesizer: createCartesiaSynthesizer({ ...how, listener }),
      connections: simulator.connections,
      isText: (message) => message.transcript === SENTENCE,
      audioMessage: ({ context_id }) =>
        JSON.stringify({ type: 'chunk', context_id, status_code: 206, done: false, data: AUDIO_BASE64 }),
      close: () => simulator.close(),
    };
  },
  async sarvam(listener) {
    const simulator = await startSarvamSynthesizerSimulator(mute);
    const how = { ...common, voiceId: '', model: DEFAULT_SYNTHESIZER_MODEL.sarvam, language: 'hi', url: simulator.url };
    return {
      synthesizer: createSarvamSynthesizer({ ...how, listener }),
      connections: simulator.connections,
      isText: (message) => message.type === 'text',
      audioMessage: () =>
        JSON.stringify({ type: 'audio', data: { content_type: 'audio/mulaw', audio: AUDIO_BASE64, request_id: 'q' } }),
      end: '{"type":"event","data":{"event_type":"final"}}',
      close: () => simulator.close(),
    };
  },
  async azure_speech(listener) {
    const simulator = await startAzureSynthesizerSimulator(mute);
    const how = { ...common, voiceId: 'hi-IN-SwaraNeural', model: DEFAULT_SYNTHESIZER_MODEL.azure_speech };
    return {
      synthesizer: createAzureSynthesizer({ ...how, language: 'hi', url: simulator.url, listener }),
      connections: simulator.connections,
      isText: ({ path }) => path === 'text.piece',
      audioMessage: ({ requestId }) => audioFrame(String(requestId), 'a1', AUDIO),
      close: () => simulator.close(),
    };
  },
  async openai(listener) {
    const simulator = await startOpenAiSpeechSimulator(mute);
    const how = { ...common, voiceId: 'coral', model: DEFAULT_SYNTHESIZER_MODEL.openai, url: simulator.url };
    return {
      synthesizer: createOpenAiSynthesizer({ ...how, listener }),
      connections: simulator.connections,
      isText: (message) => message.input === SENTENCE,
      audioMessage: () => PCM_24K,
      end: '',
      close: () => simulator.close(),
    };
  },
  async deepgram_aura(listener) {
    const simulator = await startAuraSimulator(mute);
    const how = { ...common, voiceId: 'aura-2-thalia-en', model: DEFAULT_SYNTHESIZER_MODEL.deepgram_aura };
    return {
      synthesizer: createDeepgramAura({ ...how, url: simulator.url, listener }),
      connections: simulator.connections,
      isText: (message) => message.type === 'Speak',
      audioMessage: () => AUDIO,
      end: '{"type":"Flushed","sequence_id":0}',
      // After 15 flushes the adapter replaces a connection, because the vendor allows 20 a minute.
      isReady: () => simulator.connections.some((each) => each.closeCode === null && each.flushesAtMs.length < 15),
      close: () => simulator.close(),
    };
  },
};

/** Measures every synthesizer with a connection, `rounds` times each. Throws when a round does not complete. */
export async function measureSynthesizers(rounds = 400): Promise<SynthesizerOverhead[]> {
  const measured: SynthesizerOverhead[] = [];
  for (const [provider, start] of Object.entries(SETUPS)) {
    measured.push(await measureSynthesizer(provider as SynthesizerProvider, start, rounds));
  }
  return measured;
}

async function measureSynthesizer(
  provider: SynthesizerProvider,
  start: Start,
  rounds: number,
): Promise<SynthesizerOverhead> {
  const overhead: SynthesizerOverhead = { provider, outMs: [], inMs: [] };
  let audioAt: number | null = null;
  const setup = await start((event) => {
    if (event.type === 'audio') audioAt ??= performance.now();
  });
  try {
    await setup.synthesizer.open();
    for (let round = -WARM_UP; round < rounds; round++) {
      if (setup.isReady) await waitFor(setup.isReady, `${provider} opened no connection`);
      const contextId = `reply${round}`;
      const saidAt = performance.now();
      setup.synthesizer.speak(contextId, SENTENCE);
      const { connection, message } = await arrival(setup);
      const arrivedAt = performance.now();
      const audio = setup.audioMessage(message);
      audioAt = null;
      const writtenAt = performance.now();
      connection.raw(audio);
      await waitFor(() => audioAt !== null, `${provider} told no audio in round ${round}`);
      if (round >= 0) {
        overhead.outMs.push(arrivedAt - saidAt);
        overhead.inMs.push(audioAt! - writtenAt);
      }
      if (setup.end !== undefined) connection.raw(setup.end);
      // Two iterations of the event loop for the last message and for the end of the context.
      await nextTick();
      await nextTick();
      setup.synthesizer.cancel(contextId);
      await nextTick();
    }
  } finally {
    await setup.synthesizer.close();
    await setup.close();
  }
  return overhead;
}

/** Waits for the sentence at the simulator; drops earlier messages. */
async function arrival(
  setup: AdapterSetup,
): Promise<{ connection: SimulatorConnection; message: Record<string, unknown> }> {
  let found: { connection: SimulatorConnection; message: Record<string, unknown> } | null = null;
  await waitFor(() => {
    for (const connection of setup.connections) {
      const message = connection.messages.find(setup.isText);
      if (message) found = { connection, message };
    }
    return found !== null;
  }, 'a sentence did not arrive');
  for (const connection of setup.connections) connection.messages.length = 0;
  return found!;
}
