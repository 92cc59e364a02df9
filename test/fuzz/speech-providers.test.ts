import { beforeAll, describe, expect, it } from 'vitest';
import { MULAW_8K } from '../../media/audio/format.ts';
import { ProviderError } from '../../media/provider/provider-error.ts';
import { createAssemblyAi } from '../../media/stt/assemblyai.ts';
import { createAzureTranscriber } from '../../media/stt/azure-speech.ts';
import { createDeepgram } from '../../media/stt/deepgram.ts';
import { createDeepgramFlux } from '../../media/stt/deepgram-flux.ts';
import { createElevenLabsTranscriber } from '../../media/stt/elevenlabs.ts';
import { createOpenAiTranscriber } from '../../media/stt/openai.ts';
import { createSarvam } from '../../media/stt/sarvam.ts';
import { createSoniox } from '../../media/stt/soniox.ts';
import type { Transcriber, TranscriberEvent } from '../../media/stt/transcriber.ts';
import { createAzureSynthesizer } from '../../media/tts/azure-speech.ts';
import { createCartesiaSynthesizer } from '../../media/tts/cartesia.ts';
import { createDeepgramAura } from '../../media/tts/deepgram-aura.ts';
import { createElevenLabsSynthesizer } from '../../media/tts/elevenlabs.ts';
import { createSarvamSynthesizer } from '../../media/tts/sarvam.ts';
import type { Synthesizer, SynthesizerEvent } from '../../media/tts/synthesizer.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { createDraws } from './draws.ts';
import { gone, type HostileProvider, sendAnything, startHostileProvider } from './hostile-provider.ts';
import * as samples from './provider-samples.ts';
import { createTally, messagesOf, SEED } from './tally.ts';

/**
 * Transcribers and synthesizers whose provider sends anything: none throws, and what they emit is well-formed. SEED, COUNT for each.
 */

const FRAME = new Uint8Array(160).fill(0x55);

let provider: HostileProvider;
const errors: string[] = [];
const log = createLogger('media', 'error', { write: (line: string) => void errors.push(line) });

beforeAll(async () => {
  provider = await startHostileProvider();
});

const TRANSCRIBERS: Record<string, [readonly object[], (listener: (event: TranscriberEvent) => void) => Transcriber]> =
  {
    deepgram: [
      samples.DEEPGRAM,
      (listener) => createDeepgram({ ...common(), listener, ...GENERAL, model: 'nova-3', input: MULAW_8K }),
    ],
    'deepgram flux': [
      samples.FLUX,
      (listener) =>
        createDeepgramFlux({
          ...{ ...common(), listener, model: 'flux-general-multi', turnDetection: 'balanced' },
          ...{ languageHints: ['hi'], input: MULAW_8K },
        }),
    ],
    sarvam: [
      samples.SARVAM_TRANSCRIBER,
      (listener) =>
        createSarvam({ ...common(), listener, ...GENERAL, model: 'saaras:v3-realtime', legFormat: MULAW_8K }),
    ],
    azure: [
      samples.AZURE_TRANSCRIBER,
      (listener) =>
        createAzureTranscriber({ ...common(), listener, ...GENERAL, model: 'conversation', legFormat: MULAW_8K }),
    ],
    soniox: [
      samples.SONIOX,
      (listener) => createSoniox({ ...common(), listener, ...GENERAL, model: 'stt-rt-v5', input: MULAW_8K }),
    ],
    assemblyai: [
      samples.ASSEMBLYAI,
      (listener) =>
        createAssemblyAi({ ...common(), listener, ...GENERAL, model: 'universal-3-5-pro', legFormat: MULAW_8K }),
    ],
    openai: [
      samples.OPENAI_TRANSCRIBER,
      (listener) =>
        createOpenAiTranscriber({
          ...{ ...common(), listener, ...GENERAL, model: 'gpt-live-transcribe', legFormat: MULAW_8K },
        }),
    ],
    scribe: [
      samples.SCRIBE,
      (listener) =>
        createElevenLabsTranscriber({
          ...{ ...common(), listener, ...GENERAL, model: 'scribe_v2_realtime', legFormat: MULAW_8K },
        }),
    ],
  };
/** Those whose first sample says that the provider is ready. */
const FIRST_MESSAGE_IS_AWAITED = new Set(['deepgram flux', 'sarvam', 'scribe', 'assemblyai', 'openai']);
const GENERAL = { language: 'hi', endpointingMs: 300, keyterms: [] };
const common = () => ({ url: provider.url, apiKey: 'key', clock: systemClock, log });

function wrongInTranscript(event: TranscriberEvent): string | null {
  if (event.type === 'failed') return event.error instanceof ProviderError ? null : 'a failure without its kind';
  if (typeof event.text !== 'string') return `a text that is ${typeof event.text}`;
  return Number.isSafeInteger(event.turn) && event.turn >= 0 ? null : `turn ${event.turn}`;
}

describe.each(Object.entries(TRANSCRIBERS))('the transcriber of %s', (name, [messages, create]) => {
  it('survives any message', async () => {
    const total = messagesOf(1_000);
    const tally = createTally(`transcriber ${name}`, total);
    const draws = createDraws(SEED);
    while (tally.count < total) {
      let closed: Promise<void> | null = null;
      provider.onConnection = (socket, ids) => {
        closed = gone(socket);
        if (FIRST_MESSAGE_IS_AWAITED.has(name) && draws.chance(0.9)) socket.send(JSON.stringify(messages[0]));
        const requestId = name === 'azure' ? () => ids.at(-1) ?? 'none' : undefined;
        void sendAnything(socket, draws, () => messages, tally, requestId);
      };
      let failures = 0;
      let isClosed = false;
      const transcriber = create((event) => {
        const wrong = isClosed ? 'an event after the close' : wrongInTranscript(event);
        if (event.type === 'failed' && ++failures > 1) tally.found('failed twice');
        if (wrong) tally.found(wrong);
      });
      const opened = transcriber.open().catch((error: unknown) => {
        if (!(error instanceof ProviderError)) tally.found(`open rejects with ${String(error)}`);
      });
      for (let frame = 0; frame < 20; frame++) transcriber.audio(FRAME);
      transcriber.finalize();
      await opened;
      for (let frame = 0; frame < 20; frame++) transcriber.audio(FRAME);
      transcriber.finalize();
      if (closed) await closed;
      isClosed = true;
      await transcriber.close();
    }
    for (const line of errors.splice(0)) tally.found(line);
    expect(tally.end()).toEqual([]);
  }, 86_400_000);
});

const SYNTHESIZERS = {
  cartesia: [samples.CARTESIA, createCartesiaSynthesizer, 'sonic-3.5'],
  elevenlabs: [samples.ELEVENLABS, createElevenLabsSynthesizer, 'eleven_flash_v2_5'],
  sarvam: [samples.SARVAM_SYNTHESIZER, createSarvamSynthesizer, 'bulbul:v3'],
  azure: [samples.AZURE_SYNTHESIZER, createAzureSynthesizer, 'neural'],
  'deepgram aura': [samples.AURA, createDeepgramAura, 'aura-2'],
} as const;

function wrongInSpeech(event: SynthesizerEvent): string | null {
  if (event.type === 'failed') return event.error instanceof ProviderError ? null : 'a failure without its kind';
  if (event.type === 'audio') return event.bytes instanceof Uint8Array ? null : 'audio that is no bytes';
  if (event.type !== 'timing') return null;
  const { text, startMs } = event;
  if (text.length !== startMs.length) return `${text.length} characters and ${startMs.length} times`;
  return startMs.every((each) => Number.isFinite(each) && each >= 0) ? null : `times ${startMs}`;
}

describe.each(Object.entries(SYNTHESIZERS))('the synthesizer of %s', (name, [messages, create, model]) => {
  it('survives any message', async () => {
    const total = messagesOf(1_000);
    const tally = createTally(`synthesizer ${name}`, total);
    const draws = createDraws(SEED);
    while (tally.count < total) {
      const closed: Promise<void>[] = [];
      provider.onConnection = (socket, contexts) => {
        closed.push(gone(socket));
        const started = new Promise((resolve) => socket.once('message', resolve));
        const requestId = name === 'azure' ? () => contexts.at(-1) ?? 'none' : undefined;
        void started.then(() =>
          sendAnything(socket, draws, () => messages(draws.pick(contexts) ?? 'none'), tally, requestId),
        );
      };
      const cancelled = new Set<string>();
      let isClosed = false;
      const synthesizer: Synthesizer = create({
        ...{ ...common(), voiceId: 'shubh', model, language: 'hi', output: MULAW_8K },
        listener(event) {
          const after = isClosed || (event.type !== 'failed' && cancelled.has(event.contextId));
          const wrong = after ? `${event.type} after the end` : wrongInSpeech(event);
          if (wrong) tally.found(wrong);
        },
      });
      await synthesizer.open().catch((error: unknown) => {
        if (!(error instanceof ProviderError)) tally.found(`open rejects with ${String(error)}`);
      });
      for (const context of ['one', 'two']) {
        synthesizer.speak(context, 'Good morning to you. ');
        if (draws.chance(0.5)) synthesizer.end(context);
      }
      await Promise.all(closed);
      if (draws.chance(0.5)) {
        cancelled.add('one');
        synthesizer.cancel('one');
      }
      isClosed = true;
      await synthesizer.close();
    }
    for (const line of errors.splice(0)) tally.found(line);
    expect(tally.end()).toEqual([]);
  }, 86_400_000);
});
