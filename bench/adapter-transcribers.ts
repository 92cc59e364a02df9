import { startAssemblyAiSimulator } from '../fixtures/simulators/assemblyai.ts';
import { textFrame } from '../fixtures/simulators/azure-frame.ts';
import { startAzureTranscriberSimulator } from '../fixtures/simulators/azure-transcriber.ts';
import { startDeepgramSimulator } from '../fixtures/simulators/deepgram.ts';
import { startDeepgramGeneralSimulator } from '../fixtures/simulators/deepgram-general.ts';
import { startElevenLabsTranscriberSimulator } from '../fixtures/simulators/elevenlabs-transcriber.ts';
import { startOpenAiTranscriberSimulator } from '../fixtures/simulators/openai-transcriber.ts';
import { startSarvamTranscriberSimulator } from '../fixtures/simulators/sarvam-transcriber.ts';
import { startSonioxSimulator } from '../fixtures/simulators/soniox.ts';
import { MULAW_8K } from '../media/audio/format.ts';
import { createAssemblyAi } from '../media/stt/assemblyai.ts';
import { createAzureTranscriber } from '../media/stt/azure-speech.ts';
import { createDeepgram } from '../media/stt/deepgram.ts';
import { createDeepgramFlux } from '../media/stt/deepgram-flux.ts';
import { createElevenLabsTranscriber } from '../media/stt/elevenlabs.ts';
import { createOpenAiTranscriber } from '../media/stt/openai.ts';
import { createSarvam } from '../media/stt/sarvam.ts';
import { createSoniox } from '../media/stt/soniox.ts';
import type { Transcriber, TranscriberListener } from '../media/stt/transcriber.ts';
import { systemClock } from '../shared/clock.ts';
import { createLogger } from '../shared/log.ts';
import { DEFAULT_TRANSCRIBER_MODEL, type TranscriberProvider } from '../shared/providers/registry.ts';
import { measureRounds, nowMs, type Overhead, type ProviderEnd } from './adapter-provider.ts';
import { waitFor } from './wait-for.ts';

/**
 * Measures the overhead of the transcriber adapters. Out: from 20 ms of audio at the adapter until the simulator has it. In: from
 * the simulator's write of a text until the adapter's event. The simulator runs on a thread of its own; loopback is included.
 * `local` has no connection.
 */
export interface TranscriberOverhead extends Overhead {
  provider: TranscriberProvider;
}

/** What a provider's thread does with its simulator. */
interface Simulated {
  url: string;
  connections: readonly { receivedChunks: number }[];
  /** Sends a transcript that differs from the previous one. */
  write(words: string): void;
  close(): Promise<void>;
}

interface Setup {
  simulate(): Promise<Simulated>;
  adapter(url: string, listener: TranscriberListener): Transcriber;
  /** Audio that is sent at once, where that is more than a frame of the call. */
  frame?: Uint8Array;
}

const common = { apiKey: 'key', clock: systemClock, log: createLogger('bench', 'silent') };
const general = { ...common, language: 'hi', endpointingMs: 300 };
const silent = { utterances: [] };
const json = (connection: { raw(data: string): void } | undefined, message: object) =>
  connection!.raw(JSON.stringify(message));

const SETUPS: Partial<Record<TranscriberProvider, Setup>> = {
  deepgram_flux: {
    async simulate() {
      const simulator = await startDeepgramSimulator({ script: { turns: [] } });
      return {
        ...simulator,
        write(transcript) {
          const words = transcript.split(' ').map((word) => ({ word, confidence: 0.9 }));
          simulator.connections[0]!.message({ type: 'TurnInfo', event: 'Update', turn_index: 0, transcript, words });
        },
      };
    },
    adapter: (url, listener) =>
      createDeepgramFlux({
        ...{ ...common, model: DEFAULT_TRANSCRIBER_MODEL.deepgram_flux, turnDetection: 'balanced' },
        ...{ input: MULAW_8K, url, listener },
      }),
  },
  deepgram: {
    async simulate() {
      const simulator = await startDeepgramGeneralSimulator({ script: silent });
      return {
        ...simulator,
        write(transcript) {
          const words = transcript.split(' ').map((word) => ({ word, start: 0, end: 1, confidence: 0.9 }));
          const channel = { alternatives: [{ transcript, confidence: 0.9, words }] };
          const message = { type: 'Results', start: 0, duration: 1, is_final: false, speech_final: false, channel };
          json(simulator.connections[0], message);
        },
      };
    },
    adapter: (url, listener) =>
      createDeepgram({ ...general, model: DEFAULT_TRANSCRIBER_MODEL.deepgram, input: MULAW_8K, url, listener }),
  },
  sarvam: {
    async simulate() {
      const simulator = await startSarvamTranscriberSimulator({ script: silent });
      const write = (text: string) =>
        json(simulator.connections[0], { event: 'transcript.partial', utterance_idx: 0, text });
      return { ...simulator, write };
    },
    adapter: (url, listener) =>
      createSarvam({ ...general, model: DEFAULT_TRANSCRIBER_MODEL.sarvam, legFormat: MULAW_8K, url, listener }),
  },
  soniox: {
    async simulate() {
      const simulator = await startSonioxSimulator({ script: silent });
      const write = (text: string) => json(simulator.connections[0], { tokens: [{ text, is_final: false }] });
      return { ...simulator, write };
    },
    adapter: (url, listener) =>
      createSoniox({ ...general, model: DEFAULT_TRANSCRIBER_MODEL.soniox, input: MULAW_8K, url, listener }),
  },
  assemblyai: {
    async simulate() {
      // The vendor ends a session whose audio is 20 s ahead of the time: here the rounds follow at once.
      const clock = { ...systemClock, now: () => systemClock.now() * 1_000 };
      const simulator = await startAssemblyAiSimulator({ script: silent, clock });
      const write = (transcript: string) =>
        json(simulator.connections[0], { type: 'Turn', turn_order: 0, end_of_turn: false, transcript, words: [] });
      return { ...simulator, write };
    },
    adapter: (url, listener) =>
      createAssemblyAi({ ...general, model: DEFAULT_TRANSCRIBER_MODEL.assemblyai, legFormat: MULAW_8K, url, listener }),
    frame: new Uint8Array(400).fill(0xff),
  },
  openai: {
    async simulate() {
      const simulator = await startOpenAiTranscriberSimulator({ script: silent });
      let item = 0;
      return {
        ...simulator,
        url: `${simulator.url}/v1`,
        write(transcript) {
          const item_id = `item ${item++}`;
          const [connection] = simulator.connections;
          json(connection, { type: 'input_audio_buffer.committed', item_id });
          json(connection, { type: 'conversation.item.input_audio_transcription.completed', transcript, item_id });
        },
      };
    },
    adapter: (url, listener) =>
      createOpenAiTranscriber({
        ...general,
        model: DEFAULT_TRANSCRIBER_MODEL.openai,
        legFormat: MULAW_8K,
        url,
        listener,
      }),
  },
  azure_speech: {
    async simulate() {
      const simulator = await startAzureTranscriberSimulator({ script: silent });
      return {
        ...simulator,
        write(text) {
          const [connection] = simulator.connections;
          const requestId = /X-RequestId: (\w+)/.exec(connection!.texts[0] ?? '')?.[1] ?? '';
          connection!.raw(textFrame('speech.hypothesis', requestId, { Text: text, Offset: 0, Duration: 1 }));
        },
      };
    },
    adapter: (url, listener) =>
      createAzureTranscriber({
        ...{ ...general, model: DEFAULT_TRANSCRIBER_MODEL.azure_speech, legFormat: MULAW_8K, url, listener },
      }),
  },
  elevenlabs: {
    async simulate() {
      const simulator = await startElevenLabsTranscriberSimulator({ script: silent });
      const write = (text: string) => json(simulator.connections[0], { message_type: 'partial_transcript', text });
      return { ...simulator, write };
    },
    adapter: (url, listener) =>
      createElevenLabsTranscriber({
        ...{ ...general, model: DEFAULT_TRANSCRIBER_MODEL.elevenlabs, legFormat: MULAW_8K, url, listener },
      }),
  },
};

/** The providers, for their threads. */
export const TRANSCRIBER_PROVIDERS = Object.fromEntries(
  Object.entries(SETUPS).map(([provider, { simulate }]) => [provider, async () => endOf(await simulate())]),
);

function endOf({ url, connections, write, close }: Simulated): ProviderEnd {
  const received = () => connections[0]?.receivedChunks ?? 0;
  return {
    url,
    close,
    async answer(round) {
      const before = received();
      await waitFor(() => received() !== before, 'no audio came');
      const arrivedMs = nowMs();
      write(`${SENTENCE} ${round}`);
      return { arrivedMs, writtenMs: arrivedMs };
    },
  };
}

const FRAME = new Uint8Array(160).fill(0xff);
/** A typical sentence; the number makes it unique. */
const SENTENCE = 'I would like to book a table for two people on friday evening at half past seven please, number';

/** Measures every adapter with a connection, `rounds` frames and texts each. */
export async function measureTranscribers(rounds = 400): Promise<TranscriberOverhead[]> {
  const measured: TranscriberOverhead[] = [];
  for (const [provider, { adapter, frame = FRAME }] of Object.entries(SETUPS)) {
    const overhead = await measureRounds('transcriber', provider, rounds, async ({ url }, received) => {
      const transcriber = adapter(url, (event) => {
        if (event.type === 'failed') throw event.error;
        received();
      });
      await transcriber.open();
      return { ask: () => transcriber.audio(frame), close: () => transcriber.close() };
    });
    measured.push({ provider: provider as TranscriberProvider, ...overhead });
  }
  return measured;
}
