import { azureLocale, azureSpeechAddress, type azureSynthesizer } from '../../shared/providers/azure-speech.ts';
import type { AudioFormat } from '../audio/format.ts';
import { azureFailure, azureId } from '../provider/azure-failure.ts';
import {
  AZURE_SPEECH_CONFIG,
  azureTextFrame,
  readAzureBinaryFrame,
  readAzureTextFrame,
  TICKS_PER_MS,
} from '../provider/azure-frames.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createConnectionPool, type PooledConnection } from './connection-pool.ts';
import { chooseOutputFormat, type SupportedFormats } from './output-format.ts';
import {
  type CloudSynthesizerOptions,
  createStreamingSynthesizer,
  type SynthesisContext,
  type SynthesisTransport,
  type SynthesizerCore,
} from './streaming-synthesizer.ts';
import type { Synthesizer, SynthesizerAdapter } from './synthesizer.ts';
import { createWordTiming, type TimedWord, type WordTiming } from './word-timing.ts';

/**
 * Azure Speech over its text-streaming WebSocket `/cognitiveservices/websocket/v2`, as Microsoft's open SDK speaks it
 * (github.com/microsoft/cognitive-services-speech-sdk-js): a reply is a request of its own, its text comes in pieces and ends with
 * `text.end`. A connection carries one request at a time, so a reply that is cancelled takes its connection with it, and one more
 * is kept open for the next.
 */

const PROVIDER = 'azure_speech';
/** The vendor ends a connection after ten minutes. */
const RENEW_AFTER_MS = 9 * 60_000;
const MAX_SPARE_CONNECTIONS = 2;
const FORMATS: SupportedFormats = { mulaw: [8000], alaw: [8000], pcm16: [8000, 16000, 24000, 48000] };
/** The end of a sentence, after which the vendor has no reason to wait for more text. */
const SENTENCE_END = /[.!?।؟。…]["'”’)\]]*\s*$/u;

type Connection = PooledConnection<Context>;

interface Context extends SynthesisContext {
  /** Null before its first segment. */
  connection: Connection | null;
  /** Text was given that no `turn.end` has followed. */
  inTurn: boolean;
  /** Of the request at the provider; empty while there is none. */
  requestId: string;
  /** The last segment ends a sentence, and no audio came after it. */
  awaitsAudio: boolean;
  /** Where the request's audio begins in that of the reply. */
  turnStartMs: number;
  readonly timing: WordTiming;
}

/** Throws ProviderError `bad_request` for a voice that can be none of Azure's. */
export function createAzureSynthesizer(options: CloudSynthesizerOptions): Synthesizer {
  const output = chooseOutputFormat(options.output, FORMATS);
  return createStreamingSynthesizer<Context>(PROVIDER, { ...options, output }, (core) =>
    createTransport({ ...options, output }, core),
  );
}

/** The vendor's name of a format, without a header. */
export function azureOutputFormat({ encoding, sample_rate }: AudioFormat): string {
  const rate = `raw-${sample_rate / 1000}khz`;
  return encoding === 'pcm16' ? `${rate}-16bit-mono-pcm` : `${rate}-8bit-mono-${encoding}`;
}

/** What a request is to sound like. */
export function azureSynthesisContext(
  options: Pick<CloudSynthesizerOptions, 'voiceId' | 'language' | 'speed' | 'output'>,
): object {
  const { voiceId, language, speed = 1, output } = options;
  const rate = Math.round((speed - 1) * 100);
  return {
    synthesis: {
      audio: {
        outputFormat: azureOutputFormat(output),
        metadataOptions: { wordBoundaryEnabled: true, sentenceBoundaryEnabled: false, sessionEndEnabled: true },
      },
      language: { autoDetection: false },
      input: {
        bidirectionalStreamingMode: true,
        voiceName: voiceId,
        language: languageOf(voiceId, language),
        ...(rate !== 0 && { rate: `${rate > 0 ? '+' : ''}${rate}%` }),
      },
    },
  };
}

/** A voice's name begins with its locale; a voice of several languages is told which. */
function languageOf(voiceId: string, tag: string | undefined): string {
  const own = /^[a-z]{2,3}-[A-Z]{2}/.exec(voiceId)?.[0];
  const asked = tag ? azureLocale(tag) : null;
  if (own === undefined && asked === null) {
    throw new ProviderError(PROVIDER, 'bad_request', `no language for the voice ${voiceId.slice(0, 60)}`);
  }
  return own !== undefined && (asked === null || asked.split('-')[0] === own.split('-')[0]) ? own : asked!;
}

function createTransport(
  options: CloudSynthesizerOptions,
  core: SynthesizerCore<Context>,
): SynthesisTransport<Context> {
  const { clock, log } = options;
  const synthesisContext = azureSynthesisContext(options);
  /** At 8 kHz the vendor's times run ahead of its audio: how far, by the last reply that came to its end. */
  let scale = 1;
  const pool = createConnectionPool<Context>({
    provider: PROVIDER,
    url: `${options.url.replace(/\/+$/, '')}/cognitiveservices/websocket/v2`,
    headers: () => ({ 'ocp-apim-subscription-key': options.apiKey, 'x-connectionid': azureId() }),
    closeMeaning: (_code, reason) => azureFailure(reason),
    clock,
    log,
    maxSpare: MAX_SPARE_CONNECTIONS,
    keepsSpare: true,
    renewAfterMs: RENEW_AFTER_MS,
    onText,
    onBinary,
    onLost: core.fail,
    onFailed: core.failAll,
  });

  /** The reply that a message is for; null for what is still said of an earlier one. */
  function contextOf({ context }: Connection, requestId: string): Context | null {
    return context?.requestId && context.requestId === requestId ? context : null;
  }

  function send(context: Context, path: string, body: object | string): void {
    const { connection, requestId } = context;
    connection?.send(azureTextFrame({ path, requestId, atMs: clock.wall() }, body));
  }

  function onBinary(connection: Connection, bytes: Uint8Array): void {
    const frame = readAzureBinaryFrame(bytes);
    if (frame?.path !== 'audio') {
      core.ignore('an unknown binary message');
      return;
    }
    const context = contextOf(connection, frame.requestId);
    if (!context || frame.body.length === 0) return;
    context.awaitsAudio = false;
    core.audio(context, frame.body);
  }

  function onText(connection: Connection, raw: string): void {
    const frame = readAzureTextFrame(raw);
    if (!frame) {
      core.ignore('not a frame');
      return;
    }
    const context = contextOf(connection, frame.requestId);
    if (!context) return;
    if (frame.path === 'turn.end') onTurnEnd(context);
    else if (frame.path === 'audio.metadata') onMetadata(context, core.parse(frame.body)?.Metadata);
    else if (frame.path !== 'turn.start' && frame.path !== 'response') core.ignore('an unknown path');
  }

  function onMetadata(context: Context, metadata: unknown): void {
    if (!Array.isArray(metadata)) return;
    const words: TimedWord[] = [];
    for (const each of metadata) {
      const { Type, Data } = recordOf(each);
      const { Offset, Duration, text } = recordOf(Data);
      const offsetMs = msOf(Offset);
      if (offsetMs === null) continue;
      if (Type === 'SessionEnd' && offsetMs > 0) scale = scaleOf((context.audioMs - context.turnStartMs) / offsetMs);
      const { Text, BoundaryType } = recordOf(text);
      if (Type !== 'WordBoundary' || typeof Text !== 'string' || BoundaryType === 'PunctuationBoundary') continue;
      const startMs = context.turnStartMs + offsetMs * scale;
      words.push({ word: Text, startMs, endMs: startMs + (msOf(Duration) ?? 0) * scale });
    }
    if (words.length > 0) core.timing(context, context.timing.words(words));
  }

  function onTurnEnd(context: Context): void {
    context.requestId = '';
    context.inTurn = false;
    if (context.audioMs > context.turnStartMs) {
      core.timing(context, context.timing.rest(context.audioMs));
      if (!core.isLive(context)) return;
      // Should the vendor not have waited for more text, the next piece begins another request.
      if (context.ended) core.done(context);
      else context.deadline.stop();
      return;
    }
    core.fail(context, new ProviderError(PROVIDER, 'unavailable', 'the request ended without audio'));
  }

  function speak(context: Context, segment: string): void {
    if (context.requestId === '') {
      context.requestId = azureId();
      context.turnStartMs = context.audioMs;
      send(context, 'speech.config', AZURE_SPEECH_CONFIG);
      send(context, 'synthesis.context', synthesisContext);
    }
    send(context, 'text.piece', segment);
    context.awaitsAudio = SENTENCE_END.test(segment);
    if (context.awaitsAudio) core.expectAudio(context);
  }

  return {
    open: pool.open,
    close: pool.close,
    createContext: (base) =>
      Object.assign(base, {
        ...{ connection: null, inTurn: false, requestId: '', awaitsAudio: false, turnStartMs: 0 },
        timing: createWordTiming(),
      }),
    speak(context, segment) {
      const connection = context.connection ?? pool.acquire(context);
      context.connection = connection;
      context.inTurn = true;
      context.timing.add(segment);
      connection.whenOpen(() => {
        if (core.isLive(context)) speak(context, segment);
      });
    },
    end(context) {
      context.connection?.whenOpen(() => {
        if (!core.isLive(context) || context.requestId === '') return;
        send(context, 'text.end', '');
        core.expectAudio(context);
      });
    },
    cancel(context) {
      if (context.requestId !== '') send(context, 'synthesis.control', { action: 'stop' });
    },
    release({ connection, inTurn }) {
      if (connection) pool.release(connection, !inTurn);
    },
    isIdle: ({ inTurn }) => !inTurn,
    /** Between sentences nothing is owed: the model may be waiting for a tool. */
    isOwed: ({ ended, awaitsAudio }) => ended || awaitsAudio,
  };
}

/** Never so far off that it could be anything else than the vendor's rounding. */
const scaleOf = (ratio: number) => Math.min(1.25, Math.max(0.8, ratio));

function msOf(ticks: unknown): number | null {
  return typeof ticks === 'number' && Number.isFinite(ticks) && ticks >= 0 ? ticks / TICKS_PER_MS : null;
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

export const adapter: SynthesizerAdapter<typeof azureSynthesizer> = ({ settings, voice, ...call }) => {
  const url = azureSpeechAddress('tts', settings.AZURE_SPEECH_REGION);
  if (url === null) throw new ProviderError(PROVIDER, 'bad_request', 'AZURE_SPEECH_REGION is not the name of a region');
  return createAzureSynthesizer({
    ...call,
    url,
    apiKey: settings.AZURE_SPEECH_KEY,
    model: voice.model,
    voiceId: voice.voice_id,
    language: voice.language,
    speed: voice.speed,
  });
};
