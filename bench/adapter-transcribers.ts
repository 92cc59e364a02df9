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
import type { Transcriber, TranscriberEvent, TranscriberListener } from '../media/stt/transcriber.ts';
import { systemClock } from '../shared/clock.ts';
import { createLogger } from '../shared/log.ts';
import { DEFAULT_TRANSCRIBER_MODEL, type TranscriberProvider } from '../shared/providers/registry.ts';
import { waitFor } from './wait-for.ts';

/**
 * Measures the overhead of the transcriber adapters. Out: from 20 ms of audio at the adapter until the simulator has it. In: from
 * the simulator's write of a text until the adapter's event. Both sides run in this process on one clock; loopback and the
 * simulator's own work are included, so the real overhead is lower. `local` has no connection.
 */
export interface TranscriberOverhead {
  provider: TranscriberProvider;
  outMs: number[];
  inMs: number[];
}

/** An adapter connected to its simulator. */
interface AdapterSetup {
  transcriber: Transcriber;
  receivedChunks(): number;
  /** Audio that is sent at once, where that is more than a frame of the call. */
  frame?: Uint8Array;
  /** Sends a transcript that differs from the previous one. */
  write(words: string): void;
  close(): Promise<void>;
}

type Start = (listener: TranscriberListener) => Promise<AdapterSetup>;

const common = { apiKey: 'key', clock: systemClock, log: createLogger('bench', 'silent') };
const general = { ...common, language: 'hi', endpointingMs: 300 };
const silent = { utterances: [] };

const SETUPS: Partial<Record<TranscriberProvider, Start>> = {
  async deepgram_flux(listener) {
    const simulator = await startDeepgramSimulator({ script: { turns: [] } });
    const model = DEFAULT_TRANSCRIBER_MODEL.deepgram_flux;
    const how = { ...common, model, turnDetection: 'balanced' as const, input: MULAW_8K, url: simulator.url };
    return {
      transcriber: createDeepgramFlux({ ...how, listener }),
      receivedChunks: () => simulator.connections[0]?.receivedChunks ?? 0,
      write(transcript) {
        const words = transcript.split(' ').map((word) => ({ word, confidence: 0.9 }));
        simulator.connections[0]!.message({ type: 'TurnInfo', event: 'Update', turn_index: 0, transcript, words });
      },
      close: () => simulator.close(),
    };
  },
  async deepgram(listener) {
    const simulator = await startDeepgramGeneralSimulator({ script: silent });
    const model = DEFAULT_TRANSCRIBER_MODEL.deepgram;
    return {
      transcriber: createDeepgram({ ...general, model, input: MULAW_8K, url: simulator.url, listener }),
      receivedChunks: () => simulator.connections[0]?.receivedChunks ?? 0,
      write(transcript) {
        const words = transcript.split(' ').map((word) => ({ word, start: 0, end: 1, confidence: 0.9 }));
        const channel = { alternatives: [{ transcript, confidence: 0.9, words }] };
        const message = { type: 'Results', start: 0, duration: 1, is_final: false, speech_final: false, channel };
        simulator.connections[0]!.raw(JSON.stringify(message));
      },
      close: () => simulator.close(),
    };
  },
  async sarvam(listener) {
    const simulator = await startSarvamTranscriberSimulator({ script: silent });
    const model = DEFAULT_TRANSCRIBER_MODEL.sarvam;
    return {
      transcriber: createSarvam({ ...general, model, legFormat: MULAW_8K, url: simulator.url, listener }),
      receivedChunks: () => simulator.connections[0]?.receivedChunks ?? 0,
      write(text) {
        simulator.connections[0]!.raw(JSON.stringify({ event: 'transcript.partial', utterance_idx: 0, text }));
      },
      close: () => simulator.close(),
    };
  },
  async soniox(listener) {
    const simulator = await startSonioxSimulator({ script: silent });
    const model = DEFAULT_TRANSCRIBER_MODEL.soniox;
    return {
      transcriber: createSoniox({ ...general, model, input: MULAW_8K, url: simulator.url, listener }),
      receivedChunks: () => simulator.connections[0]?.receivedChunks ?? 0,
      write(text) {
        simulator.connections[0]!.raw(JSON.stringify({ tokens: [{ text, is_final: false }] }));
      },
      close: () => simulator.close(),
    };
  },
  async assemblyai(listener) {
    // The vendor ends a session whose audio is 20 s ahead of the time: here the rounds follow at once.
    const clock = { ...systemClock, now: () => systemClock.now() * 1_000 };
    const simulator = await startAssemblyAiSimulator({ script: silent, clock });
    const how = { ...general, model: DEFAULT_TRANSCRIBER_MODEL.assemblyai, legFormat: MULAW_8K, url: simulator.url };
    return {
      transcriber: createAssemblyAi({ ...how, listener }),
      receivedChunks: () => simulator.connections[0]?.receivedChunks ?? 0,
      frame: new Uint8Array(400).fill(0xff),
      write(transcript) {
        const turn = { type: 'Turn', turn_order: 0, end_of_turn: false, transcript, words: [] };
        simulator.connections[0]!.raw(JSON.stringify(turn));
      },
      close: () => simulator.close(),
    };
  },
  async openai(listener) {
    const simulator = await startOpenAiTranscriberSimulator({ script: silent });
    const how = { ...general, model: DEFAULT_TRANSCRIBER_MODEL.openai, legFormat: MULAW_8K };
    let item = 0;
    return {
      transcriber: createOpenAiTranscriber({ ...how, url: `${simulator.url}/v1`, listener }),
      receivedChunks: () => simulator.connections[0]?.receivedChunks ?? 0,
      write(transcript) {
        const item_id = `item ${item++}`;
        const send = (message: object) => simulator.connections[0]!.raw(JSON.stringify({ ...message, item_id }));
        send({ type: 'input_audio_buffer.committed' });
        send({ type: 'conversation.item.input_audio_transcription.completed', transcript });
      },
      close: () => simulator.close(),
    };
  },
  async azure_speech(listener) {
    const simulator = await startAzureTranscriberSimulator({ script: silent });
    const how = { ...general, model: DEFAULT_TRANSCRIBER_MODEL.azure_speech, legFormat: MULAW_8K, url: simulator.url };
    return {
      transcriber: createAzureTranscriber({ ...how, listener }),
      receivedChunks: () => simulator.connections[0]?.receivedChunks ?? 0,
      write(text) {
        const [first = ''] = simulator.connections[0]!.texts;
        const requestId = /X-RequestId: (\w+)/.exec(first)?.[1] ?? '';
        simulator.connections[0]!.raw(
          textFrame('speech.hypothesis', requestId, { Text: text, Offset: 0, Duration: 1 }),
        );
      },
      close: () => simulator.close(),
    };
  },
  async elevenlabs(listener) {
    const simulator = await startElevenLabsTranscriberSimulator({ script: silent });
    const how = { ...general, model: DEFAULT_TRANSCRIBER_MODEL.elevenlabs, legFormat: MULAW_8K, url: simulator.url };
    return {
      transcriber: createElevenLabsTranscriber({ ...how, listener }),
      receivedChunks: () => simulator.connections[0]?.receivedChunks ?? 0,
      write(text) {
        simulator.connections[0]!.raw(JSON.stringify({ message_type: 'partial_transcript', text }));
      },
      close: () => simulator.close(),
    };
  },
};

const WARM_UP_ROUNDS = 100;
const FRAME = new Uint8Array(160).fill(0xff);
/** A typical sentence; the number makes it unique. */
const SENTENCE = 'I would like to book a table for two people on friday evening at half past seven please, number';

/** Measures every adapter with a connection, `rounds` frames and texts each. */
export async function measureTranscribers(rounds = 400): Promise<TranscriberOverhead[]> {
  const measured: TranscriberOverhead[] = [];
  for (const [provider, start] of Object.entries(SETUPS)) {
    measured.push(await measure(provider as TranscriberProvider, start, rounds));
  }
  return measured;
}

async function measure(provider: TranscriberProvider, start: Start, rounds: number): Promise<TranscriberOverhead> {
  const result: TranscriberOverhead = { provider, outMs: [], inMs: [] };
  let eventAtMs: number | null = null;
  const setup = await start((event: TranscriberEvent) => {
    eventAtMs ??= performance.now();
    if (event.type === 'failed') throw event.error;
  });
  try {
    await setup.transcriber.open();
    for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
      const before = setup.receivedChunks();
      const givenMs = performance.now();
      setup.transcriber.audio(setup.frame ?? FRAME);
      await waitFor(() => setup.receivedChunks() !== before, `${provider} got no audio in round ${round}`);
      const outMs = performance.now() - givenMs;

      eventAtMs = null;
      const writtenMs = performance.now();
      setup.write(`${SENTENCE} ${round}`);
      await waitFor(() => eventAtMs !== null, `${provider} told no text in round ${round}`);
      if (round < WARM_UP_ROUNDS) continue;
      result.outMs.push(outMs);
      result.inMs.push(eventAtMs! - writtenMs);
    }
  } finally {
    await setup.transcriber.close();
    await setup.close();
  }
  return result;
}
