import type { elevenLabs } from '../../shared/providers/elevenlabs.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { closeFailure } from '../provider/socket.ts';
import { countAlphanumerics } from './character-alignment.ts';
import { type Attachment, type ContextSocket, createContextConnection } from './context-connection.ts';
import * as protocol from './elevenlabs-protocol.ts';
import { PROVIDER } from './elevenlabs-protocol.ts';
import {
  type CloudSynthesizerOptions,
  createStreamingSynthesizer,
  type SynthesisContext,
  type SynthesisTransport,
  type SynthesizerCore,
} from './streaming-synthesizer.ts';
import type { Synthesizer, SynthesizerAdapter } from './synthesizer.ts';

/**
 * ElevenLabs over its WebSocket `multi-stream-input` (public documentation: elevenlabs.io/docs, "Multi-Context
 * WebSocket"; messages out are snake_case, messages in camelCase). One socket per call; every reply is a context.
 *
 * Lowest latency: each segment is a clause or sentence already, so it is sent with `flush` in the same message, under
 * `auto_mode`, and the provider waits for nothing. Text that was sent cannot be taken back, only its audio dropped.
 */

/** The vendor's limit for one socket. A context counts until its final message, also after it was closed. */
const MAX_CONTEXTS = 5;
/** Half of the vendor's default idle limit of 20 s, though the address asks for the longest it allows. */
const KEEP_ALIVE_MS = 10_000;

interface Context extends SynthesisContext {
  /** Null before its first segment, and after the provider closed it by itself. */
  attachment: Attachment<Context> | null;
  /** Letters and digits sent before the last segment, in all segments, and received in alignments. */
  lettersBeforeLast: number;
  lettersSent: number;
  lettersAligned: number;
}

/**
 * `voiceId` and `model` are required; agents use `eleven_flash_v2_5`, and `eleven_v3` has no contexts. Throws ProviderError
 * `bad_request` for a format that the vendor does not offer.
 */
export function createElevenLabsSynthesizer(options: CloudSynthesizerOptions): Synthesizer {
  return createStreamingSynthesizer<Context>(PROVIDER, options, (core) => createTransport(options, core));
}

function createTransport(
  options: CloudSynthesizerOptions,
  core: SynthesizerCore<Context>,
): SynthesisTransport<Context> {
  const { speed = 1, clock, log } = options;
  const connection = createContextConnection<Context>({
    provider: PROVIDER,
    url: protocol.elevenLabsAddress(options),
    headers: { 'xi-api-key': options.apiKey },
    clock,
    log,
    maxNames: MAX_CONTEXTS,
    keepAlive: { everyMs: KEEP_ALIVE_MS, send: keepAlive },
    lastMessage: { close_socket: true },
    closeMeaning: (code, reason) => protocol.elevenLabsFailure(reason) ?? closeFailure(code),
    onText,
    onLost: core.fail,
    onFailed: core.failAll,
  });

  /** An empty text resets the clock of a context; without one it only keeps the connection. */
  function keepAlive(socket: ContextSocket<Context>): void {
    const waiting = [...socket.attachments.values()].filter(({ context }) => context && !context.ended);
    for (const { name } of waiting) socket.send({ text: '', context_id: name });
    if (waiting.length === 0) socket.send({ text: '' });
  }

  function attach(context: Context): Attachment<Context> {
    const attachment = connection.attach(context);
    context.attachment = attachment;
    attachment.whenOpen(() => attachment.send(protocol.elevenLabsFirstMessage(attachment.name, speed)));
    return attachment;
  }

  function onText(socket: ContextSocket<Context>, raw: string): void {
    const message = core.parse(raw);
    if (!message) return;
    if (typeof message.error === 'string') {
      // The name of the error only: its description may repeat the text that was to be spoken.
      const name = message.error.slice(0, 80);
      const kind = protocol.elevenLabsFailure(name) ?? closeFailure(Number(message.code));
      socket.fail(new ProviderError(PROVIDER, kind, `the provider reported ${name}`));
      return;
    }
    const attachment = typeof message.contextId === 'string' && socket.attachments.get(message.contextId);
    if (!attachment) return;
    if (attachment.context && typeof message.audio === 'string') {
      onAudio(attachment.context, message.audio, message.alignment);
    }
    if (message.isFinal === true || message.is_final === true) onFinal(attachment);
  }

  /** Alignments count from the start of their own message, timings from the start of the context. */
  function onAudio(context: Context, base64: string, alignmentField: unknown): void {
    const { audioMs } = context;
    const alignment = protocol.readAlignment(alignmentField);
    if (alignment) {
      context.lettersAligned += countAlphanumerics(alignment.text);
      core.timing(context, { text: alignment.text, startMs: alignment.startMs.map((ms) => audioMs + ms) });
    }
    core.audio(context, base64);
  }

  function onFinal(attachment: Attachment<Context>): void {
    const { context } = attachment;
    attachment.detach();
    if (!context) return;
    context.attachment = null;
    if (context.ended) {
      core.done(context);
      return;
    }
    // Without alignments, any audio at all counts as all of it.
    const { lettersAligned, lettersSent, audioMs } = context;
    const spoken = lettersAligned > 0 ? lettersAligned >= lettersSent : audioMs > 0;
    if (spoken) context.deadline.stop();
    else core.fail(context, new ProviderError(PROVIDER, 'unavailable', 'context closed with text unspoken'));
  }

  return {
    open: connection.open,
    close: connection.close,
    createContext: (base) =>
      Object.assign(base, { attachment: null, lettersBeforeLast: 0, lettersSent: 0, lettersAligned: 0 }),
    speak(context, segment) {
      const attachment = context.attachment ?? attach(context);
      context.lettersBeforeLast = context.lettersSent;
      context.lettersSent += countAlphanumerics(segment);
      attachment.whenOpen(() => {
        attachment.send({ text: segment, context_id: attachment.name, flush: true });
        core.expectAudio(context);
      });
    },
    end(context) {
      const { attachment } = context;
      attachment?.whenOpen(() => {
        attachment.send({ context_id: attachment.name, close_context: true });
        core.expectAudio(context);
      });
    },
    cancel({ attachment, ended }) {
      if (attachment?.announced && !ended) attachment.send({ context_id: attachment.name, close_context: true });
    },
    release: ({ attachment }) => attachment?.abandon(),
    isIdle: ({ attachment }) => attachment === null,
    /** While the alignments have not reached the last segment, more audio is owed; after the end, the final message. */
    isOwed: ({ ended, lettersAligned, lettersBeforeLast }) =>
      ended || (lettersAligned > 0 && lettersAligned <= lettersBeforeLast),
  };
}

export const adapter: SynthesizerAdapter<typeof elevenLabs> = ({ settings, voice, ...call }) =>
  createElevenLabsSynthesizer({
    ...call,
    url: settings.ELEVENLABS_URL,
    apiKey: settings.ELEVENLABS_API_KEY,
    model: voice.model,
    voiceId: voice.voice_id,
    language: voice.language,
    speed: voice.speed,
  });
