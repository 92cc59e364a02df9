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
import { measureRounds, nowMs, type Overhead, type ProviderEnd } from './adapter-provider.ts';
import { waitFor } from './wait-for.ts';

/**
 * Measures the overhead of the synthesizer adapters. Out: from a sentence at the adapter until the simulator has it. In: from the
 * simulator's write of 200 ms of audio until the adapter's event. The simulator runs on a thread of its own; loopback is
 * included. `local` has no connection.
 */
export interface SynthesizerOverhead extends Overhead {
  provider: SynthesizerProvider;
}

/** A connection of a simulator. */
interface SimulatorConnection {
  messages: Record<string, unknown>[];
  raw(data: string | Buffer): void;
}

/** What a provider's thread does with its simulator. */
interface Simulated {
  url: string;
  connections: readonly SimulatorConnection[];
  /** Whether a message contains the sentence. */
  isText(message: Record<string, unknown>): boolean;
  /** Makes an audio message of 200 ms for the context of that message. */
  audioMessage(message: Record<string, unknown>): string | Buffer;
  /** The connection of the next sentence is open, after that of the last; left out: always. */
  isReady?(last: SimulatorConnection | undefined): boolean;
  /** A message after the audio, without which the next sentence would need a new connection. */
  end?: string;
  close(): Promise<void>;
}

interface Setup {
  simulate(): Promise<Simulated>;
  adapter(url: string, listener: SynthesizerListener): Synthesizer;
}

const SENTENCE = 'Of course, your table for two is booked for seven. ';
const AUDIO = Buffer.alloc(1600, 0x7f);
const PCM_24K = Buffer.alloc(9_600);
const AUDIO_BASE64 = AUDIO.toString('base64');
const common = { apiKey: 'key', output: MULAW_8K, clock: systemClock, log: createLogger('bench', 'silent') };
/** Suppresses the simulator's own audio. */
const mute = { firstAudioMs: 3_600_000, msPerCharacter: 1 };

const SETUPS: Partial<Record<SynthesizerProvider, Setup>> = {
  elevenlabs: {
    simulate: async () => ({
      ...(await startElevenLabsSimulator({ ...mute, closeStops: true })),
      isText: (message) => message.text === SENTENCE,
      audioMessage: ({ context_id }) =>
        JSON.stringify({ audio: AUDIO_BASE64, isFinal: null, contextId: context_id, alignment: null }),
    }),
    adapter: (url, listener) => {
      const how = { ...common, voiceId: 'v', model: DEFAULT_SYNTHESIZER_MODEL.elevenlabs, language: 'hi' };
      return createElevenLabsSynthesizer({ ...how, url, listener });
    },
  },
  cartesia: {
    simulate: async () => ({
      ...(await startCartesiaSimulator({ ...mute, cancelStops: true })),
      isText: (message) => message.transcript === SENTENCE,
      audioMessage: ({ context_id }) =>
        JSON.stringify({ type: 'chunk', context_id, status_code: 206, done: false, data: AUDIO_BASE64 }),
    }),
    adapter: (url, listener) => {
      const how = { ...common, voiceId: 'v', model: DEFAULT_SYNTHESIZER_MODEL.cartesia, language: 'hi' };
      return createCartesiaSynthesizer({ ...how, url, listener });
    },
  },
  sarvam: {
    simulate: async () => ({
      ...(await startSarvamSynthesizerSimulator(mute)),
      isText: (message) => message.type === 'text',
      audioMessage: () =>
        JSON.stringify({ type: 'audio', data: { content_type: 'audio/mulaw', audio: AUDIO_BASE64, request_id: 'q' } }),
      end: '{"type":"event","data":{"event_type":"final"}}',
    }),
    adapter: (url, listener) => {
      const how = { ...common, voiceId: '', model: DEFAULT_SYNTHESIZER_MODEL.sarvam, language: 'hi' };
      return createSarvamSynthesizer({ ...how, url, listener });
    },
  },
  azure_speech: {
    async simulate() {
      const simulator = await startAzureSynthesizerSimulator(mute);
      return {
        ...simulator,
        isText: ({ path }) => path === 'text.piece',
        audioMessage: ({ requestId }) => audioFrame(String(requestId), 'a1', AUDIO),
        // A reply that is cancelled takes its connection with it.
        isReady: (last) => simulator.connections.some((each) => each.closeCode === null && each !== last),
      };
    },
    adapter: (url, listener) => {
      const how = { ...common, voiceId: 'hi-IN-SwaraNeural', model: DEFAULT_SYNTHESIZER_MODEL.azure_speech };
      return createAzureSynthesizer({ ...how, language: 'hi', url, listener });
    },
  },
  openai: {
    simulate: async () => ({
      ...(await startOpenAiSpeechSimulator(mute)),
      isText: (message) => message.input === SENTENCE,
      audioMessage: () => PCM_24K,
      end: '',
    }),
    adapter: (url, listener) => {
      const how = { ...common, voiceId: 'coral', model: DEFAULT_SYNTHESIZER_MODEL.openai };
      return createOpenAiSynthesizer({ ...how, url, listener });
    },
  },
  deepgram_aura: {
    async simulate() {
      const simulator = await startAuraSimulator(mute);
      return {
        ...simulator,
        isText: (message) => message.type === 'Speak',
        audioMessage: () => AUDIO,
        end: '{"type":"Flushed","sequence_id":0}',
        // After 15 flushes the adapter replaces a connection, because the vendor allows 20 a minute.
        isReady: () => simulator.connections.some((each) => each.closeCode === null && each.flushesAtMs.length < 15),
      };
    },
    adapter: (url, listener) => {
      const how = { ...common, voiceId: 'aura-2-thalia-en', model: DEFAULT_SYNTHESIZER_MODEL.deepgram_aura };
      return createDeepgramAura({ ...how, url, listener });
    },
  },
};

/** The providers, for their threads. */
export const SYNTHESIZER_PROVIDERS = Object.fromEntries(
  Object.entries(SETUPS).map(([provider, { simulate }]) => [provider, async () => endOf(await simulate())]),
);

function endOf({ url, connections, isText, audioMessage, isReady, end, close }: Simulated): ProviderEnd {
  let asked: SimulatorConnection | undefined;
  return {
    url,
    ...(isReady && { isReady: () => isReady(asked) }),
    close,
    async answer() {
      let message: Record<string, unknown> | undefined;
      await waitFor(() => {
        asked = connections.find(({ messages }) => messages.some(isText));
        message = asked?.messages.find(isText);
        return message !== undefined;
      }, 'a sentence did not arrive');
      const arrivedMs = nowMs();
      for (const { messages } of connections) messages.length = 0;
      const audio = audioMessage(message!);
      const writtenMs = nowMs();
      asked!.raw(audio);
      return { arrivedMs, writtenMs };
    },
    finish() {
      if (end !== undefined) asked!.raw(end);
    },
  };
}

/** Measures every synthesizer with a connection, `rounds` times each. Throws when a round does not complete. */
export async function measureSynthesizers(rounds = 400): Promise<SynthesizerOverhead[]> {
  const measured: SynthesizerOverhead[] = [];
  for (const [provider, { adapter }] of Object.entries(SETUPS)) {
    const overhead = await measureRounds('synthesizer', provider, rounds, async ({ url }, received) => {
      const synthesizer = adapter(url, ({ type }) => {
        if (type === 'audio') received();
      });
      await synthesizer.open();
      return {
        ask: (round) => synthesizer.speak(`reply${round}`, SENTENCE),
        async done(round) {
          // Two iterations of the event loop for the last message and for the end of the context.
          await nextTick();
          await nextTick();
          synthesizer.cancel(`reply${round}`);
          await nextTick();
        },
        close: () => synthesizer.close(),
      };
    });
    measured.push({ provider: provider as SynthesizerProvider, ...overhead });
  }
  return measured;
}
