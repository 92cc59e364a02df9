import type { sarvamSynthesizer } from '../../shared/providers/sarvam.ts';
import { createDeadline, type Deadline } from '../provider/deadline.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createConnectionPool, type PooledConnection } from './connection-pool.ts';
import * as protocol from './sarvam-protocol.ts';
import { PROVIDER } from './sarvam-protocol.ts';
import {
  type CloudSynthesizerOptions,
  createStreamingSynthesizer,
  type SynthesisContext,
  type SynthesisTransport,
  type SynthesizerCore,
} from './streaming-synthesizer.ts';
import type { Synthesizer, SynthesizerAdapter } from './synthesizer.ts';

/**
 * Sarvam Bulbul over `text-to-speech/ws` (public documentation: docs.sarvam.ai, "Text to Speech: WebSocket"). The protocol
 * knows no contexts, no cancelling and no word times: audio belongs to whatever the connection was last given. So every
 * reply has a connection of its own while it speaks, and one more is kept open for the next reply or for a preemptive one
 * beside it. A reply that is cancelled with audio to come loses its connection; any other gives it back.
 *
 * Every segment is flushed, and the provider sends a completion for each flush; one completion may stand for several.
 */

/** This long after a completion nothing more came: it stood for all flushes before it. */
export const SETTLE_MS = 1_000;
/** A third of the vendor's minute. */
const KEEP_ALIVE_MS = 20_000;
const MAX_SPARE_CONNECTIONS = 2;
/** Faster than any speech. */
const MIN_MS_PER_CHARACTER = 39;

interface Context extends SynthesisContext {
  /** Null before its first segment. */
  connection: PooledConnection<Context> | null;
  /** Segments given, those that were sent with a flush, and completions received. */
  segments: number;
  flushes: number;
  finals: number;
  /** A completion came after the last flush. */
  finalSinceFlush: boolean;
  characters: number;
  settle: Deadline;
}

/**
 * `model` is `bulbul:v3` or `bulbul:v2`, `voiceId` a speaker of that generation, empty for the vendor's default; no language is
 * Hindi. Throws ProviderError `bad_request` for a language that is not offered.
 */
export function createSarvamSynthesizer(options: CloudSynthesizerOptions): Synthesizer {
  const output = protocol.sarvamOutput(options.output);
  return createStreamingSynthesizer<Context>(PROVIDER, { ...options, output }, (core) =>
    createTransport({ ...options, output }, core),
  );
}

function createTransport(
  options: CloudSynthesizerOptions,
  core: SynthesizerCore<Context>,
): SynthesisTransport<Context> {
  const { clock, log } = options;
  const minMsPerCharacter = MIN_MS_PER_CHARACTER / Math.max(1, options.speed ?? 1);
  const pool = createConnectionPool<Context>({
    provider: PROVIDER,
    url: protocol.sarvamAddress(options.url, options.model),
    headers: { 'api-subscription-key': options.apiKey },
    clock,
    log,
    firstMessage: protocol.sarvamConfig(options),
    keepAlive: { everyMs: KEEP_ALIVE_MS, message: { type: 'ping' } },
    maxSpare: MAX_SPARE_CONNECTIONS,
    keepsSpare: true,
    onText,
    onLost: core.fail,
    onFailed: core.failAll,
  });

  function onText(connection: PooledConnection<Context>, raw: string): void {
    const message = core.parse(raw);
    if (!message) return;
    const data = ((typeof message.data === 'object' && message.data) || {}) as Record<string, unknown>;
    if (message.type === 'error') onError(connection, data);
    else if (message.type === 'audio') onAudio(connection, data);
    else if (message.type !== 'event') core.ignore('an unknown type');
    else if (data.event_type === 'final' && connection.context) onFinal(connection.context);
  }

  function onError(connection: PooledConnection<Context>, { code, message }: Record<string, unknown>): void {
    const kind = protocol.sarvamFailure(code, message);
    // The code only: the description may repeat the text that was to be spoken.
    const name = typeof code === 'number' || typeof code === 'string' ? String(code) : 'an error';
    connection.fail(new ProviderError(PROVIDER, kind, `the provider reported ${name.slice(0, 80)}`));
  }

  function onAudio(connection: PooledConnection<Context>, { audio, content_type }: Record<string, unknown>): void {
    const { context } = connection;
    if (!context || typeof audio !== 'string' || audio === '') return;
    if (protocol.isCompressed(content_type)) {
      connection.fail(new ProviderError(PROVIDER, 'bad_request', 'the provider sent compressed audio'));
      return;
    }
    if (context.finalSinceFlush) context.settle.start();
    core.audio(context, audio);
  }

  function onFinal(context: Context): void {
    if (context.finals >= context.flushes) return;
    context.finals++;
    context.finalSinceFlush = true;
    core.watch(context);
    if (isOwed(context)) context.settle.start();
    else {
      context.settle.stop();
      if (context.ended) core.done(context);
    }
  }

  /** Fewer completions than flushes came, and then nothing: if the audio is long enough, it is all of it. */
  function onSettled(context: Context): void {
    if (context.audioMs < context.characters * minMsPerCharacter) return;
    if (context.ended) core.done(context);
    else context.deadline.stop();
  }

  function flush(connection: PooledConnection<Context>, context: Context, segment: string): void {
    context.flushes++;
    context.finalSinceFlush = false;
    context.settle.stop();
    for (const text of protocol.sarvamTexts(segment)) connection.send({ type: 'text', data: { text } });
    connection.send({ type: 'flush' });
    core.expectAudio(context);
  }

  function isOwed({ finals, flushes }: Context): boolean {
    return finals < flushes;
  }

  return {
    open: pool.open,
    close: pool.close,
    createContext(base) {
      const context: Context = Object.assign(base, {
        connection: null,
        ...{ segments: 0, flushes: 0, finals: 0, finalSinceFlush: false, characters: 0 },
        settle: createDeadline(clock, SETTLE_MS, () => onSettled(context)),
      });
      return context;
    },
    speak(context, segment) {
      const connection = context.connection ?? pool.acquire(context);
      context.connection = connection;
      context.segments++;
      context.characters += segment.trim().length;
      connection.whenOpen(() => {
        if (core.isLive(context)) flush(connection, context, segment);
      });
    },
    end(context) {
      // One completion may have stood for all flushes already.
      if (context.finalSinceFlush) context.settle.start();
      if (context.flushes > 0) core.expectAudio(context);
    },
    cancel() {},
    /** The connection is kept only when nothing of the context can still come on it. */
    release(context) {
      context.settle.stop();
      if (context.connection) pool.release(context.connection, !isOwed(context));
    },
    isIdle: ({ finals, segments }) => finals >= segments,
    isOwed,
    unwrap: protocol.withoutHeader,
  };
}

export const adapter: SynthesizerAdapter<typeof sarvamSynthesizer> = ({ settings, voice, ...call }) =>
  createSarvamSynthesizer({
    ...call,
    url: settings.SARVAM_TTS_URL,
    apiKey: settings.SARVAM_API_KEY,
    model: voice.model,
    voiceId: voice.voice_id,
    language: voice.language,
    speed: voice.speed,
  });
