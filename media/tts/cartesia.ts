import { createIpaText } from '../../shared/pronunciation.ts';
import type { cartesia } from '../../shared/providers/cartesia.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { type CartesiaProgress, createCartesiaProgress } from './cartesia-progress.ts';
import * as protocol from './cartesia-protocol.ts';
import { PROVIDER } from './cartesia-protocol.ts';
import { type Attachment, type ContextSocket, createContextConnection } from './context-connection.ts';
import {
  type CloudSynthesizerOptions,
  createStreamingSynthesizer,
  type SynthesisContext,
  type SynthesisTransport,
  type SynthesizerCore,
} from './streaming-synthesizer.ts';
import type { Synthesizer, SynthesizerAdapter } from './synthesizer.ts';

/**
 * Cartesia Sonic over `tts/websocket` (public documentation: docs.cartesia.ai, "Text to Speech (WebSocket)", "Contexts",
 * "Concurrency and WebSocket Limits"). One connection per call; every reply is a context. A context expires one second after
 * its last audio, and its name is not used again.
 */

/** Half of the vendor's second: text that comes later gets a fresh context at the provider. */
const STALE_AFTER_MS = 500;
/** Short of the vendor's five minutes. */
const RENEW_AFTER_MS = 240_000;
const MESSAGE_TYPES = new Set<unknown>(['chunk', 'timestamps', 'phoneme_timestamps', 'flush_done', 'done']);

interface Context extends SynthesisContext {
  /** Null before its first segment, and while all that was sent has been spoken. */
  attachment: Attachment<Context> | null;
  readonly progress: CartesiaProgress;
}

/** An empty `voiceId` is a voice of the vendor's choice; `model` is `sonic-3.5` and its like. */
export function createCartesiaSynthesizer(options: CloudSynthesizerOptions): Synthesizer {
  const output = protocol.cartesiaOutput(options.output);
  return createStreamingSynthesizer<Context>(PROVIDER, { ...options, output }, (core) =>
    createTransport({ ...options, output }, core),
  );
}

function createTransport(
  options: CloudSynthesizerOptions,
  core: SynthesizerCore<Context>,
): SynthesisTransport<Context> {
  const { clock, log } = options;
  const request = protocol.cartesiaRequest(options);
  const ipaText = createIpaText(options.pronunciations ?? [], (_word, ipa) => protocol.cartesiaPhonemes(ipa, options));
  const connection = createContextConnection<Context>({
    provider: PROVIDER,
    url: protocol.cartesiaAddress(options.url),
    headers: protocol.cartesiaHeaders(options.apiKey),
    clock,
    log,
    renewAfterMs: RENEW_AFTER_MS,
    onText,
    onLost: core.fail,
    onFailed: core.failAll,
  });

  function attach(context: Context): Attachment<Context> {
    const attachment = connection.attach(context);
    context.attachment = attachment;
    context.progress.begin();
    return attachment;
  }

  /** What was sent under its name is spoken, or never will be; what still comes under it is dropped. */
  function detach(context: Context): void {
    const { attachment } = context;
    context.attachment = null;
    context.deadline.stop();
    attachment?.detach();
  }

  function onText(socket: ContextSocket<Context>, raw: string): void {
    const message = core.parse(raw);
    if (!message) return;
    const name = message.context_id;
    const context = typeof name === 'string' ? (socket.attachments.get(name)?.context ?? null) : null;
    if (message.type === 'error') onError(socket, context, message);
    else if (!MESSAGE_TYPES.has(message.type)) core.ignore('an unknown type');
    else if (context) onMessage(context, message);
  }

  function onMessage(context: Context, message: Record<string, unknown>): void {
    const { attachment, progress } = context;
    switch (message.type) {
      case 'chunk':
        if (typeof message.data === 'string') core.audio(context, message.data);
        return;
      case 'timestamps':
        core.timing(context, progress.words(message.word_timestamps));
        return;
      case 'flush_done':
        core.timing(context, progress.flushed());
        // The listener may have cancelled the context.
        if (context.attachment === attachment) core.watch(context);
        return;
      case 'done':
        onDone(context);
    }
  }

  function onError(
    socket: ContextSocket<Context>,
    context: Context | null,
    { context_id, status_code, error_code }: Record<string, unknown>,
  ): void {
    const kind = protocol.cartesiaFailure(status_code, error_code);
    // Its name only: the description may repeat the text that was to be spoken.
    const name = typeof error_code === 'string' ? error_code : String(status_code);
    const error = new ProviderError(PROVIDER, kind, `the provider reported ${name.slice(0, 80)}`);
    if (context) core.fail(context, error);
    else if (typeof context_id !== 'string') socket.fail(error);
  }

  function onDone(context: Context): void {
    if (context.ended) {
      core.timing(context, context.progress.finished());
      if (core.isLive(context)) core.done(context);
    } else if (context.progress.spoken) {
      // Expired by itself: should more text come, it gets a fresh name.
      detach(context);
    } else {
      core.fail(context, new ProviderError(PROVIDER, 'unavailable', 'context closed with text unspoken'));
    }
  }

  /** Its name is about to expire, or has. */
  function isStale({ attachment, progress, lastAudioAtMs }: Context): boolean {
    return attachment !== null && progress.spoken && clock.now() - lastAudioAtMs >= STALE_AFTER_MS;
  }

  return {
    open: connection.open,
    close: connection.close,
    createContext: (base) =>
      Object.assign(base, { attachment: null, progress: createCartesiaProgress(() => base.audioMs) }),
    speak(context, segment) {
      if (isStale(context)) detach(context);
      const attachment = context.attachment ?? attach(context);
      // Progress and timings stay with the text as it is shown.
      context.progress.segment(segment);
      const transcript = ipaText?.(segment) ?? segment;
      attachment.whenOpen(() => {
        attachment.send({ ...request, context_id: attachment.name, transcript, continue: true });
        core.expectAudio(context);
      });
    },
    end(context) {
      const { attachment } = context;
      attachment?.whenOpen(() => {
        attachment.send({ ...request, context_id: attachment.name, transcript: '', continue: false });
        core.expectAudio(context);
      });
    },
    cancel({ attachment }) {
      if (attachment?.announced) attachment.send({ context_id: attachment.name, cancel: true });
    },
    release: detach,
    isIdle: (context) => context.attachment === null || isStale(context),
    /** Once all segments are spoken only the final message is owed, and that only after the end of the text. */
    isOwed: ({ ended, progress }) => ended || !progress.spoken,
  };
}

export const adapter: SynthesizerAdapter<typeof cartesia> = ({ settings, voice, ...call }) =>
  createCartesiaSynthesizer({
    ...call,
    url: settings.CARTESIA_URL,
    apiKey: settings.CARTESIA_API_KEY,
    model: voice.model,
    voiceId: voice.voice_id,
    language: voice.language,
    speed: voice.speed,
    pronunciations: voice.pronunciations,
  });
