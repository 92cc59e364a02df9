import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { type AudioFormat, bytesPerSample } from '../audio/format.ts';
import { createFramer } from '../audio/framer.ts';
import { createHandshake } from '../provider/handshake.ts';
import { parseJsonMessage } from '../provider/json-message.ts';
import { ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { CONNECT_DEADLINE_MS, createProviderSocket, type ProviderSocketOptions } from '../provider/socket.ts';
import { createPendingAudio } from './pending-audio.ts';
import { createRenewedTranscriber } from './renewed-transcriber.ts';
import type { Transcriber, TranscriberEvent, TranscriberListener } from './transcriber.ts';

/**
 * The core of transcribers over a WebSocket with JSON messages. It owns what they have in common: the connection and its
 * handshake, the audio from before it is open, the detection of a stuck provider, and the report of a failure, once. What a
 * provider's messages mean is its protocol's.
 */

/** Audio kept while the connection is being opened. */
const MAX_PENDING_MS = 2_000;
const LIVENESS = { everyMs: 2_500, deadAfterMs: 10_000 };

/** What every adapter is created with. */
export interface TranscriberConnectionOptions {
  clock: Clock;
  log: Logger;
  listener: TranscriberListener;
}

/** What most providers' transcribers are made of. */
export interface ProviderTranscriberOptions extends TranscriberConnectionOptions {
  /** Its address, or a region's. */
  url: string;
  apiKey: string;
  model: string;
  /** A language tag; an unclear one is left to the provider's detection, where it has one. */
  language: string;
  /** Expected words; those beyond the provider's limit are left out. */
  keyterms?: readonly string[];
  /** The call's format. What the provider does not take has to be converted, see `input`. */
  legFormat: AudioFormat;
}

export interface StreamingTranscriberOptions extends TranscriberConnectionOptions {
  provider: string;
  model: string;
  input: AudioFormat;
  decidesTurns: boolean;
  socket: Pick<ProviderSocketOptions, 'url' | 'headers' | 'refusalHeader' | 'closeMeaning'>;
  /** The provider confirms a new connection with a message, before audio may be sent or after it. */
  handshake: 'none' | 'before_audio' | 'after_audio';
  /** `keepAlive` of the protocol is called after this long without a message sent. */
  keepAliveEveryMs?: number;
  /** So much audio without a message from the provider during speech means that it is stuck. */
  maxSilentSpeechMs: number;
  /** Sent before the connection is closed; left out: the provider has no such message. */
  closeMessage?: string;
  /** Reads a text message: an object, or what is wrong with it; left out: it is JSON. */
  readMessage?(raw: string): Record<string, unknown> | string;
  /** Audio is sent in chunks of this length, for a provider that refuses the call's frames; left out: as it comes. */
  chunkMs?: number;
  /** The provider ends a session at some age: it is replaced in a pause after this long. */
  renewAfterMs?: number;
  protocol(connection: TranscriberConnection): TranscriberProtocol;
}

/** The connection as a protocol sees it. */
export interface TranscriberConnection {
  send(message: string | Uint8Array): void;
  /** Sends audio in the protocol's encoding and counts it. */
  sendAudio(chunk: Uint8Array): void;
  emit(event: TranscriberEvent): void;
  fail(kind: ProviderFailure, message: string): void;
  completeHandshake(): void;
  /** Logs an unexpected message, once per connection. */
  ignore(reason: string): void;
  /** Milliseconds of audio sent so far, and since the provider's last message. */
  readonly sentMs: number;
  readonly sentSinceMessageMs: number;
  readonly lastMessageMs: number;
}

export interface TranscriberProtocol {
  /** The connection is open: sends what the provider needs before any audio. */
  onOpen?(): void;
  onMessage(message: Record<string, unknown>): void;
  /** True while the provider has reported speech without its end, so that messages are due. */
  inSpeech(): boolean;
  /** The provider's message for a chunk of audio; left out: the bytes themselves; null: the protocol sends it later. */
  encodeAudio?(chunk: Uint8Array): string | Uint8Array | null;
  /** Requests final words; left out: the provider decides turns. */
  finalize?(): void;
  keepAlive?(): void;
  /** Stops timers: the connection has failed or is being closed. */
  stop?(): void;
}

export function createStreamingTranscriber(options: StreamingTranscriberOptions): Transcriber {
  const { renewAfterMs, ...session } = options;
  if (renewAfterMs === undefined) return createSession(session);
  const { clock, log, listener } = options;
  return createRenewedTranscriber({
    ...{ clock, log, listener, renewAfterMs },
    create: (listener) => createSession({ ...session, listener }),
  });
}

/** One connection. */
function createSession(options: Omit<StreamingTranscriberOptions, 'renewAfterMs'>): Transcriber {
  const { provider, input, clock, log, listener, maxSilentSpeechMs } = options;
  const bytesPerMs = (input.sample_rate * bytesPerSample(input)) / 1000;
  const pending = createPendingAudio(MAX_PENDING_MS * bytesPerMs);
  let opening: Promise<void> | null = null;
  let streaming = false;
  let closed = false;
  let failureReported = false;
  let sentBytes = 0;
  let sentBytesAtMessage = 0;
  let lastMessageMs = 0;
  let ignored = 0;

  const handshake = createHandshake(clock, CONNECT_DEADLINE_MS, () =>
    fail('timeout', `not ready within ${CONNECT_DEADLINE_MS} ms`),
  );

  const socket = createProviderSocket({
    ...options.socket,
    provider,
    clock,
    liveness: LIVENESS,
    ...(options.keepAliveEveryMs !== undefined && {
      keepAlive: { everyMs: options.keepAliveEveryMs, send: () => protocol.keepAlive?.() },
    }),
    onText,
    onFailed,
  });

  const connection: TranscriberConnection = {
    send: (message) => socket.send(message),
    sendAudio,
    emit: listener,
    fail,
    completeHandshake: () => handshake.completed(),
    ignore,
    get sentMs() {
      return sentBytes / bytesPerMs;
    },
    get sentSinceMessageMs() {
      return (sentBytes - sentBytesAtMessage) / bytesPerMs;
    },
    get lastMessageMs() {
      return lastMessageMs;
    },
  };
  const protocol = options.protocol(connection);

  function fail(kind: ProviderFailure, message: string): void {
    socket.fail(new ProviderError(provider, kind, message));
  }

  function onFailed(error: ProviderError): void {
    streaming = false;
    protocol.stop?.();
    if (handshake.failed(error) || closed || failureReported) return;
    failureReported = true;
    listener({ type: 'failed', error });
  }

  function ignore(reason: string): void {
    ignored++;
    if (ignored === 1) log.warn({ provider, reason }, 'unexpected transcriber message ignored');
  }

  function onText(text: string): void {
    sentBytesAtMessage = sentBytes;
    lastMessageMs = clock.now();
    const message = (options.readMessage ?? parseJsonMessage)(text);
    if (typeof message === 'string') ignore(message);
    else protocol.onMessage(message);
  }

  const chunks = options.chunkMs === undefined ? null : createFramer(input, transmit, options.chunkMs);

  function sendAudio(bytes: Uint8Array): void {
    if (chunks) chunks.push(bytes);
    else transmit(bytes);
  }

  function finalize(): void {
    chunks?.flush();
    protocol.finalize?.();
  }

  function transmit(chunk: Uint8Array): void {
    const message = protocol.encodeAudio ? protocol.encodeAudio(chunk) : chunk;
    if (message !== null) socket.send(message);
    sentBytes += chunk.length;
    if (protocol.inSpeech() && connection.sentSinceMessageMs > maxSilentSpeechMs) {
      fail('timeout', `no message for ${maxSilentSpeechMs} ms of audio during speech`);
    }
  }

  async function connect(): Promise<void> {
    // Awaited from before the connection is opened: the message may come in the same packet as its acceptance.
    const ready = options.handshake === 'none' ? null : handshake.expect();
    try {
      await socket.open();
    } catch (error) {
      handshake.stop();
      throw error;
    }
    protocol.onOpen?.();
    if (options.handshake === 'before_audio') await ready;
    streaming = socket.isOpen;
    if (streaming) pending.drain(sendAudio, finalize);
    await ready;
  }

  return {
    provider,
    model: options.model,
    input,
    decidesTurns: options.decidesTurns,
    open() {
      opening ??= connect();
      return opening;
    },
    audio(chunk) {
      // To some providers an empty message means the end of the stream.
      if (closed || failureReported || chunk.length === 0) return;
      if (streaming) sendAudio(chunk);
      else pending.write(chunk);
    },
    finalize() {
      if (closed || failureReported || !protocol.finalize) return;
      if (streaming) finalize();
      else pending.finalize();
    },
    close() {
      closed = true;
      streaming = false;
      pending.clear();
      protocol.stop?.();
      handshake.failed(new ProviderError(provider, 'unavailable', 'closed while it was being opened'));
      return socket.close(options.closeMessage);
    },
  };
}
