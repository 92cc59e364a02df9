import { type AudioFormat, PCM_16K } from '../../media/audio/format.ts';
import { ProviderError } from '../../media/provider/provider-error.ts';
import type { Synthesizer, SynthesizerAdapter, SynthesizerListener } from '../../media/tts/synthesizer.ts';
import { createWavStream } from '../../media/tts/wav-stream.ts';
import type { Clock } from '../../shared/clock.ts';
import type { wavServer } from './manifest.ts';

const PROVIDER = 'wav_server';
const OUTPUT: AudioFormat = PCM_16K;
const FIRST_BYTE_DEADLINE_MS = 5_000;
const CLOSED_CONTEXTS_REMEMBERED = 1_000;

export interface WavServerOptions {
  url: string;
  voiceId: string;
  clock: Clock;
  listener: SynthesizerListener;
}

interface Context {
  texts: string[];
  speaking: boolean;
  ended: boolean;
  /** Aborts the request that is under way. */
  abort: AbortController;
}

/** Speaks with a server that answers one text with mono 16-bit WAV at 16 kHz. One request at a time per context keeps the order. */
export function createWavServerSynthesizer({ url, voiceId, clock, listener }: WavServerOptions): Synthesizer {
  const contexts = new Map<string, Context>();
  const closedContexts = new Set<string>();
  let closed = false;

  /** Null once the context is over: what still arrives for it is dropped. */
  function openContext(contextId: string): Context | null {
    if (closed || closedContexts.has(contextId)) return null;
    let context = contexts.get(contextId);
    if (!context) {
      context = { texts: [], speaking: false, ended: false, abort: new AbortController() };
      contexts.set(contextId, context);
    }
    return context;
  }

  function closeContext(contextId: string): void {
    contexts.get(contextId)?.abort.abort();
    contexts.delete(contextId);
    closedContexts.add(contextId);
    if (closedContexts.size > CLOSED_CONTEXTS_REMEMBERED) closedContexts.delete(closedContexts.values().next().value!);
  }

  async function request(text: string, signal: AbortSignal, onAudio: (bytes: Uint8Array) => void): Promise<void> {
    const late = new AbortController();
    const timer = clock.after(FIRST_BYTE_DEADLINE_MS, () => late.abort());
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text, voice: voiceId }),
        signal: AbortSignal.any([signal, late.signal]),
      });
      if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
      const wav = createWavStream(OUTPUT);
      for await (const bytes of response.body) {
        timer.cancel();
        const audio = wav.push(bytes);
        if (audio.length > 0) onAudio(audio);
      }
    } finally {
      timer.cancel();
    }
  }

  async function speakNext(contextId: string, context: Context): Promise<void> {
    if (context.speaking || contexts.get(contextId) !== context) return;
    const text = context.texts.shift();
    if (text === undefined) {
      if (!context.ended) return;
      closeContext(contextId);
      listener({ type: 'done', contextId });
      return;
    }
    context.speaking = true;
    try {
      await request(text, context.abort.signal, (bytes) => {
        if (contexts.get(contextId) === context) listener({ type: 'audio', contextId, bytes });
      });
      context.speaking = false;
      await speakNext(contextId, context);
    } catch (error) {
      if (contexts.get(contextId) !== context) return;
      closeContext(contextId);
      const message = error instanceof Error ? error.message : String(error);
      listener({ type: 'failed', contextId, error: new ProviderError(PROVIDER, 'unavailable', message) });
    }
  }

  return {
    provider: PROVIDER,
    model: 'default',
    output: OUTPUT,
    async open() {
      try {
        await request('', AbortSignal.timeout(FIRST_BYTE_DEADLINE_MS), () => {});
      } catch (error) {
        throw new ProviderError(PROVIDER, 'unavailable', String(error));
      }
      if (closed) throw new ProviderError(PROVIDER, 'unavailable', 'closed while it was being opened');
    },
    speak(contextId, text) {
      const context = text.trim() === '' ? null : openContext(contextId);
      if (!context || context.ended) return;
      context.texts.push(text);
      void speakNext(contextId, context);
    },
    end(contextId) {
      const context = openContext(contextId);
      if (!context) return;
      context.ended = true;
      // `done` must not be emitted within the caller's own call.
      queueMicrotask(() => void speakNext(contextId, context));
    },
    cancel: closeContext,
    async close() {
      closed = true;
      for (const contextId of [...contexts.keys()]) closeContext(contextId);
    },
  };
}

export const adapter: SynthesizerAdapter<typeof wavServer> = ({ settings, voice, clock, listener }) =>
  createWavServerSynthesizer({ url: settings.WAV_SERVER_URL, voiceId: voice.voice_id, clock, listener });
