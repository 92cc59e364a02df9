import { createIpaText } from '../../shared/pronunciation.ts';
import { deepgramAura } from '../../shared/providers/deepgram.ts';
import type { AudioFormat } from '../audio/format.ts';
import { ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { createConnectionPool, type PooledConnection } from './connection-pool.ts';
import { chooseOutputFormat, type SupportedFormats } from './output-format.ts';
import { createPacedText, type PacedText } from './paced-text.ts';
import {
  type CloudSynthesizerOptions,
  createStreamingSynthesizer,
  type SynthesisContext,
  type SynthesisTransport,
  type SynthesizerCore,
} from './streaming-synthesizer.ts';
import type { Synthesizer, SynthesizerAdapter } from './synthesizer.ts';

/**
 * Deepgram Aura-2 over `/v1/speak` (public documentation: developers.deepgram.com, "Streaming Text to Speech", "Text Chunking",
 * "TTS Voice Controls"). Audio comes as bytes without an id: a connection carries one reply at a time. Text is spoken when it is
 * flushed, and only 20 flushes a minute are allowed, so text is collected while earlier audio plays. `Clear` drops the rest of a
 * reply; what comes before `Cleared` still belongs to it.
 */

const PROVIDER = 'deepgram_aura';
/** The vendor's limits of one message, and of one connection within a minute. */
const MAX_TEXT_CHARACTERS = 2_000;
const MAX_FLUSHES = 20;
const FLUSH_WINDOW_MS = 60_000;
/** A connection that has used up so many is not given to another reply. */
const TIRED_AFTER_FLUSHES = 15;
/** The vendor ends a connection after an hour. */
const RENEW_AFTER_MS = 55 * 60_000;
const FORMATS: SupportedFormats = {
  mulaw: [8000, 16000],
  alaw: [8000, 16000],
  pcm16: [8000, 16000, 24000, 32000, 48000],
};
const ENCODINGS: Record<AudioFormat['encoding'], string> = { mulaw: 'mulaw', alaw: 'alaw', pcm16: 'linear16' };
const { speed: SPEED } = deepgramAura.capabilities;
const MESSAGE_TYPES = new Set<unknown>(['Metadata', 'Flushed', 'Cleared', 'Warning']);

type Connection = PooledConnection<Context>;

interface Context extends SynthesisContext {
  /** Null before its first segment. */
  connection: Connection | null;
  readonly text: PacedText;
}

/** What is known of one connection. */
interface ConnectionState {
  /** `Clear` messages that were not confirmed: what comes belongs to a reply that is over. */
  unconfirmedClears: number;
  /** Times of the flushes of the last minute. */
  flushesAtMs: number[];
}

/** `voiceId` is the vendor's full name of a voice, like `aura-2-thalia-en`: it decides the language. */
export function createDeepgramAura(options: CloudSynthesizerOptions): Synthesizer {
  const output = chooseOutputFormat(options.output, FORMATS);
  return createStreamingSynthesizer<Context>(PROVIDER, { ...options, output }, (core) =>
    createTransport({ ...options, output }, core),
  );
}

export function auraAddress(options: Pick<CloudSynthesizerOptions, 'url' | 'voiceId' | 'speed' | 'output'>): string {
  const { url, voiceId, speed = 1, output } = options;
  const query = new URLSearchParams({
    model: voiceId,
    encoding: ENCODINGS[output.encoding],
    sample_rate: String(output.sample_rate),
  });
  if (speed !== 1 && hasControls(voiceId)) {
    query.set('speed', String(Math.min(SPEED.max, Math.max(SPEED.min, speed))));
  }
  return `${url.replace(/\/+$/, '')}/v1/speak?${query}`;
}

/** Voices of other languages have neither speed nor pronunciations. */
const hasControls = (voiceId: string) => /-(en|es)$/.test(voiceId);

/**
 * The vendor's notation of one word and its IPA, in braces that are escaped. Words of a phrase are paired with those of its IPA; a
 * phrase of another length is sent as it is written.
 */
export function auraPronunciation(phrase: string, ipa: string): string {
  const words = phrase.split(/\s+/);
  const sounds = ipa.split(/\s+/);
  if (words.length !== sounds.length) return phrase;
  const escaped = (word: string, at: number) =>
    `\\{"word": ${JSON.stringify(word)}, "pronounce": ${JSON.stringify(sounds[at])}\\}`;
  return words.map(escaped).join(' ');
}

/** What a close of the provider means: its reason begins with a code. */
export function auraCloseFailure(_code: number, reason: string): ProviderFailure | undefined {
  // Too much text within a minute.
  if (reason.includes('DATA-0001')) return 'capacity';
  return reason.includes('NET-') ? 'unavailable' : undefined;
}

function createTransport(
  options: CloudSynthesizerOptions,
  core: SynthesizerCore<Context>,
): SynthesisTransport<Context> {
  const { clock, log } = options;
  const ipaText = hasControls(options.voiceId) ? createIpaText(options.pronunciations ?? [], auraPronunciation) : null;
  const states = new WeakMap<Connection, ConnectionState>();
  const pool = createConnectionPool<Context>({
    provider: PROVIDER,
    url: auraAddress(options),
    headers: { authorization: `Token ${options.apiKey}` },
    refusalHeader: 'dg-error',
    closeMeaning: auraCloseFailure,
    lastMessage: { type: 'Close' },
    clock,
    log,
    maxSpare: 1,
    keepsSpare: false,
    renewAfterMs: RENEW_AFTER_MS,
    onText,
    onBinary,
    onLost: core.fail,
    onFailed: core.failAll,
  });

  function stateOf(connection: Connection): ConnectionState {
    const state = states.get(connection) ?? { unconfirmedClears: 0, flushesAtMs: [] };
    states.set(connection, state);
    return state;
  }

  /** Flushes of the last minute. */
  function recentFlushes(connection: Connection): number[] {
    const state = stateOf(connection);
    const since = clock.now() - FLUSH_WINDOW_MS;
    state.flushesAtMs = state.flushesAtMs.filter((atMs) => atMs > since);
    return state.flushesAtMs;
  }

  function onBinary(connection: Connection, bytes: Uint8Array): void {
    const { context } = connection;
    if (!context?.text.underWay || stateOf(connection).unconfirmedClears > 0) return;
    const beforeMs = context.audioMs;
    core.audio(context, bytes);
    context.text.received(context.audioMs - beforeMs);
  }

  function onText(connection: Connection, raw: string): void {
    const message = core.parse(raw);
    if (!message) return;
    const state = stateOf(connection);
    if (!MESSAGE_TYPES.has(message.type)) core.ignore('an unknown type');
    else if (message.type === 'Cleared') state.unconfirmedClears = Math.max(0, state.unconfirmedClears - 1);
    else if (!connection.context || state.unconfirmedClears > 0) return;
    else if (message.type === 'Flushed') onFlushed(connection.context);
    else if (message.type === 'Warning') onWarning(connection.context, message);
  }

  function onFlushed(context: Context): void {
    if (!context.text.underWay) return;
    context.text.spoken();
    core.watch(context);
    if (context.ended && isSpoken(context)) core.done(context);
  }

  /** Of all warnings only a flush that was not taken leaves the caller without words. */
  function onWarning(context: Context, { code, description }: Record<string, unknown>): void {
    const words = `${typeof code === 'string' ? code : ''} ${typeof description === 'string' ? description : ''}`;
    if (!/flush/i.test(words) || !context.text.underWay) return;
    core.fail(context, new ProviderError(PROVIDER, 'capacity', 'the provider takes no more flushes this minute'));
  }

  function speak(context: Context, text: string): void {
    const { connection } = context;
    connection?.whenOpen(() => {
      if (!core.isLive(context)) return;
      recentFlushes(connection).push(clock.now());
      const withIpa = ipaText?.(text) ?? text;
      connection.send({ type: 'Speak', text: withIpa.length <= MAX_TEXT_CHARACTERS ? withIpa : text });
      connection.send({ type: 'Flush' });
      core.expectAudio(context);
    });
  }

  function isSpoken({ text }: Context): boolean {
    return !text.underWay && !text.waiting;
  }

  return {
    open: pool.open,
    close: pool.close,
    createContext(base) {
      const context: Context = Object.assign(base, {
        connection: null,
        text: createPacedText({
          clock,
          maxCharacters: MAX_TEXT_CHARACTERS,
          waitMs() {
            const flushes = context.connection ? recentFlushes(context.connection) : [];
            return flushes.length < MAX_FLUSHES ? 0 : flushes[0]! + FLUSH_WINDOW_MS - clock.now();
          },
          send: (text) => speak(context, text),
        }),
      });
      return context;
    },
    speak(context, segment) {
      context.connection ??= pool.acquire(context);
      context.text.add(segment);
    },
    /** Nothing to send: text is flushed as it goes. */
    end() {},
    cancel({ connection, text }) {
      if (!connection || !text.underWay) return;
      connection.whenOpen(() => {
        stateOf(connection).unconfirmedClears++;
        connection.send({ type: 'Clear' });
      });
    },
    release({ connection, text }) {
      text.stop();
      if (connection) pool.release(connection, recentFlushes(connection).length < TIRED_AFTER_FLUSHES);
    },
    isIdle: isSpoken,
    isOwed: ({ text }) => text.underWay,
  };
}

export const adapter: SynthesizerAdapter<typeof deepgramAura> = ({ settings, voice, ...call }) =>
  createDeepgramAura({
    ...call,
    url: settings.DEEPGRAM_URL,
    apiKey: settings.DEEPGRAM_API_KEY,
    model: voice.model,
    voiceId: voice.voice_id,
    language: voice.language,
    speed: voice.speed,
    pronunciations: voice.pronunciations,
  });
